//! Files that are not kernel settings: the state directory's, captured machines, and the data a load reads and writes.

pub use crate::cachestat::{CacheDetails, CacheUse};
pub use crate::config_file::{read_whole, replace};
pub use crate::output::{
    Existing, Folder, NewFile, TemporaryDir, copy_new, create_dirs, create_new, remove, rename,
    temporary_dir, temporary_dir_in, write_atomically, write_new, write_secret,
};

use crate::{Error, Result, ioctl, loop_ioctl, walk};
use model::job::SyncMode;
use rustix::fs::{Advice, FallocateFlags, Mode, OFlags, SeekFrom};
use rustix::io::ReadWriteFlags;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The longest file that is read whole because somebody named it, bytes: captures and documents have some megabytes.
const NAMED_MAX: u64 = 256 << 20;

/// Reads a file that somebody named whole: nothing that may never end, and no more than 256 MiB.
pub fn read_named(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read;
    let failed = |error: std::io::Error| Error::io("read", path, error);
    let mut bytes = Vec::new();
    let file = crate::foreign::open(path)?;
    file.take(NAMED_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    match bytes.len() as u64 > NAMED_MAX {
        true => Err(failed(std::io::Error::other("it is longer than 256 MiB"))),
        false => Ok(bytes),
    }
}

/// The same as text; bytes that are not UTF-8 are replaced.
pub fn read_text(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&read_named(path)?).into_owned())
}

/// Reads a file whole as it is: binary attributes of the kernel such as its type information.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::io("read", path, error))
}

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A block device.
    BlockDevice {
        /// Major number.
        major: u32,
        /// Minor number.
        minor: u32,
    },
    /// Anything else.
    Other,
}

/// What is at a path on this machine.
pub fn kind(path: &Path) -> Result<FileKind> {
    let metadata = std::fs::metadata(path).map_err(|error| Error::io("look at", path, error))?;
    let kind = metadata.file_type();
    Ok(if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_file() {
        FileKind::File
    } else if kind.is_block_device() {
        let device = metadata.rdev();
        FileKind::BlockDevice {
            major: rustix::fs::major(device),
            minor: rustix::fs::minor(device),
        }
    } else {
        FileKind::Other
    })
}

/// What makes two paths the same file, whatever their names and mount namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `major:minor` of the file system.
    pub device: String,
    /// Inode number in it.
    pub inode: u64,
    /// `major:minor` of the device that the file is; `0:0` for a file that is none.
    pub special: String,
}

impl Identity {
    pub(crate) fn new(device: u64, inode: u64, special: u64) -> Identity {
        let number = |device| {
            format!(
                "{}:{}",
                rustix::fs::major(device),
                rustix::fs::minor(device)
            )
        };
        Identity {
            device: number(device),
            inode,
            special: number(special),
        }
    }
}

/// Which file is at a path, links followed; none where nothing is.
pub fn identity(path: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Identity::new(
        metadata.dev(),
        metadata.ino(),
        metadata.rdev(),
    ))
}

/// Which file a loop device stands over; none where it is over nothing, or is no loop device.
pub fn loop_backing(path: &Path) -> Option<Identity> {
    let device = File::open(path).ok()?;
    let (file_system, inode, special) = loop_ioctl::loop_backing(device.as_fd())?;
    Some(Identity::new(file_system, inode, special))
}

/// The absolute path with links resolved.
pub fn canonical(path: &Path) -> Result<PathBuf> {
    std::fs::canonicalize(path).map_err(|error| Error::io("find", path, error))
}

/// The first directory on the way to a path without links in which users other than root and this one can exchange what leads to it, or
/// the path itself where they can write to that.
///
/// # Errors
/// Where a directory cannot be looked at.
pub fn open_to_others(path: &Path) -> Result<Option<PathBuf>> {
    let itself = rustix::fs::lstat(path).map_err(|error| Error::io("look at", path, error))?;
    Ok(walk::open_to_others(path)?
        .or_else(|| walk::takes_foreign_names(&itself).then(|| path.to_path_buf())))
}

/// A path without links to what a path leads to. A link that somebody else made on the way is refused.
pub fn way_to(path: &Path) -> Result<PathBuf> {
    crate::Target::open(path)?.resolved()
}

