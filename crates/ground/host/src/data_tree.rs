//! An existing directory tree that is only read: listed entry by entry, its files opened below its root.
//!
//! Nothing here writes. No symbolic link is followed and no other mount is entered, whoever made it and whenever: the
//! kernel refuses that while it walks the name (openat2, Linux 5.6; before, each directory on the way is opened by itself).
//! Reading a file sets its access time unless `O_NOATIME` is allowed, which it is for owners and root.

use crate::tree::{DIRECTORY, Tree, TreeFile};
use crate::{Error, Result, Target, mounts};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, StatVfsMountFlags};
use rustix::io::Errno;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A pipe that took a file's name must not make us wait; it changes nothing for a regular file.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// A tree that is read. Paths given to it are bytes relative to its root.
#[derive(Debug)]
pub struct DataTree {
    root: OwnedFd,
    path: PathBuf,
    /// Whether the kernel walks a whole path for us without links and mounts.
    walks_beneath: AtomicBool,
    /// Whether reading may leave access times alone. One refusal ends it.
    keeps_atime: AtomicBool,
}

/// What a name in a directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
    /// The file system does not say it in the listing.
    Unknown,
}

/// What a file's inode says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryStat {
    /// What it is.
    pub kind: EntryKind,
    /// Length, bytes.
    pub bytes: u64,
    /// Bytes that its file system gave it.
    pub allocated_bytes: u64,
}

/// A directory of a tree that is being listed.
#[derive(Debug)]
pub struct DataDir {
    dir: Dir,
    mount: u64,
}

impl DataTree {
    /// Opens a directory as a tree to read.
    ///
    /// # Errors
    /// [`Error::Refused`] for a file system whose files are attributes of the kernel: reading those can act.
    pub fn open(target: &Target) -> Result<DataTree> {
        if let Some(name) = target.kernel_file_system() {
            let why = format!("it holds attributes of the kernel ({name}) and no data");
            return Err(Error::refused("read", target.path(), why));
        }
        let path = target.path();
        let opened = rustix::fs::openat(target, ".", DIRECTORY, Mode::empty());
        let root = opened.map_err(|error| Error::io("open", path, error))?;
        Ok(DataTree::over(root, path.into()))
    }

    /// A tree of ours, to be read as others are.
    pub fn of(tree: &Tree) -> Result<DataTree> {
        let root = tree.as_fd().try_clone_to_owned();
        let root = root.map_err(|error| Error::io("open", tree.path(), error))?;
        Ok(DataTree::over(root, tree.path()))
    }

    fn over(root: OwnedFd, path: PathBuf) -> DataTree {
        DataTree {
            root,
            path,
            walks_beneath: AtomicBool::new(true),
            keeps_atime: AtomicBool::new(true),
        }
    }

    /// Where it is, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path in it, for messages.
    pub fn path_of(&self, relative: &[u8]) -> PathBuf {
        self.path.join(OsStr::from_bytes(relative))
    }

    /// Whether a file that was read may have got another access time: `O_NOATIME` was refused, and the mount keeps them.
    pub fn may_set_atime(&self) -> bool {
        let flags = rustix::fs::fstatvfs(&self.root).map(|stat| stat.f_flag);
        let keeps_none = StatVfsMountFlags::NOATIME | StatVfsMountFlags::RDONLY;
        !self.keeps_atime.load(Relaxed) && !flags.is_ok_and(|flags| flags.intersects(keeps_none))
    }

    /// Whether it lives in memory (tmpfs, ramfs).
    pub fn is_in_memory(&self) -> bool {
        mounts::is_memory(self.root.as_fd())
    }

    /// Begins to list its root.
    pub fn list(&self) -> std::io::Result<DataDir> {
        let again = self.without_atime(DIRECTORY, |flags| {
            rustix::fs::openat(&self.root, ".", flags, Mode::empty())
        })?;
        DataDir::of(again)
    }

    /// Begins to list a directory below one that is being listed.
    pub fn enter(&self, above: &DataDir, name: &CString) -> std::io::Result<DataDir> {
        let opened = self.without_atime(DIRECTORY, |flags| {
            rustix::fs::openat(above.dir.fd()?, name, flags, Mode::empty())
        })?;
        DataDir::of(opened)
    }

