//! Files that hold a secret: who else may read them is looked at in the file that is then read, not in its name.

use crate::{Error, Result};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The longest secret that is read, bytes: a key with all its certificates.
const SECRET_MAX: u64 = 1 << 20;

/// Who may read a file besides its owner and root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Nobody.
    Owner,
    /// A group, which may only read: such as Debian's `ssl-cert` for keys.
    Group,
    /// Anybody; or a group that may also put something else in its place.
    Others,
}

/// The content of a file, with who else may read it.
///
/// # Errors
/// When it cannot be read, or is longer than any secret.
pub fn read(path: &Path) -> Result<(Vec<u8>, Readers)> {
    let failed = |error| Error::io("read", path, error);
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.mode();
    let mut bytes = Vec::new();
    file.by_ref()
        .take(SECRET_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > SECRET_MAX {
        return Err(failed(rustix::io::Errno::FBIG.into()));
    }
    Ok((bytes, readers(mode)))
}

fn readers(mode: u32) -> Readers {
    match (mode & 0o070, mode & 0o007) {
        (0, 0) => Readers::Owner,
        (0o040, 0) => Readers::Group,
        _ => Readers::Others,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_says_who_reads() {
        assert_eq!([0o600, 0o400, 0o700].map(readers), [Readers::Owner; 3]);
        assert_eq!([0o640, 0o440].map(readers), [Readers::Group; 2]);
        assert_eq!(
            [0o644, 0o666, 0o660, 0o604, 0o602, 0o601, 0o650].map(readers),
            [Readers::Others; 7]
        );
    }

    #[test]
    fn what_is_too_long_is_no_secret() {
        let dir = crate::files::temporary_dir("secret").unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, vec![0; SECRET_MAX as usize + 1]).unwrap();
        assert_eq!(read(&path).unwrap_err().errno(), Some(libc::EFBIG));
        std::fs::write(&path, "key").unwrap();
        assert_eq!(read(&path).unwrap().0, b"key");
    }
}