/// Waits until what was written to a block device, or to the file system of anything else, is on the disk.
pub fn sync_all(path: &Path) -> Result<()> {
    let failed = |error: rustix::io::Errno| Error::io("sync", path, error);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
    match kind(path)? {
        FileKind::BlockDevice { .. } => rustix::fs::fsync(&file).map_err(failed),
        _ => rustix::fs::syncfs(&file).map_err(failed),
    }
}

/// How a data file is to be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// O_DIRECT.
    pub direct: bool,
    /// Opened for writing as well as reading.
    pub write: bool,
    /// O_EXCL on a block device: refused while anything has it mounted or claimed.
    pub exclusive: bool,
    /// O_DSYNC or O_SYNC: each write is on the device when it returns.
    pub sync: SyncMode,
}

impl Access {
    pub(crate) fn flags(self) -> OFlags {
        let mut flags = OFlags::CLOEXEC
            | if self.write {
                OFlags::RDWR
            } else {
                OFlags::RDONLY
            };
        flags.set(OFlags::DIRECT, self.direct);
        flags.set(OFlags::EXCL, self.exclusive);
        flags
            | match self.sync {
                SyncMode::None => OFlags::empty(),
                SyncMode::Dsync => OFlags::DSYNC,
                SyncMode::Sync => OFlags::SYNC,
            }
    }
}

/// The file or device that a load reads and writes. A clone shares the open file description; [`DataFile::reopen`]
/// makes a new one, which is what picks up a changed read-ahead.
#[derive(Debug)]
pub struct DataFile {
    fd: OwnedFd,
    path: PathBuf,
    bytes: u64,
    block_bytes: u32,
    is_device: bool,
}

impl DataFile {
    /// Opens what a name stands for at this moment; creates nothing. What a load works on is opened as a
    /// [`crate::Target`] in place of this.
    pub fn open(path: &Path, access: Access) -> Result<DataFile> {
        let opened = rustix::fs::open(path, access.flags(), Mode::empty());
        DataFile::from_fd(
            opened.map_err(|error| Error::io("open", path, error))?,
            path,
        )
    }

    pub(crate) fn from_fd(fd: OwnedFd, path: &Path) -> Result<DataFile> {
        let look = |error: rustix::io::Errno| Error::io("look at", path, error);
        let stat = rustix::fs::fstat(&fd).map_err(look)?;
        let is_device = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_block_device();
        let ask = |error: std::io::Error| Error::io("ask the size of", path, error);
        let (bytes, block_bytes) = if is_device {
            (
                ioctl::device_bytes(fd.as_fd()).map_err(ask)?,
                ioctl::logical_block_bytes(fd.as_fd()).map_err(ask)?,
            )
        } else {
            (stat.st_size as u64, 512)
        };
        Ok(DataFile {
            fd,
            path: path.to_path_buf(),
            bytes,
            block_bytes,
            is_device,
        })
    }

    /// A new open file description of the same file, also where the file has no name any more.
    pub fn reopen(&self, access: Access) -> Result<DataFile> {
        DataFile::from_fd(
            crate::target::again(self.fd.as_fd(), access.flags(), &self.path)?,
            &self.path,
        )
    }