    /// Opens a file for reading, whatever it is by now: [`TreeFile::stat`] says that.
    pub fn open_file(&self, relative: &[u8]) -> std::io::Result<TreeFile> {
        let opened = self.without_atime(FILE, |flags| self.open_beneath(relative, flags))?;
        Ok(TreeFile::over(opened))
    }

    /// Length of a regular file, bytes; none where something else has its name.
    pub fn bytes_of(&self, relative: &[u8]) -> std::io::Result<Option<u64>> {
        // Only looked at: O_PATH reads nothing and asks for no right on the file.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = rustix::fs::fstat(self.open_beneath(relative, flags)?)?;
        let is_file = FileType::from_raw_mode(found.st_mode).is_file();
        Ok(is_file.then_some(found.st_size as u64))
    }

    /// Tries with `O_NOATIME` until that is refused once: it costs a second call each time.
    fn without_atime(
        &self,
        flags: OFlags,
        open: impl Fn(OFlags) -> rustix::io::Result<OwnedFd>,
    ) -> rustix::io::Result<OwnedFd> {
        if !self.keeps_atime.load(Relaxed) {
            return open(flags);
        }
        match open(flags | OFlags::NOATIME) {
            Err(Errno::PERM) => {
                self.keeps_atime.store(false, Relaxed);
                open(flags)
            }
            opened => opened,
        }
    }

    fn open_beneath(&self, relative: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
        if self.walks_beneath.load(Relaxed) {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
            let opened = rustix::fs::openat2(&self.root, relative, flags, Mode::empty(), resolve);
            // Some containers forbid what they do not know with EPERM, which the file itself may say, too.
            match opened {
                Err(Errno::NOSYS | Errno::PERM) if !has_openat2() => {
                    self.walks_beneath.store(false, Relaxed);
                }
                opened => return opened,
            }
        }
        self.open_by_names(relative, flags)
    }

    /// The same name by name, for kernels before 5.6.
    fn open_by_names(&self, relative: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let mut names: Vec<&[u8]> = relative.split(|byte| *byte == b'/').collect();
        let last = names.pop().unwrap_or_default();
        if names.contains(&b"..".as_slice()) || last == b".." {
            return Err(Errno::XDEV);
        }
        let below = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut here: Option<OwnedFd> = None;
        for name in names {
            let at = here.as_ref().unwrap_or(&self.root);
            here = Some(rustix::fs::openat(at, name, below, Mode::empty())?);
        }
        rustix::fs::openat(
            here.as_ref().unwrap_or(&self.root),
            last,
            flags,
            Mode::empty(),
        )
    }
}

/// Whether this kernel, and what watches over this process, know openat2.
fn has_openat2() -> bool {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let none = ResolveFlags::empty();
    rustix::fs::openat2(rustix::fs::CWD, "/", flags, Mode::empty(), none).is_ok()
}

impl DataDir {
    fn of(fd: OwnedFd) -> std::io::Result<DataDir> {
        let mount = match mounts::number(fd.as_fd()) {
            Some(number) => number,
            None => rustix::fs::fstat(&fd)?.st_dev,
        };
        let dir = Dir::new(fd)?;
        Ok(DataDir { dir, mount })
    }

    /// Number of the mount it lies in; before Linux 5.8 that of its file system, which bind mounts share.
    pub fn mount(&self) -> u64 {
        self.mount
    }

    /// The next entry; `.` and `..` are left out, and none is the end.
    pub fn next_entry(&mut self) -> Option<std::io::Result<(CString, EntryKind)>> {
        loop {
            let entry = match self.dir.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                return Some(Ok((entry.file_name().to_owned(), kind(entry.file_type()))));
            }
        }
    }

    /// What an entry is, links not followed.
    pub fn stat(&self, name: &CString) -> std::io::Result<EntryStat> {
        let stat = rustix::fs::statat(self.dir.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(EntryStat::of(&stat))
    }
}

impl EntryStat {
    /// Of what the kernel says.
    pub(crate) fn of(stat: &Stat) -> EntryStat {
        EntryStat {
            kind: kind(FileType::from_raw_mode(stat.st_mode)),
            bytes: stat.st_size as u64,
            allocated_bytes: stat.st_blocks as u64 * 512,
        }
    }
}

