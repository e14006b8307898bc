//! What of a file the page cache holds (cachestat, Linux 6.5; mincore before).
#![allow(
    unsafe_code,
    reason = "neither libc nor rustix has a typed form of the calls"
)]

use std::os::fd::{AsRawFd, BorrowedFd};

/// What the page cache holds of a range of a file, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// In memory.
    pub cached: u64,
    /// What only the kernel's own call tells (Linux 6.5).
    pub details: Option<CacheDetails>,
}

/// More about the pages of a range, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheDetails {
    /// In memory, changed, and not being written.
    pub dirty: u64,
    /// Being written.
    pub writeback: u64,
    /// No longer in memory, and still remembered by the kernel as evicted.
    pub evicted: u64,
}

/// The number is the same on every architecture: calls since Linux 5.1 share one table.
const SYS_CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct CachestatRange {
    offset: u64,
    length: u64,
}

#[repr(C)]
#[derive(Default)]
struct Stat {
    cache: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Bytes of a range of a file that are in the page cache and not yet on the device; none where the kernel cannot tell.
pub(crate) fn unwritten_bytes(fd: BorrowedFd<'_>, offset: u64, length: u64) -> Option<u64> {
    stat(fd, offset, length)
        .ok()
        .map(|stat| (stat.dirty + stat.writeback) * rustix::param::page_size() as u64)
}

/// What the page cache holds of a range, which must begin at a page; `EPERM` where the file belongs to others.
pub(crate) fn cache_use(fd: BorrowedFd<'_>, offset: u64, length: u64) -> std::io::Result<CacheUse> {
    let page = rustix::param::page_size() as u64;
    match stat(fd, offset, length) {
        Ok(stat) => {
            let details = CacheDetails {
                dirty: stat.dirty * page,
                writeback: stat.writeback * page,
                evicted: stat.evicted * page,
            };
            Ok(CacheUse {
                cached: stat.cache * page,
                details: Some(details),
            })
        }
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => Ok(CacheUse {
            cached: resident_pages(fd, offset, length)? * page,
            details: None,
        }),
        Err(error) => Err(error),
    }
}

/// Pages of a range that are in memory, by mincore; `EPERM` where it does not tell the truth.
fn resident_pages(fd: BorrowedFd<'_>, offset: u64, length: u64) -> std::io::Result<u64> {
    use rustix::mm::{MapFlags, ProtFlags};
    if !is_told_the_truth(fd, rustix::process::geteuid().as_raw())? {
        return Err(std::io::Error::from_raw_os_error(libc::EPERM));
    }
    let length = length as usize;
    let mut pages = vec![0u8; length.div_ceil(rustix::param::page_size())];
    // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours. Its pages are never read.
    let address = unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            length,
            ProtFlags::READ,
            MapFlags::SHARED,
            fd,
            offset,
        )
    }?;
    // SAFETY: the range is the mapping made above; the kernel writes one byte a page, which `pages` has room for.
    let asked = match unsafe { libc::mincore(address, length, pages.as_mut_ptr()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    };
    // SAFETY: the mapping made above, of which no reference is held.
    unsafe { rustix::mm::munmap(address, length) }?;
    asked.map(|()| pages.iter().filter(|page| **page & 1 == 1).count() as u64)
}

/// Of files that a user neither owns nor may write Linux 5.2 and later say that all pages are in memory.
fn is_told_the_truth(fd: BorrowedFd<'_>, user: u32) -> rustix::io::Result<bool> {
    use rustix::fs::OFlags;
    let access = rustix::fs::fcntl_getfl(fd)? & OFlags::RWMODE;
    let is_writable = access == OFlags::RDWR || access == OFlags::WRONLY;
    Ok(user == 0 || is_writable || rustix::fs::fstat(fd)?.st_uid == user)
}

fn stat(fd: BorrowedFd<'_>, offset: u64, length: u64) -> std::io::Result<Stat> {
    let range = CachestatRange { offset, length };
    let mut stat = Stat::default();
    // SAFETY: both pointers are valid for the call, which reads one Range and writes one Stat (include/uapi/linux/mman.h:
    // two and five u64). A kernel without the call answers ENOSYS and touches neither.
    let result = unsafe { libc::syscall(SYS_CACHESTAT, fd.as_raw_fd(), &range, &mut stat, 0u32) };
    if result == 0 {
        Ok(stat)
    } else {
        Err(std::io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use crate::files::{Access, DataFile, temporary_dir, write_atomically};

    #[test]
    fn what_was_written_is_cached_by_both_calls() {
        use std::os::fd::AsFd;
        let dir = temporary_dir("mincore").unwrap();
        let path = dir.path().join("file");
        write_atomically(&path, &"x".repeat(1 << 20)).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let resident = super::resident_pages(file.as_fd(), 0, 1 << 20).unwrap();
        let page = rustix::param::page_size() as u64;
        assert!(
            resident <= (1 << 20) / page && resident > 0,
            "{resident} pages"
        );
        let cached = super::cache_use(file.as_fd(), 0, 1 << 20).unwrap().cached;
        assert!(cached > 0 && cached <= 1 << 20, "{cached} bytes");
        assert!(
            super::resident_pages(file.as_fd(), 1, 1 << 20).is_err(),
            "not at a page"
        );
    }

    #[test]
    fn of_files_of_others_mincore_is_not_asked() {
        use std::os::fd::AsFd;
        let dir = temporary_dir("mincore").unwrap();
        let path = dir.path().join("file");
        write_atomically(&path, "x").unwrap();
        let read = std::fs::File::open(&path).unwrap();
        let write = std::fs::File::options()
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        let owner = rustix::fs::fstat(&read).unwrap().st_uid;
        let told = |file: &std::fs::File, user| super::is_told_the_truth(file.as_fd(), user);
        assert!(told(&read, owner).unwrap() && told(&read, 0).unwrap());
        assert!(!told(&read, owner + 1).unwrap() && told(&write, owner + 1).unwrap());
    }

    #[test]
    fn what_was_synced_is_written() {
        let dir = temporary_dir("cachestat").unwrap();
        let path = dir.path().join("file");
        write_atomically(&path, "").unwrap();
        let file = DataFile::open(
            &path,
            Access {
                write: true,
                ..Access::default()
            },
        )
        .unwrap();
        file.write_at(&[1; 1 << 20], 0).unwrap();
        let Some(before) = file.unwritten_bytes(0, 1 << 20) else {
            skip::missing("kernel:cachestat", "this kernel has no cachestat");
            return;
        };
        if file.is_in_memory() {
            skip::missing("disk", "a file in memory is never written out");
            return;
        }
        file.sync().unwrap();
        assert_eq!(file.unwritten_bytes(0, 1 << 20), Some(0), "{before} before");
    }
}
