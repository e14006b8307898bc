//! Files that nobody but their owner reads, whatever the umask says.

use crate::{Error, Result, durable};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// What others may do to a file.
const OTHERS: u32 = 0o077;

/// Makes an empty file of mode 0600 where none is; takes others' rights from one of ours that has them. A file of
/// somebody else's, or one that is no regular file, stays as it is: whoever opens it says what is wrong with it.
///
/// # Errors
/// When it cannot be made or its mode cannot be changed.
pub fn ensure(path: &Path) -> Result<()> {
    match durable::create(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => tighten(path),
        Err(error) => Err(Error::io("create", path, error)),
    }
}

/// Takes others' rights from a regular file of ours; one that is not there is fine.
///
/// # Errors
/// When its mode cannot be changed.
pub fn tighten(path: &Path) -> Result<()> {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return Ok(());
    };
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_file() || !is_ours || metadata.mode() & OTHERS == 0 {
        return Ok(());
    }
    let own = std::fs::Permissions::from_mode(metadata.mode() & 0o700);
    match std::fs::set_permissions(path, own) {
        // Nothing can be changed there, and nothing will be written there either.
        Err(error) if error.raw_os_error() == Some(libc::EROFS) => Ok(()),
        changed => changed.map_err(|error| Error::io("take others' rights from", path, error)),
    }
}

/// Writes a new file of mode 0600 whole and waits until it is on the disk. One that is there is refused, also a link that
/// leads nowhere. What could not be written whole is removed.
///
/// # Errors
/// When it is there already, or cannot be made or written.
pub fn write_new(path: &Path, content: &[u8]) -> Result<()> {
    let mut file = durable::create(path).map_err(|error| Error::io("create", path, error))?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .map_err(|error| {
            let _ = std::fs::remove_file(path);
            Error::io("write", path, error)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::temporary_dir;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn others_read_neither_a_new_file_nor_an_old_one() {
        let dir = temporary_dir("private").unwrap();
        let path = dir.path().join("new");
        ensure(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        let old = dir.path().join("old");
        std::fs::write(&old, "kept").unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o644)).unwrap();
        ensure(&old).unwrap();
        assert_eq!(
            (mode(&old), std::fs::read_to_string(&old).unwrap().as_str()),
            (0o600, "kept")
        );
        assert!(write_new(&old, b"").is_err());
        std::os::unix::fs::symlink("/nowhere/at/all", dir.path().join("link")).unwrap();
        assert!(write_new(&dir.path().join("link"), b"").is_err());
        assert!(tighten(&dir.path().join("none")).is_ok());
    }
}
