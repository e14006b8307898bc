//! What a load works on: opened once, judged by its descriptor, and opened again only through that descriptor.
//!
//! A name can stand for another object a moment later. A descriptor cannot, so nothing but the first opening uses the
//! name, and that goes by a way on which nobody else's links are followed ([`crate::walk`]).

use crate::files::{Access, DataFile, FileKind, Identity};
use crate::{Error, Result, Space, life, mounts, walk};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What makes two descriptors the same object, seen in the same mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Judged {
    kind: FileKind,
    /// Number of the file system.
    device: u64,
    inode: u64,
    /// Number of the device that the object is; 0 for one that is none.
    special: u64,
    /// Number of the mount, where the kernel tells it (Linux 5.8).
    mount: Option<u64>,
}

impl Judged {
    fn of(fd: BorrowedFd<'_>, stat: &Stat) -> Judged {
        Judged {
            kind: kind(stat),
            device: stat.st_dev,
            inode: stat.st_ino,
            special: stat.st_rdev,
            mount: mounts::number(fd),
        }
    }
}

fn kind(stat: &Stat) -> FileKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => FileKind::Directory,
        FileType::RegularFile => FileKind::File,
        FileType::BlockDevice => FileKind::BlockDevice {
            major: rustix::fs::major(stat.st_rdev),
            minor: rustix::fs::minor(stat.st_rdev),
        },
        _ => FileKind::Other,
    }
}

/// A directory, file or device that the user named.
#[derive(Debug)]
pub struct Target {
    /// Open with O_PATH: nothing is read, written or claimed by that.
    fd: OwnedFd,
    path: PathBuf,
    judged: Judged,
    foreign_names: Option<String>,
}

impl Target {
    /// Opens what is there, once. A link that somebody else made on the way is refused ([`Error::Refused`]).
    pub fn open(path: &Path) -> Result<Target> {
        let reached = walk::object("open", path)?;
        Target::held(reached.object, reached.holder, path)
    }

    /// What another process of this very program has opened, and gave this one on its standard input. The path is for messages.
    ///
    /// # Errors
    /// [`Error::Refused`] where something else has started this process.
    pub fn given(path: &Path) -> Result<Target> {
        if !life::is_started_by_ourselves() {
            let why = "only iodyno itself gives a target on the standard input";
            return Err(Error::refused("open", path, why));
        }
        let file = std::io::stdin().as_fd().try_clone_to_owned();
        let file = file.map_err(|error| Error::io("open", path, error))?;
        Target::held(file, None, path)
    }

    fn held(fd: OwnedFd, holder: Option<OwnedFd>, path: &Path) -> Result<Target> {
        let look = |error: rustix::io::Errno| Error::io("look at", path, error);
        let stat = rustix::fs::fstat(&fd).map_err(look)?;
        let judged = Judged::of(fd.as_fd(), &stat);
        let holder = holder.as_ref().map(rustix::fs::fstat);
        let holder = holder.transpose().map_err(look)?;
        Ok(Target {
            fd,
            path: path.to_path_buf(),
            judged,
            foreign_names: foreign_names(&stat, holder.as_ref()),
        })
    }

    /// The path it was opened by: for messages, and not to open anything.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is now, links resolved. Another process can move it, so that this too is for people and journals.
    pub fn resolved(&self) -> Result<PathBuf> {
        let link = format!("/proc/self/fd/{}", self.fd.as_raw_fd());
        std::fs::read_link(link).map_err(|error| Error::io("find", &self.path, error))
    }

    /// What it is.
    pub fn kind(&self) -> FileKind {
        self.judged.kind
    }

    /// Which file it is.
    pub fn identity(&self) -> Identity {
        Identity::new(self.judged.device, self.judged.inode, self.judged.special)
    }

    /// The file system it lies in, where that holds no data but attributes of the kernel: `sysfs`, `proc`. A block
    /// device is none of them wherever its node lies.
    pub fn kernel_file_system(&self) -> Option<&'static str> {
        match self.judged.kind {
            FileKind::BlockDevice { .. } => None,
            _ => mounts::of_the_kernel(self.fd.as_fd()),
        }
    }

    /// Why a file may be another user's under a name that somebody made here, a clause; none where it cannot.
    pub fn foreign_names(&self) -> Option<&str> {
        self.foreign_names.as_deref()
    }

    /// Space of the file system.
    pub fn space(&self) -> Option<Space> {
        rustix::fs::fstatvfs(&self.fd).ok().map(Space::of)
    }

    /// Whether it lives in memory (tmpfs, ramfs).
    pub fn is_in_memory(&self) -> bool {
        !matches!(self.judged.kind, FileKind::BlockDevice { .. })
            && mounts::is_memory(self.fd.as_fd())
    }

    /// Opens the file or device for reading or writing: this one, whatever its name stands for now.
    pub fn reopen(&self, access: Access) -> Result<DataFile> {
        if !matches!(
            self.judged.kind,
            FileKind::File | FileKind::BlockDevice { .. }
        ) {
            // A pipe would wait for its other end, and some devices act when they are opened.
            return Err(Error::refused(
                "open",
                &self.path,
                "it is neither a regular file nor a block device",
            ));
        }
        let fd = again(self.fd.as_fd(), access.flags(), &self.path)?;
        DataFile::from_fd(fd, &self.path)
    }
}

