//! A file that somebody sends us: in a directory of its own that nobody else may enter, gone when it is dropped.

use crate::{Error, Result};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file on its way in.
#[derive(Debug)]
pub struct Upload {
    directory: PathBuf,
    path: PathBuf,
    file: File,
}

impl Upload {
    /// An empty file of this name below a directory of ours. Only the last part of the name counts, and of that only
    /// letters, digits, `.`, `_` and `-`: nothing that somebody sends chooses a place.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(below: &Path, name: &str) -> Result<Upload> {
        let unique = u64::from_le_bytes(crate::random::bytes::<8>()?);
        let directory = below.join(format!("upload-{unique:016x}"));
        DirBuilder::new()
            .mode(0o700)
            .create(&directory)
            .map_err(|error| Error::io("create", &directory, error))?;
        let path = directory.join(harmless(name));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => Ok(Upload { directory, path, file }),
            Err(error) => {
                let _ = std::fs::remove_dir(&directory);
                Err(Error::io("create", &path, error))
            }
        }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// When they cannot be written, such as for want of space.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io("write", &self.path, error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that holds nothing else.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its name there.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_dir(&self.directory);
    }
}

/// Longest name of a file, bytes.
const NAME_MAX: usize = 100;

fn harmless(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' });
    let name: String = kept.take(NAME_MAX).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "file".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_chooses_no_place() {
        let named = ["../../etc/passwd", "a b;$(x).json", "-rf", "..", "", "C:\\tmp\\x.txt", ".hidden"];
        let harmless: Vec<String> = named.into_iter().map(harmless).collect();
        assert_eq!(harmless, ["passwd", "a_b___x_.json", "rf", "file", "file", "x.txt", "hidden"]);
    }

    #[test]
    fn it_is_gone_when_it_is_dropped() {
        let below = crate::files::temporary_dir("upload").unwrap();
        let mut upload = Upload::begin(below.path(), "run.json").unwrap();
        upload.write(b"one").unwrap();
        assert_eq!(std::fs::read(upload.path()).unwrap(), b"one");
        drop(upload);
        assert_eq!(std::fs::read_dir(below.path()).unwrap().count(), 0);
    }
}
