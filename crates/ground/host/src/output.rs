//! Files that iodyno writes for people: whole or not at all, and where the user said, whoever else may write there.
//!
//! The directory is found once, by a way on which nobody else's links are followed, and held open. A new file is made in
//! that very directory under a name that cannot be guessed, and gets its own name when it is whole.

use crate::{Error, Result, mounts, walk};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Directories for others to read, files for others to read; less the umask.
const SHARED_DIRECTORY: Mode = Mode::from_raw_mode(0o755);
const SHARED_FILE: Mode = Mode::from_raw_mode(0o644);
/// For its owner alone from its first moment: who opened it before could read what comes later.
const OWN_FILE: Mode = Mode::from_raw_mode(0o600);

/// Creates a directory and its parents, readable by everyone that the umask lets, writable by the owner alone.
pub fn create_dirs(path: &Path) -> Result<()> {
    walk::directory("create", path, SHARED_DIRECTORY).map(drop)
}

/// Writes a file so that a reader sees the old or the new content whole, also after a power cut.
pub fn write_atomically(path: &Path, content: &str) -> Result<()> {
    let mut file = NewFile::begin(path)?;
    file.write(content.as_bytes())?;
    file.finish(Existing::Replace)
}

/// The same, readable by this user alone.
pub fn write_secret(path: &Path, content: &str) -> Result<()> {
    let mut file = NewFile::begin_with(path, OWN_FILE)?;
    file.write(content.as_bytes())?;
    file.finish(Existing::Replace)
}

/// Writes a file that must be new, whole or not at all: one that is there is left as it is (EEXIST).
pub fn write_new(path: &Path, content: &str) -> Result<()> {
    let mut file = NewFile::begin(path)?;
    file.write(content.as_bytes())?;
    file.finish(Existing::Keep)
}

/// Makes a new file to write to; one that is there is refused.
pub fn create_new(path: &Path) -> Result<File> {
    let (dir, name) = walk::place("create", path)?;
    new_file(&dir, &name, SHARED_FILE).map_err(|error| Error::io("create", path, error))
}

/// Copies a file to one that must be new, for this user alone (mode 0600 whatever the umask).
pub fn copy_new(from: &Path, to: &Path) -> Result<()> {
    let mut source = File::open(from).map_err(|error| Error::io("open", from, error))?;
    let mut file = NewFile::begin_with(to, OWN_FILE)?;
    std::io::copy(&mut source, &mut file.file).map_err(|error| Error::io("write", to, error))?;
    file.finish(Existing::Keep)
}

/// Gives a file another name in the same file system, and waits until that is on the disk.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    let (old, old_name) = walk::place("rename", from)?;
    let (new, new_name) = walk::place("rename to", to)?;
    rustix::fs::renameat(&old, &old_name, &new, &new_name)
        .and_then(|()| sync(&new))
        .map_err(|error| Error::io("rename to", to, error))
}

/// Removes a file; one that is not there is fine.
pub fn remove(path: &Path) -> Result<()> {
    let is_gone = |error: &Error| error.errno() == Some(libc::ENOENT);
    let removed = walk::place("remove", path).and_then(|(dir, name)| {
        rustix::fs::unlinkat(&dir, &name, AtFlags::empty())
            .map_err(|error| Error::io("remove", path, error))
    });
    removed.or_else(|error| if is_gone(&error) { Ok(()) } else { Err(error) })
}

/// A directory that is held open: what is made below it is made in this one, wherever its path leads meanwhile.
#[derive(Debug)]
pub struct Folder {
    dir: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Makes a directory and its parents where they are missing, as [`create_dirs`], and holds it.
    pub fn make(path: &Path) -> Result<Folder> {
        Ok(Folder {
            dir: walk::directory("create", path, SHARED_DIRECTORY)?,
            path: path.to_path_buf(),
        })
    }

    /// Makes a directory in this one where it is missing. No link is followed, not even one of one's own.
    pub fn below(&self, name: &str) -> Result<Folder> {
        let path = self.path.join(name);
        let failed = |error: Errno| Error::io("create", &path, error);
        match rustix::fs::mkdirat(&self.dir, name, SHARED_DIRECTORY) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error)),
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = rustix::fs::openat(&self.dir, name, flags, Mode::empty()).map_err(failed)?;
        Ok(Folder { dir, path })
    }

    /// Makes a new file in it to write to; one that is there is refused.
    pub fn create_new(&self, name: &str) -> Result<File> {
        let made = new_file(&self.dir, OsStr::new(name), SHARED_FILE);
        made.map_err(|error| Error::io("create", self.path.join(name), error))
    }
}