impl AsFd for Target {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Whoever may put names into a directory can link a file there that is not his, unless `fs.protected_hardlinks` is set.
fn foreign_names(file: &Stat, holder: Option<&Stat>) -> Option<String> {
    let is_several = kind(file) == FileKind::File && file.st_nlink > 1;
    let is_open = holder.is_none_or(walk::takes_foreign_names);
    let is_foreign = file.st_uid != rustix::process::geteuid().as_raw();
    if !is_several || !(is_open || is_foreign) {
        return None;
    }
    Some(format!(
        "it has {} names (hard links) and belongs to the user {}",
        file.st_nlink, file.st_uid
    ))
}

/// A new open file description of what a descriptor stands for. The kernel jumps to that object, and it is compared all
/// the same.
pub(crate) fn again(fd: BorrowedFd<'_>, flags: OFlags, path: &Path) -> Result<OwnedFd> {
    let failed = |error: rustix::io::Errno| Error::io("open", path, error);
    let link = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let opened = rustix::fs::open(link, flags | OFlags::CLOEXEC, Mode::empty()).map_err(failed)?;
    same(fd, opened.as_fd(), path)?;
    Ok(opened)
}

fn same(one: BorrowedFd<'_>, other: BorrowedFd<'_>, path: &Path) -> Result<()> {
    let look = |fd| rustix::fs::fstat(fd).map(|stat| Judged::of(fd, &stat));
    let failed = |error: rustix::io::Errno| Error::io("look at", path, error);
    if look(one).map_err(failed)? == look(other).map_err(failed)? {
        return Ok(());
    }
    let why =
        "what was opened is not what was judged. Is /proc the kernel's own? Nothing was written";
    Err(Error::refused("open", path, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{TemporaryDir, temporary_dir};
    use std::os::unix::fs::symlink;

    fn two_files() -> (TemporaryDir, PathBuf, PathBuf) {
        let dir = temporary_dir("target").unwrap();
        let (mine, other) = (dir.path().join("mine"), dir.path().join("other"));
        std::fs::write(&mine, [1; 4096]).unwrap();
        std::fs::write(&other, [2; 4096]).unwrap();
        (dir, mine, other)
    }

    #[test]
    fn a_name_that_is_exchanged_after_the_judgement_leads_nowhere_else() {
        let (dir, mine, other) = two_files();
        let target = Target::open(&mine).unwrap();
        let kept = dir.path().join("kept");
        std::fs::rename(&mine, &kept).unwrap();
        symlink(&other, &mine).unwrap();
        let file = target
            .reopen(Access {
                write: true,
                ..Access::default()
            })
            .unwrap();
        file.write_at(&[3; 4096], 0).unwrap();
        file.reopen(Access {
            write: true,
            ..Access::default()
        })
        .unwrap()
        .write_at(&[4; 1], 0)
        .unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), [2; 4096]);
        assert_eq!(std::fs::read(&kept).unwrap()[..2], [4, 3]);
        assert_eq!(
            target.resolved().unwrap(),
            crate::files::canonical(&kept).unwrap()
        );
    }

    #[test]
    fn another_object_is_noticed() {
        let (_dir, mine, other) = two_files();
        let (one, two) = (Target::open(&mine).unwrap(), Target::open(&other).unwrap());
        same(one.as_fd(), Target::open(&mine).unwrap().as_fd(), &mine).unwrap();
        assert!(
            same(one.as_fd(), two.as_fd(), &mine)
                .unwrap_err()
                .is_refusal()
        );
    }

    #[test]
    fn only_data_is_opened() {
        let (dir, mine, _) = two_files();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        for (path, is) in [
            (pipe.as_path(), FileKind::Other),
            (dir.path(), FileKind::Directory),
        ] {
            let target = Target::open(path).unwrap();
            assert_eq!(target.kind(), is);
            assert!(target.reopen(Access::default()).unwrap_err().is_refusal());
        }
        assert_eq!(Target::open(&mine).unwrap().kernel_file_system(), None);
        assert_eq!(
            Target::open(Path::new("/proc/version"))
                .unwrap()
                .kernel_file_system(),
            Some("proc")
        );
        assert_eq!(
            Target::open(Path::new("/sys"))
                .unwrap()
                .kernel_file_system(),
            Some("sysfs")
        );
    }

    #[test]
    fn a_file_of_several_names_counts_where_others_can_add_one() {
        let (dir, mine, _) = two_files();
        let opened = || Target::open(&mine).unwrap();
        let open_to_all = dir.path().join("open");
        std::fs::create_dir(&open_to_all).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o1777);
        std::fs::set_permissions(&open_to_all, mode).unwrap();
        std::fs::hard_link(&mine, open_to_all.join("linked")).unwrap();
        assert_eq!(
            opened().foreign_names(),
            None,
            "this directory is ours alone"
        );
        let linked = Target::open(&open_to_all.join("linked")).unwrap();
        assert!(
            linked
                .foreign_names()
                .is_some_and(|why| why.contains("2 names"))
        );
        if crate::rights::is_root() {
            std::os::unix::fs::chown(&mine, Some(65_534), None).unwrap();
            assert!(
                opened()
                    .foreign_names()
                    .is_some_and(|why| why.contains("user 65534"))
            );
        }
    }
}