    /// The path it was opened by, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size, bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Logical block size of a device; 512 for a file.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// What offsets and lengths of direct I/O must be multiples of, bytes: as the kernel states it for this file
    /// (`STATX_DIOALIGN`, Linux 6.1), else the logical block size. None where the file takes no direct I/O at all.
    pub fn direct_align_bytes(&self) -> Option<u32> {
        use rustix::fs::{AtFlags, StatxFlags};
        let fallback = Some(self.block_bytes);
        let Ok(stat) = rustix::fs::statx(&self.fd, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN)
        else {
            return fallback;
        };
        if stat.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
            return fallback;
        }
        (stat.stx_dio_offset_align > 0).then(|| stat.stx_dio_offset_align.max(self.block_bytes))
    }

    /// Whether the file lives in memory (tmpfs, ramfs). Since Linux 6.6 tmpfs takes O_DIRECT and ignores it.
    pub fn is_in_memory(&self) -> bool {
        !self.is_device && crate::mounts::is_memory(self.fd.as_fd())
    }

    /// Whether it is a block device.
    pub fn is_device(&self) -> bool {
        self.is_device
    }

    /// Bytes of the first `length` that were written before; none where the file system cannot tell.
    pub fn written_bytes(&self, length: u64) -> Option<u64> {
        ioctl::written_bytes(self.fd.as_fd(), length)
    }

    /// The ranges of the first `length` bytes that hold no data: holes, and extents that are only reserved. None where the
    /// file system cannot tell.
    pub fn unwritten_ranges(&self, length: u64) -> Option<Vec<std::ops::Range<u64>>> {
        ioctl::unwritten_ranges(self.fd.as_fd(), length)
    }

    /// Reserves extents for the first `length` bytes, which stay unwritten, and makes the file as long.
    pub fn reserve(&self, length: u64) -> Result<()> {
        rustix::fs::fallocate(&self.fd, rustix::fs::FallocateFlags::empty(), 0, length)
            .map_err(|error| Error::io("reserve space for", &self.path, error))
    }

    /// Makes the file `length` bytes long, with a hole where nothing was written.
    pub fn extend(&self, length: u64) -> Result<()> {
        rustix::fs::ftruncate(&self.fd, length)
            .map_err(|error| Error::io("extend", &self.path, error))
    }

    /// Bytes of a range that are in the page cache and not yet on the device; none where the kernel cannot tell (before
    /// 6.5).
    pub fn unwritten_bytes(&self, offset: u64, length: u64) -> Option<u64> {
        crate::cachestat::unwritten_bytes(self.fd.as_fd(), offset, length)
    }

    /// What the page cache holds of a range that begins at a page. The kernel's cost grows with the pages that it holds;
    /// before Linux 6.5, with the length of the range.
    pub fn cache_use(&self, offset: u64, length: u64) -> Result<CacheUse> {
        crate::cachestat::cache_use(self.fd.as_fd(), offset, length)
            .map_err(|error| Error::io("look into the page cache of", &self.path, error))
    }

    /// Drops the clean cached pages of a range, so that the next read comes from the device.
    pub fn drop_cache(&self, offset: u64, length: u64) -> Result<()> {
        let length = std::num::NonZeroU64::new(length);
        rustix::fs::fadvise(&self.fd, offset, length, Advice::DontNeed)
            .map_err(|error| Error::io("drop the cache of", &self.path, error))
    }

    /// Reads at an offset; short only at the end.
    // Inlined, as all transfers are: a function of its own around the system call took 0.15 µs of each I/O on an EPYC under Linux
    // 6.18, most of it in the kernel, whose returns were predicted worse.
    #[inline]
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        rustix::io::pread(&self.fd, buffer, offset).map_err(Into::into)
    }

    /// Writes at an offset.
    #[inline]
    pub fn write_at(&self, buffer: &[u8], offset: u64) -> std::io::Result<usize> {
        rustix::io::pwrite(&self.fd, buffer, offset).map_err(Into::into)
    }

    /// Reads from where the last [`DataFile::seek`] or transfer left off; short only at the end.
    #[inline]
    pub fn read_here(&self, buffer: &mut [u8]) -> std::io::Result<usize> {
        rustix::io::read(&self.fd, buffer).map_err(Into::into)
    }

    /// Writes where the last [`DataFile::seek`] or transfer left off.
    #[inline]
    pub fn write_here(&self, buffer: &[u8]) -> std::io::Result<usize> {
        rustix::io::write(&self.fd, buffer).map_err(Into::into)
    }

    /// Moves the place at which [`DataFile::read_here`] and [`DataFile::write_here`] work.
    pub fn seek(&self, offset: u64) -> std::io::Result<()> {
        rustix::fs::seek(&self.fd, SeekFrom::Start(offset))
            .map(drop)
            .map_err(Into::into)
    }

    /// Reads with preadv2; `polls` asks the kernel to poll the device for the completion (RWF_HIPRI).
    #[inline]
    pub fn read_vectored_at(
        &self,
        buffer: &mut [u8],
        offset: u64,
        polls: bool,
    ) -> std::io::Result<usize> {
        let mut parts = [std::io::IoSliceMut::new(buffer)];
        rustix::io::preadv2(&self.fd, &mut parts, offset, poll_flag(polls)).map_err(Into::into)
    }

    /// Writes with pwritev2; `polls` as for [`DataFile::read_vectored_at`].
    #[inline]
    pub fn write_vectored_at(
        &self,
        buffer: &[u8],
        offset: u64,
        polls: bool,
    ) -> std::io::Result<usize> {
        let parts = [std::io::IoSlice::new(buffer)];
        rustix::io::pwritev2(&self.fd, &parts, offset, poll_flag(polls)).map_err(Into::into)
    }

    /// Whether the kernel can begin an I/O on this file without waiting for anything. Where it cannot, io_uring hands each
    /// one to a kernel worker thread. Asked by a read far behind the end, which moves nothing: EOPNOTSUPP comes before the
    /// end is looked at (fs/read_write.c, kiocb_set_rw_flags; on Linux 6.18 for zram and tmpfs, not for ext4 and loop devices).
    pub fn can_begin_at_once(&self) -> bool {
        let mut block = [0; 512];
        let mut parts = [std::io::IoSliceMut::new(&mut block)];
        let asked = rustix::io::preadv2(&self.fd, &mut parts, 1 << 62, ReadWriteFlags::NOWAIT);
        asked != Err(rustix::io::Errno::OPNOTSUPP)
    }

    /// Discards a range: BLKDISCARD on a device, a punched hole in a file. What was there is lost.
    pub fn discard(&self, offset: u64, length: u64) -> std::io::Result<()> {
        if self.is_device {
            return ioctl::discard(self.fd.as_fd(), offset, length);
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        rustix::fs::fallocate(&self.fd, flags, offset, length).map_err(Into::into)
    }

    /// fsync, or fdatasync where only the data and what is needed to find it have to be on the device.
    pub fn flush(&self, only_data: bool) -> std::io::Result<()> {
        let flush = if only_data {
            rustix::fs::fdatasync
        } else {
            rustix::fs::fsync
        };
        flush(&self.fd).map_err(Into::into)
    }

    /// How long the file is now, bytes.
    pub fn bytes_now(&self) -> std::io::Result<u64> {
        match self.is_device {
            true => ioctl::device_bytes(self.fd.as_fd()),
            false => Ok(rustix::fs::fstat(&self.fd)?.st_size as u64),
        }
    }

    /// Waits until everything written is on the device.
    pub fn sync(&self) -> Result<()> {
        rustix::fs::fdatasync(&self.fd).map_err(|error| Error::io("sync", &self.path, error))
    }
}

