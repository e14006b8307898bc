//! Scratch space for a load. The file never has a name that outlives a call, so no way of dying leaves it behind.

use crate::files::{Access, DataFile};
use crate::{Error, Result, Target, output};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::sync::OnceLock;

/// What the user wants to be left, in place of the usual.
static ASKED_BYTES: OnceLock<u64> = OnceLock::new();

/// Has scratch of this process leave so much to others from now on. The first call counts.
pub fn keep_free(bytes: u64) {
    ASKED_BYTES.get_or_init(|| bytes);
}

/// Free space that scratch leaves to others: what was asked for, else 5 % of the file system, at least 256 MiB.
pub fn reserve_bytes(total_bytes: u64) -> u64 {
    let usual = (total_bytes / 20).max(256 << 20);
    ASKED_BYTES.get().copied().unwrap_or(usual)
}

/// Makes an empty, nameless file in a directory: with O_TMPFILE, or, where the file system has none (overlayfs of old
/// kernels, NFS, most FUSE), by unlinking it at once. The directory is the one that was opened, whatever its path leads
/// to by now.
pub fn create(dir: &Target) -> Result<DataFile> {
    let mode = Mode::RUSR | Mode::WUSR;
    match rustix::fs::openat(
        dir,
        ".",
        OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC,
        mode,
    ) {
        Ok(fd) => DataFile::from_fd(fd, &dir.path().join("(scratch)")),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {
            create_named(dir, mode)
        }
        Err(error) => Err(Error::io("create a scratch file in", dir.path(), error)),
    }
}

fn create_named(dir: &Target, mode: Mode) -> Result<DataFile> {
    let name = format!(".iodyno-scratch-{}", output::unguessable()?);
    let path = dir.path().join(&name);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(dir, &name, flags, mode)
        .map_err(|error| Error::io("create", &path, error))?;
    rustix::fs::unlinkat(dir, &name, AtFlags::empty())
        .map_err(|error| Error::io("unlink", &path, error))?;
    DataFile::from_fd(fd, &path)
}

/// Whether the file can be opened with O_DIRECT: tmpfs and some FUSE and network file systems refuse it.
pub fn takes_direct(file: &DataFile) -> bool {
    file.reopen(Access {
        direct: true,
        ..Access::default()
    })
    .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_no_name_behind() {
        let dir = crate::files::temporary_dir("scratch").unwrap();
        let target = Target::open(dir.path()).unwrap();
        let file = create(&target).unwrap();
        file.write_at(&[1; 4096], 0).unwrap();
        let again = file
            .reopen(Access {
                write: true,
                ..Access::default()
            })
            .unwrap();
        assert_eq!(again.bytes(), 4096);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let named = create_named(&target, Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(named.bytes(), 0);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn it_is_made_in_the_directory_that_was_opened() {
        let dir = crate::files::temporary_dir("scratch").unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        std::fs::create_dir(&here).unwrap();
        std::fs::create_dir(&there).unwrap();
        let target = Target::open(&here).unwrap();
        std::fs::remove_dir(&here).unwrap();
        std::os::unix::fs::symlink(&there, &here).unwrap();
        // The directory is gone, and nothing is made in what has its name now.
        create(&target).unwrap_err();
        create_named(&target, Mode::RUSR | Mode::WUSR).unwrap_err();
    }

    #[test]
    fn the_reserve_is_kept() {
        assert_eq!(reserve_bytes(0), 256 << 20);
        assert_eq!(reserve_bytes(100 << 30), 5 << 30);
    }
}
