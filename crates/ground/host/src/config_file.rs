//! Small configuration files, read and replaced whole: bytes, owner and mode.

use crate::{Error, Result, durable};
use model::change::FileContent;
use rustix::fs::{Mode, OFlags};
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The largest that is read, bytes: what iodyno writes has a few lines.
const MOST_BYTES: u64 = 1 << 20;
/// Ending of the name under which the new content is written.
const NEW: &str = ".iodyno-new";

/// A regular file as it is; none where nothing is.
///
/// # Errors
/// For anything but a regular file of at most 1 MiB: a link is not followed, a FIFO is not waited for.
pub fn read_whole(path: &Path) -> Result<Option<FileContent>> {
    let failed = |error: std::io::Error| Error::io("read", path, error);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        opened => File::from(opened.map_err(|error| failed(error.into()))?),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(failed(std::io::Error::other(
            "it is no regular file of at most 1 MiB",
        )));
    }
    let bytes = durable::read(&file, path).map_err(failed)?;
    Ok(Some(FileContent::new(
        &bytes,
        metadata.mode() & 0o7777,
        (metadata.uid(), metadata.gid()),
    )))
}

/// Makes the directory of a file that is about to be written, in one that is there.
pub(crate) fn make_directory(directory: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().mode(0o755).create(directory);
    let synced = made.and_then(|()| durable::sync_dir(directory.parent().unwrap_or(directory)));
    synced.map_err(|error| Error::io("create", directory, error))
}

/// Removes the directory of a file where nothing else is in it.
pub(crate) fn remove_empty_directory_of(path: &Path) {
    // One with files of others stays, which is no failure.
    if let Some(directory) = path.parent() {
        let _ = std::fs::remove_dir(directory);
    }
}

/// Puts a file in place whole: a reader sees the old or the new one, also after a power cut. What is there at that moment has to be
/// what is `expected`, none for a new file: whatever somebody wrote meanwhile stays.
///
/// # Errors
/// Also where something else is there, or the file has several names, of which the others would keep the old content.
pub fn replace(path: &Path, content: &FileContent, expected: Option<&FileContent>) -> Result<()> {
    let new = beside(path);
    let write = || -> std::io::Result<()> {
        if expected.is_some() && std::fs::symlink_metadata(path)?.nlink() > 1 {
            let why =
                "it has several names (hard links), and the others would keep the old content";
            return Err(std::io::Error::other(why));
        }
        // What a death has left.
        durable::unlink(&new)?;
        let file = durable::create(&new)?;
        let bytes = content
            .bytes()
            .ok_or_else(|| std::io::Error::other("its saved content is damaged"))?;
        durable::append(&file, &new, &bytes)?;
        let metadata = file.metadata()?;
        if (metadata.uid(), metadata.gid()) != (content.uid, content.gid) {
            std::os::unix::fs::fchown(&file, Some(content.uid), Some(content.gid))?;
        }
        file.set_permissions(PermissionsExt::from_mode(content.mode))?;
        file.sync_all()?;
        match expected {
            None => durable::rename_new(&new, path)?,
            Some(expected) => exchange(&new, path, expected)?,
        }
        durable::sync_dir(path.parent().unwrap_or(Path::new("/")))
    };
    write().map_err(|error| {
        let _ = durable::unlink(&new);
        Error::io("write", path, error)
    })
}

/// Gives a new file the name of one that is as expected, and removes that. The two change places at once, so that what was there at that
/// very moment is looked at; where it is something else they change back.
fn exchange(new: &Path, path: &Path, expected: &FileContent) -> std::io::Result<()> {
    let must_be = |place: &Path| -> std::io::Result<()> {
        let found = read_whole(place).map_err(std::io::Error::other)?;
        match found.as_ref() == Some(expected) {
            true => Ok(()),
            false => Err(std::io::Error::other(
                "it has changed since the change was shown, and stays as it is",
            )),
        }
    };
    must_be(path)?;
    if !durable::exchange(new, path)? {
        // A file system that cannot: the look before has to do.
        return durable::rename_over(new, path);
    }
    if let Err(error) = must_be(new) {
        durable::exchange(new, path)?;
        return Err(error);
    }
    durable::unlink(new)
}

/// Removes a file; one that is gone is fine.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let remove = || {
        durable::unlink(path)?;
        durable::sync_dir(path.parent().unwrap_or(Path::new("/")))
    };
    remove().map_err(|error| Error::io("remove", path, error))
}

/// Removes what a death has left of a new content.
pub(crate) fn remove_unborn(path: &Path) -> Result<()> {
    let new = beside(path);
    durable::unlink(&new).map_err(|error| Error::io("remove", &new, error))
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(NEW);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_owner_and_mode_come_back() {
        let dir = crate::files::temporary_dir("config").unwrap();
        let path = dir.path().join("99-x.rules");
        assert_eq!(read_whole(&path).unwrap(), None);
        std::fs::write(&path, b"\xff\x00old\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let is_root = crate::rights::is_root();
        if is_root {
            std::os::unix::fs::chown(&path, Some(1000), Some(1000)).unwrap();
        }
        let old = read_whole(&path).unwrap().unwrap();
        assert_eq!((old.mode, is_root && old.uid != 1000), (0o640, false));
        let new = FileContent::new(b"new\n", 0o644, (old.uid, old.gid));
        replace(&path, &new, Some(&old)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new\n");
        replace(&path, &old, Some(&new)).unwrap();
        assert_eq!(read_whole(&path).unwrap(), Some(old));
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }

    /// What an admin wrote between the look and the change is his.
    #[test]
    fn what_is_not_as_it_was_shown_stays() {
        let dir = crate::files::temporary_dir("config").unwrap();
        let path = dir.path().join("fstab");
        let us = |bytes: &[u8]| {
            let uid = rustix::process::geteuid().as_raw();
            FileContent::new(bytes, 0o644, (uid, rustix::process::getegid().as_raw()))
        };
        let (shown, ours) = (us(b"shown\n"), us(b"ours\n"));
        replace(&path, &shown, None).unwrap();
        let refused = replace(&path, &ours, None).unwrap_err();
        assert!(refused.to_string().contains("exists"), "{refused}");
        std::fs::write(&path, b"shown\nhis\n").unwrap();
        let refused = replace(&path, &ours, Some(&shown)).unwrap_err();
        assert!(refused.to_string().contains("has changed"), "{refused}");
        // At the very moment of the change.
        let new = dir.path().join("new");
        std::fs::write(&new, b"ours\n").unwrap();
        exchange(&new, &path, &shown).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"shown\nhis\n");
        std::fs::write(&path, b"shown\n").unwrap();
        std::fs::hard_link(&path, dir.path().join("other")).unwrap();
        let refused = replace(&path, &ours, Some(&shown)).unwrap_err();
        assert!(refused.to_string().contains("several names"), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), b"shown\n");
    }
}