fn poll_flag(polls: bool) -> ReadWriteFlags {
    if polls {
        ReadWriteFlags::HIPRI
    } else {
        ReadWriteFlags::empty()
    }
}

impl AsFd for DataFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn tells_written_from_holes() {
        let dir = temporary_dir("holes").unwrap();
        let path = dir.path().join("sparse");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        file.write_all_at(&[7; 65536], 0).unwrap();
        file.sync_all().unwrap();
        let data = DataFile::open(&path, Access::default()).unwrap();
        assert_eq!(data.bytes(), 1 << 20);
        if let Some(written) = data.written_bytes(1 << 20) {
            assert_eq!(written, 65536);
            let unwritten = data.unwritten_ranges(1 << 20);
            let rest: Vec<_> = std::iter::once(65536..1 << 20).collect();
            assert_eq!(unwritten, Some(rest));
        }
        assert_eq!(kind(&path).unwrap(), FileKind::File);
    }

    #[test]
    fn every_way_of_transfer_moves_the_same_bytes() {
        let dir = temporary_dir("transfers").unwrap();
        let path = dir.path().join("data");
        write_atomically(&path, &"x".repeat(16384)).unwrap();
        let access = Access {
            write: true,
            sync: SyncMode::Dsync,
            ..Access::default()
        };
        let file = DataFile::open(&path, access).unwrap();
        let mut block = [0; 512];
        assert_eq!(file.write_vectored_at(&[1; 512], 4096, false).unwrap(), 512);
        file.seek(4608).unwrap();
        assert_eq!(file.write_here(&[2; 512]).unwrap(), 512);
        assert_eq!(file.read_vectored_at(&mut block, 4608, false).unwrap(), 512);
        assert_eq!(block, [2; 512]);
        file.seek(4096).unwrap();
        assert_eq!(file.read_here(&mut block).unwrap(), 512);
        assert_eq!(block, [1; 512]);
        file.flush(true).unwrap();
        file.flush(false).unwrap();
        file.discard(4096, 4096).unwrap();
        assert_eq!(file.read_at(&mut block, 4096).unwrap(), 512);
        assert_eq!(
            (block, file.bytes_now().unwrap()),
            ([0; 512], 16384),
            "a hole, and no change of length"
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = DataFile::open(Path::new("/nowhere/at/all"), Access::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot open /nowhere/at/all: No such file or directory (os error 2)"
        );
    }
}