fn kind(of: FileType) -> EntryKind {
    match of {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        FileType::Unknown => EntryKind::Unknown,
        _ => EntryKind::Special,
    }
}

/// Drops what the whole machine can read again from its file systems: clean pages, names and inodes, of everybody.
///
/// # Errors
/// Without root the kernel refuses it.
pub fn drop_all_caches() -> Result<()> {
    std::fs::write(DROP_CACHES, "3").map_err(|error| Error::io("write", DROP_CACHES, error))
}

/// Fails where [`drop_all_caches`] would for want of rights. Nothing is dropped.
///
/// # Errors
/// Without root, and where /proc/sys is read-only, as in many containers.
pub fn must_be_allowed_to_drop_caches() -> Result<()> {
    let opened = std::fs::File::options().write(true).open(DROP_CACHES);
    opened
        .map(drop)
        .map_err(|error| Error::io("write", DROP_CACHES, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{TemporaryDir, temporary_dir};
    use std::os::unix::fs::symlink;

    fn made() -> (TemporaryDir, DataTree) {
        let dir = temporary_dir("data").unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("tree/a/b")).unwrap();
        std::fs::write(at("outside"), "secret").unwrap();
        std::fs::write(at("tree/a/b/f"), "content").unwrap();
        symlink("../../outside", at("tree/a/out")).unwrap();
        symlink("b", at("tree/a/link")).unwrap();
        let tree = DataTree::open(&Target::open(&at("tree")).unwrap()).unwrap();
        (dir, tree)
    }

    fn content(tree: &DataTree, relative: &[u8]) -> std::io::Result<String> {
        let mut buffer = [0; 64];
        let read = tree.open_file(relative)?.read(&mut buffer)?;
        Ok(String::from_utf8_lossy(&buffer[..read]).into_owned())
    }

    #[test]
    fn files_are_read_and_no_link_is_followed_by_either_way() {
        let (_dir, tree) = made();
        for walks_beneath in [true, false] {
            tree.walks_beneath.store(walks_beneath, Relaxed);
            assert_eq!(content(&tree, b"a/b/f").unwrap(), "content");
            for name in [
                &b"a/out"[..],
                b"a/link/f",
                b"../outside",
                b"a/../../outside",
            ] {
                assert!(content(&tree, name).is_err(), "{walks_beneath} {name:?}");
            }
            assert_eq!(tree.bytes_of(b"a/b/f").unwrap(), Some(7));
            assert_eq!(tree.bytes_of(b"a/b").unwrap(), None);
            assert!(tree.bytes_of(b"a/b/g").is_err());
        }
        assert!(!tree.may_set_atime(), "they are our own files");
    }

    #[test]
    fn a_directory_tells_what_is_in_it() {
        let (_dir, tree) = made();
        let mut root = tree.list().unwrap();
        let (name, kind) = root.next_entry().unwrap().unwrap();
        assert_eq!(name.to_bytes(), b"a");
        assert!(matches!(kind, EntryKind::Directory | EntryKind::Unknown));
        assert!(root.next_entry().is_none());
        let mut below = tree.enter(&root, &name).unwrap();
        assert_eq!(below.mount(), root.mount());
        let mut kinds = Vec::new();
        while let Some(entry) = below.next_entry() {
            let (name, _) = entry.unwrap();
            kinds.push((
                name.to_string_lossy().into_owned(),
                below.stat(&name).unwrap().kind,
            ));
        }
        kinds.sort_by(|a, b| a.0.cmp(&b.0));
        let wanted = [
            ("b".to_string(), EntryKind::Directory),
            ("link".into(), EntryKind::Link),
            ("out".into(), EntryKind::Link),
        ];
        assert_eq!(kinds, wanted);
        assert!(tree.enter(&below, &CString::from(c"link")).is_err());
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_does_not_hold_us_up() {
        let (dir, tree) = made();
        let path = dir.path().join("tree/pipe");
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, mode, 0).unwrap();
        let opened = tree.open_file(b"pipe").unwrap();
        assert_eq!(opened.stat().unwrap().kind, EntryKind::Special);
    }

    #[test]
    fn attributes_of_the_kernel_are_no_data() {
        let target = Target::open(Path::new("/proc/self")).unwrap();
        assert!(DataTree::open(&target).unwrap_err().is_refusal());
    }
}