/// What happens to a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is replaced; a link is replaced itself, and what it leads to stays.
    Replace,
    /// It stays, and the new one is given up (EEXIST).
    Keep,
}

/// A file that gets its name when it is whole; dropped before, it is gone.
#[derive(Debug)]
pub struct NewFile {
    dir: OwnedFd,
    temporary: Option<OsString>,
    path: PathBuf,
    name: OsString,
    file: File,
}

impl NewFile {
    /// Makes it empty, under another name.
    pub fn begin(path: &Path) -> Result<NewFile> {
        Self::begin_with(path, SHARED_FILE)
    }

    fn begin_with(path: &Path, mode: Mode) -> Result<NewFile> {
        let (dir, name) = walk::place("write", path)?;
        if let Some(kind) = mounts::of_the_kernel(dir.as_fd()) {
            let why = format!(
                "{kind} holds attributes of the kernel, no files. Name a file in another directory"
            );
            return Err(Error::refused("write", path, why));
        }
        let temporary = OsString::from(format!(".iodyno-{}", unguessable()?));
        let file =
            new_file(&dir, &temporary, mode).map_err(|error| Error::io("write", path, error))?;
        Ok(NewFile {
            dir,
            temporary: Some(temporary),
            path: path.to_path_buf(),
            name,
            file,
        })
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|error| Error::io("write", &self.path, error))
    }

    /// Waits until it is on the disk, and gives it its name.
    pub fn finish(mut self, existing: Existing) -> Result<()> {
        let failed = |error: Errno| Error::io("write", &self.path, error);
        self.file
            .sync_all()
            .map_err(|error| Error::io("write", &self.path, error))?;
        self.refuse_special()?;
        let Some(temporary) = self.temporary.as_ref() else {
            return Ok(());
        };
        let (dir, name) = (&self.dir, &self.name);
        match existing {
            Existing::Replace => rustix::fs::renameat(dir, temporary, dir, name),
            Existing::Keep => rename_new(dir, temporary, name),
        }
        .map_err(failed)?;
        let synced = sync(&self.dir).map_err(failed);
        self.temporary = None;
        synced
    }

    /// A file never takes the place of a device, a pipe or a directory, nor of a link to one (`/dev/stdout`).
    fn refuse_special(&self) -> Result<()> {
        let there =
            |flags| rustix::fs::statat(&self.dir, &self.name, flags).map(|stat| stat.st_mode);
        let is_special = |mode: rustix::io::Result<_>| {
            mode.is_ok_and(|mode| !matches!(FileType::from_raw_mode(mode), FileType::RegularFile))
        };
        // With links followed: one that leads nowhere may be replaced.
        if is_special(there(AtFlags::empty())) {
            return Err(Error::refused(
                "write",
                &self.path,
                "it is no regular file. Name another one",
            ));
        }
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = rustix::fs::unlinkat(&self.dir, temporary, AtFlags::empty());
        }
    }
}

/// Renames to a name that is free. Some file systems have no such renaming but links (NFS), others no links (FAT).
pub(crate) fn rename_new(dir: &OwnedFd, from: &OsStr, to: &OsStr) -> rustix::io::Result<()> {
    match rustix::fs::renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            rustix::fs::linkat(dir, from, dir, to, AtFlags::empty())?;
            rustix::fs::unlinkat(dir, from, AtFlags::empty())
        }
        done => done,
    }
}

fn new_file(dir: &OwnedFd, name: &OsStr, mode: Mode) -> rustix::io::Result<File> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, mode).map(File::from)
}

/// Part of a name that nobody can lay in the way beforehand.
pub(crate) fn unguessable() -> Result<String> {
    Ok(format!(
        "{:016x}",
        u64::from_le_bytes(crate::random::bytes::<8>()?)
    ))
}

/// Waits until a directory's names are on the disk. One opened with O_PATH cannot be synced itself.
pub(crate) fn sync(dir: &OwnedFd) -> rustix::io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::fsync(rustix::fs::openat(dir, ".", flags, Mode::empty())?)
}

