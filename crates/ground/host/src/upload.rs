//! A file that somebody sends us: in a directory of its own that nobody else may enter, gone when it is dropped.
//!
//! The directory is locked for as long as its server lives, so another one can tell what a killed server left from what is
//! on its way.

use crate::{Error, Result};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Dir, FlockOperation, Mode, OFlags, flock, fstat, open, openat, unlinkat,
};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A file on its way in.
#[derive(Debug)]
pub struct Upload {
    directory: PathBuf,
    path: PathBuf,
    file: File,
    _lock: OwnedFd,
}

/// How the directories are called; 16 hexadecimal digits follow.
const PREFIX: &str = "upload-";
/// Names that are tried: one is taken back only when another server cleans up at this very moment.
const ATTEMPTS: u32 = 5;

impl Upload {
    /// An empty file of this name below a directory of ours. Only the last part of the name counts, and of that only
    /// letters, digits, `.`, `_` and `-`: nothing that somebody sends chooses a place.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(below: &Path, name: &str) -> Result<Upload> {
        let name = harmless(name);
        let mut attempt = 1;
        loop {
            match begin_once(below, &name) {
                Err(error)
                    if error.errno() == Some(Errno::NOENT.raw_os_error()) && attempt < ATTEMPTS =>
                {
                    attempt += 1
                }
                done => return done,
            }
        }
    }

    /// Removes what servers that were killed left below a directory, and gives how many uploads that were. What is not
    /// called so, belongs to another user, is a link, or belongs to a server that lives, stays.
    pub fn sweep(below: &Path) -> usize {
        let names = std::fs::read_dir(below)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name());
        let ours = names.filter(|name| name.to_str().is_some_and(is_ours));
        ours.filter(|name| remove_left(&below.join(name)).is_ok())
            .count()
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// When they cannot be written, such as for want of space.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|error| Error::io("write", &self.path, error))
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
        self.path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_dir(&self.directory);
    }
}

/// NOENT when a server that cleans up took the directory for one that was left.
fn begin_once(below: &Path, name: &str) -> Result<Upload> {
    let unique = u64::from_le_bytes(crate::random::bytes::<8>()?);
    let directory = below.join(format!("{PREFIX}{unique:016x}"));
    DirBuilder::new()
        .mode(0o700)
        .create(&directory)
        .map_err(|error| Error::io("create", &directory, error))?;
    let path = directory.join(name);
    let made = open_directory(&directory).and_then(|lock| {
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| Errno::NOENT)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&lock, name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok((File::from(file), lock))
    });
    match made {
        Ok((file, lock)) => Ok(Upload {
            directory,
            path,
            file,
            _lock: lock,
        }),
        Err(error) => {
            let _ = std::fs::remove_dir(&directory);
            Err(Error::io("create", &path, error))
        }
    }
}

fn open_directory(path: &Path) -> rustix::io::Result<OwnedFd> {
    open(
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
}

/// Whether a name is one that [`begin_once`] gives.
fn is_ours(name: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(is_digit))
}

/// Removes a directory of ours and the files in it, none of which is a directory.
fn remove_left(path: &Path) -> rustix::io::Result<()> {
    let directory = open_directory(path)?;
    if fstat(&directory)?.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Errno::PERM);
    }
    flock(&directory, FlockOperation::NonBlockingLockExclusive)?;
    for entry in Dir::read_from(&directory)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            unlinkat(&directory, entry.file_name(), AtFlags::empty())?;
        }
    }
    rustix::fs::rmdir(path)
}

/// Longest name of a file, bytes.
const NAME_MAX: usize = 100;

fn harmless(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().map(|c| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    });
    let name: String = kept.take(NAME_MAX).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() {
        "file".into()
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_chooses_no_place() {
        let named = [
            "../../etc/passwd",
            "a b;$(x).json",
            "-rf",
            "..",
            "",
            "C:\\tmp\\x.txt",
            ".hidden",
        ];
        let harmless: Vec<String> = named.into_iter().map(harmless).collect();
        assert_eq!(
            harmless,
            [
                "passwd",
                "a_b___x_.json",
                "rf",
                "file",
                "file",
                "x.txt",
                "hidden"
            ]
        );
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
    #[test]
    fn what_a_killed_server_left_is_removed_and_nothing_else() {
        let below = crate::files::temporary_dir("upload").unwrap();
        let place = |name: &str| below.path().join(name);
        let living = Upload::begin(below.path(), "run.json").unwrap();
        let left = place("upload-00112233445566aa");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("run.json"), "half").unwrap();
        for other in [
            "upload-1",
            "upload-00112233445566AA",
            "uploads",
            "upload-00112233445566ab",
        ] {
            std::fs::create_dir(place(other)).unwrap();
            std::fs::write(place(other).join("file"), "kept").unwrap();
        }
        // One with a directory in it is none of ours, and a link leads nowhere.
        std::fs::create_dir(place("upload-00112233445566ab").join("deep")).unwrap();
        std::os::unix::fs::symlink(place("uploads"), place("upload-00112233445566ac")).unwrap();
        assert_eq!(Upload::sweep(below.path()), 1);
        assert!(!left.exists() && living.path().exists() && place("upload-1/file").exists());
        assert!(place("uploads/file").exists() && place("upload-00112233445566ac").is_symlink());
        assert!(place("upload-00112233445566ab/deep").exists());
        drop(living);
        assert_eq!(Upload::sweep(&place("not there")), 0);
    }
}
