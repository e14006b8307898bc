//! Scratch space for a load. The file never has a name that outlives a call, so no way of dying leaves it behind.

use crate::files::{Access, DataFile};
use crate::{Error, Result};
use rustix::fs::{Mode, OFlags};
use std::path::Path;

/// Free space that scratch always leaves to others: 5 % of the file system, at least 256 MiB.
pub fn reserve_bytes(total_bytes: u64) -> u64 {
    (total_bytes / 20).max(256 << 20)
}

/// Makes an empty, nameless file below `dir`: with O_TMPFILE, or, where the file system has none (overlayfs of old
/// kernels, NFS, most FUSE), by unlinking it at once.
pub fn create(dir: &Path) -> Result<DataFile> {
    let mode = Mode::RUSR | Mode::WUSR;
    match rustix::fs::open(dir, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode) {
        Ok(fd) => DataFile::from_fd(fd, &dir.join("(scratch)")),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {
            create_named(dir, mode)
        }
        Err(error) => Err(Error::io("create a scratch file in", dir, error)),
    }
}

fn create_named(dir: &Path, mode: Mode) -> Result<DataFile> {
    let path = dir.join(format!(".iodyno-scratch-{}", std::process::id()));
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    let fd = rustix::fs::open(&path, flags, mode).map_err(|error| Error::io("create", &path, error))?;
    rustix::fs::unlink(&path).map_err(|error| Error::io("unlink", &path, error))?;
    DataFile::from_fd(fd, &path)
}

/// Whether the file can be opened with O_DIRECT: tmpfs and some FUSE and network file systems refuse it.
pub fn takes_direct(file: &DataFile) -> bool {
    file.reopen(Access { direct: true, ..Access::default() }).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_no_name_behind() {
        let dir = crate::files::temporary_dir("scratch").unwrap();
        let file = create(dir.path()).unwrap();
        file.write_at(&[1; 4096], 0).unwrap();
        let again = file.reopen(Access { write: true, ..Access::default() }).unwrap();
        assert_eq!(again.bytes(), 4096);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let named = create_named(dir.path(), Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(named.bytes(), 0);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_reserve_is_kept() {
        assert_eq!(reserve_bytes(0), 256 << 20);
        assert_eq!(reserve_bytes(100 << 30), 5 << 30);
    }
}