/// A directory of its own, removed when dropped.
#[derive(Debug)]
pub struct TemporaryDir(PathBuf);

impl TemporaryDir {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a temporary directory below the system's own, for this user alone.
pub fn temporary_dir(label: &str) -> Result<TemporaryDir> {
    temporary_dir_in(&std::env::temp_dir(), label)
}

/// Makes a temporary directory below another, for this user alone.
pub fn temporary_dir_in(parent: &Path, label: &str) -> Result<TemporaryDir> {
    let path = parent.join(format!("iodyno-{label}-{}", unguessable()?));
    let (dir, name) = walk::place("create", &path)?;
    rustix::fs::mkdirat(&dir, &name, Mode::RWXU)
        .map_err(|error| Error::io("create", &path, error))?;
    Ok(TemporaryDir(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::read_text;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(dir: &Path) -> Vec<String> {
        crate::Host::live().list(&dir.to_string_lossy())
    }

    #[test]
    fn a_secret_is_readable_by_nobody_else_whatever_was_there() {
        let dir = temporary_dir("secret").unwrap();
        let path = dir.path().join("address");
        write_atomically(&path, "old\n").unwrap();
        write_secret(&path, "new\n").unwrap();
        assert_eq!(read_text(&path).unwrap(), "new\n");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_atomic_write_replaces_whole_and_a_new_one_nothing() {
        let dir = temporary_dir("output").unwrap();
        let path = dir.path().join("x.conf");
        write_new(&path, "one\n").unwrap();
        assert_eq!(
            write_new(&path, "never\n").unwrap_err().errno(),
            Some(libc::EEXIST)
        );
        assert_eq!(read_text(&path).unwrap(), "one\n");
        write_atomically(&path, "two\n").unwrap();
        assert_eq!(read_text(&path).unwrap(), "two\n");
        assert_eq!(names(dir.path()), ["x.conf"], "nothing else is left");
        drop(NewFile::begin(&path).unwrap());
        copy_new(&path, &dir.path().join("copy")).unwrap();
        rename(&path, &dir.path().join("moved")).unwrap();
        assert_eq!(names(dir.path()), ["copy", "moved"]);
        remove(&dir.path().join("moved")).unwrap();
        remove(&dir.path().join("moved")).unwrap();
        remove(&dir.path().join("none/moved")).unwrap();
        assert_eq!(names(dir.path()), ["copy"]);
    }

    #[test]
    fn a_link_in_the_place_is_replaced_and_not_followed() {
        let dir = temporary_dir("output").unwrap();
        let (link, other) = (dir.path().join("link"), dir.path().join("other"));
        std::fs::write(&other, "theirs").unwrap();
        symlink(&other, &link).unwrap();
        write_atomically(&link, "mine").unwrap();
        assert_eq!(
            (read_text(&link).unwrap(), read_text(&other).unwrap()),
            ("mine".into(), "theirs".into())
        );
        symlink("/dev/null", dir.path().join("null")).unwrap();
        assert!(
            write_atomically(&dir.path().join("null"), "x")
                .unwrap_err()
                .is_refusal()
        );
        std::fs::create_dir(dir.path().join("below")).unwrap();
        assert!(
            write_atomically(&dir.path().join("below"), "x")
                .unwrap_err()
                .is_refusal()
        );
        assert_eq!(names(dir.path()), ["below", "link", "null", "other"]);
        assert!(
            write_atomically(Path::new("/proc/iodyno"), "x")
                .unwrap_err()
                .is_refusal()
        );
    }

    #[test]
    fn a_folder_stays_the_same_one() {
        let dir = temporary_dir("output").unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        let folder = Folder::make(&here.join("a")).unwrap();
        std::fs::create_dir_all(there.join("a")).unwrap();
        std::fs::rename(&here, dir.path().join("kept")).unwrap();
        symlink(&there, &here).unwrap();
        let mut file = folder.below("b").unwrap().create_new("f").unwrap();
        file.write_all(b"x").unwrap();
        assert!(folder.below("b").unwrap().create_new("f").is_err());
        assert_eq!(names(&there.join("a")), [""; 0]);
        assert_eq!(names(&dir.path().join("kept/a/b")), ["f"]);
    }

    #[test]
    fn a_temporary_directory_is_for_one_user() {
        let dir = temporary_dir("output").unwrap();
        assert_eq!(
            std::fs::metadata(dir.path()).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }
}
