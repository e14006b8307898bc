//! Files and directories that only this user may change: the state directory, journals, locks. What is read from them is
//! believed, so owner and modes are checked first, and no link is followed.

use crate::fault::{self, FaultStep};
use crate::{Error, Result};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, RenameFlags, flock};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// Bits that let somebody else write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The most that is read of one file, bytes: no journal comes near it.
const READ_MAX_BYTES: u64 = 64 << 20;

/// Makes a directory that is ours alone (mode 0700 whatever the umask), its missing parents with mode 0755, and checks
/// one that is there.
///
/// # Errors
/// [`Error::Untrusted`] when somebody else owns it or may write to it.
pub fn ensure(dir: &Path) -> Result<()> {
    if check(dir)? {
        return Ok(());
    }
    let failed = |error: std::io::Error| Error::io("create", dir, error);
    if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(parent)
            .map_err(failed)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        // Another iodyno was quicker.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        made => {
            made.map_err(failed)?;
            // A strict umask would lock us out of our own directory.
            std::fs::set_permissions(dir, PermissionsExt::from_mode(0o700)).map_err(failed)?;
        }
    }
    check(dir).map(|_| ())
}

/// Whether a directory is there that only this user, or root, may change; false where nothing is.
///
/// # Errors
/// [`Error::Untrusted`] when somebody else owns it or may write to it.
pub fn check(dir: &Path) -> Result<bool> {
    open_dir(dir).map(|opened| opened.is_some())
}

/// A directory that nobody else may change, locked for this process while this lives.
#[derive(Debug)]
pub struct LockedDir {
    _file: File,
}

/// Locks such a directory; none where another process has it.
///
/// # Errors
/// See [`check`]; when it is not there, or cannot be locked.
pub fn lock_dir(dir: &Path) -> Result<Option<LockedDir>> {
    let missing = || Error::io("open", dir, rustix::io::Errno::NOENT);
    let file = open_dir(dir)?.ok_or_else(missing)?;
    let is_ours = try_lock(&file, dir).map_err(|error| Error::io("lock", dir, error))?;
    Ok(is_ours.then_some(LockedDir { _file: file }))
}

/// Text of a file that only this user, or root, may change; none where nothing is.
///
/// # Errors
/// [`Error::Untrusted`] when it is something else, or somebody else's; when it cannot be read.
pub fn text(path: &Path) -> Result<Option<String>> {
    let Some(file) = open(path)? else {
        return Ok(None);
    };
    let bytes = read(&file, path).map_err(|error| Error::io("read", path, error))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn open_dir(dir: &Path) -> Result<Option<File>> {
    if dir.as_os_str().is_empty() {
        return Err(Error::NoStateDir);
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let opened = match rustix::fs::open(dir, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            return Err(Error::untrusted(
                dir,
                "it is a symbolic link or no directory; name the directory itself",
            ));
        }
        opened => opened.map_err(|error| Error::io("open", dir, error))?,
    };
    let file = File::from(opened);
    trusted(&file, dir, 0o700).map(|_| Some(file))
}

/// Whether owner and mode let nobody else change what is open. `cure` is the mode to recommend.
fn trusted(file: &File, path: &Path, cure: u32) -> Result<std::fs::Metadata> {
    let metadata = file
        .metadata()
        .map_err(|error| Error::io("look at", path, error))?;
    let us = rustix::process::geteuid().as_raw();
    if metadata.uid() != us && metadata.uid() != 0 {
        let owner = metadata.uid();
        return Err(Error::untrusted(
            path,
            format!("user {owner} owns it, and this is user {us}"),
        ));
    }
    if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        let mode = metadata.mode() & 0o7777;
        let why = format!(
            "others may write to it (mode {mode:o}); if nobody did: chmod {cure:o} {}",
            path.display()
        );
        return Err(Error::untrusted(path, why));
    }
    Ok(metadata)
}

/// Makes a new file for this user alone (mode 0600 whatever the umask); one that is there is an error, and so is a link.
pub(crate) fn create(path: &Path) -> std::io::Result<File> {
    fault::at(FaultStep::Create, path)?;
    let flags = OFlags::CREATE
        | OFlags::EXCL
        | OFlags::NOFOLLOW
        | OFlags::RDWR
        | OFlags::APPEND
        | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    file.set_permissions(PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Opens a regular file that only this user, or root, may change; none where nothing is. A FIFO is not waited for.
///
/// # Errors
/// [`Error::Untrusted`] when it is something else, or somebody else's.
pub(crate) fn open(path: &Path) -> Result<Option<File>> {
    let failed = |error: std::io::Error| Error::io("open", path, error);
    fault::at(FaultStep::Open, path).map_err(failed)?;
    let with = |access: OFlags| {
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
    };
    // Whoever may only read is still told what the file says.
    let opened = with(OFlags::RDWR | OFlags::APPEND).or_else(|error| match error {
        rustix::io::Errno::ACCESS | rustix::io::Errno::ROFS => with(OFlags::RDONLY),
        error => Err(error),
    });
    let file = match opened {
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => {
            return Err(Error::untrusted(path, "it is a symbolic link"));
        }
        opened => File::from(opened.map_err(|error| failed(error.into()))?),
    };
    let metadata = trusted(&file, path, 0o600)?;
    if !metadata.is_file() {
        return Err(Error::untrusted(path, "it is no regular file"));
    }
    Ok(Some(file))
}

/// Reads all of an open file, from its beginning.
pub(crate) fn read(mut file: &File, path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::{Seek, SeekFrom};
    fault::at(FaultStep::Read, path)?;
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(READ_MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Appends bytes and waits until they are on the disk. After an error a part of them may be there.
pub(crate) fn append(mut file: &File, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let (torn, rest) = bytes.split_at(fault::torn_after(bytes.len()));
    file.write_all(torn)?;
    fault::at(FaultStep::Append, path)?;
    file.write_all(rest)?;
    fault::at(FaultStep::Sync, path)?;
    file.sync_data()
}

/// Cuts a file to a length.
pub(crate) fn truncate(file: &File, path: &Path, length: u64) -> std::io::Result<()> {
    fault::at(FaultStep::Truncate, path)?;
    file.set_len(length)
}

/// The bit of a file's mode that nothing else gives a file of ours (the sticky bit, which Linux ignores for files).
const MARK: u32 = 0o1000;

/// Marks a file: what it held is no longer its first line alone. Lost with the boot, if it was not written yet.
pub(crate) fn mark(file: &File, path: &Path) -> std::io::Result<()> {
    let mode = file.metadata()?.mode() & 0o7777;
    if mode & MARK != 0 {
        return Ok(());
    }
    fault::at(FaultStep::Mark, path)?;
    file.set_permissions(PermissionsExt::from_mode(mode | MARK))
}

/// Whether a file is marked.
pub(crate) fn is_marked(file: &File) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.mode() & MARK != 0)
}

/// Gives a file a name that nothing has.
pub(crate) fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    fault::at(FaultStep::Rename, to)?;
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Network and old file systems cannot; a link takes no name that is there either.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty())?;
            Ok(rustix::fs::unlink(from)?)
        }
        renamed => Ok(renamed?),
    }
}

/// Gives a file another name, whatever had it.
pub(crate) fn rename_over(from: &Path, to: &Path) -> std::io::Result<()> {
    fault::at(FaultStep::Rename, to)?;
    std::fs::rename(from, to)
}

/// Two files change their names at once; false where the file system cannot do that.
pub(crate) fn exchange(from: &Path, to: &Path) -> std::io::Result<bool> {
    fault::at(FaultStep::Rename, to)?;
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => Ok(false),
        renamed => Ok(renamed.map(|()| true)?),
    }
}

/// Removes a name; one that is gone is fine.
pub(crate) fn unlink(path: &Path) -> std::io::Result<()> {
    fault::at(FaultStep::Unlink, path)?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until the names in a directory are on the disk.
pub(crate) fn sync_dir(dir: &Path) -> std::io::Result<()> {
    fault::at(FaultStep::Sync, dir)?;
    File::open(dir)?.sync_all()
}

/// Takes the exclusive lock of an open file, if nobody has it.
pub(crate) fn try_lock(file: &File, path: &Path) -> std::io::Result<bool> {
    fault::at(FaultStep::Lock, path)?;
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        locked => locked.map(|()| true).map_err(Into::into),
    }
}

/// Takes a shared lock of an open file, if nobody has the exclusive one.
pub(crate) fn try_share(file: &File, path: &Path) -> std::io::Result<bool> {
    fault::at(FaultStep::Lock, path)?;
    match flock(file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        locked => locked.map(|()| true).map_err(Into::into),
    }
}

/// Whether an open file is on an overlay: a container's view of a file has other locks than the host's own
/// (`Documentation/filesystems/overlayfs.rst`; `f_type` of include/uapi/linux/magic.h).
pub(crate) fn is_on_overlay(file: &File) -> bool {
    const OVERLAYFS: u32 = 0x794c_7630;
    rustix::fs::fstatfs(file).is_ok_and(|stat| stat.f_type as u32 == OVERLAYFS)
}

/// Whether somebody holds the exclusive lock of an open file. Looks for a moment; nothing stays locked.
pub(crate) fn is_locked(file: &File, path: &Path) -> std::io::Result<bool> {
    fault::at(FaultStep::Lock, path)?;
    match flock(file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(true),
        locked => {
            locked?;
            flock(file, FlockOperation::Unlock)?;
            Ok(false)
        }
    }
}

/// Whether an open file still has this name: another process may have removed it or put another in its place.
pub(crate) fn is_named(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::symlink_metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::temporary_dir;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn modes_are_what_they_should_be_whatever_the_umask() {
        let dir = temporary_dir("durable").unwrap();
        // The umask belongs to the process: another test may make a file meanwhile, which harms nobody.
        let old = rustix::process::umask(Mode::empty());
        let state = dir.path().join("a/b");
        let ensured = ensure(&state);
        let made = create(&state.join("x.journal"));
        rustix::process::umask(old);
        ensured.unwrap();
        made.unwrap();
        assert_eq!((mode(&state), mode(&dir.path().join("a"))), (0o700, 0o755));
        assert_eq!(mode(&state.join("x.journal")), 0o600);
    }

    #[test]
    fn what_others_may_change_is_not_believed() {
        let dir = temporary_dir("durable").unwrap();
        let state = dir.path().join("state");
        assert!(!check(&state).unwrap(), "nothing is there");
        ensure(&state).unwrap();
        for open in [0o777, 0o770, 0o702] {
            std::fs::set_permissions(&state, PermissionsExt::from_mode(open)).unwrap();
            let error = check(&state).unwrap_err().to_string();
            assert!(error.contains("chmod 700"), "{error}");
            assert!(ensure(&state).is_err());
        }
        std::fs::set_permissions(&state, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(check(&state).unwrap());
        let link = dir.path().join("link");
        symlink(&state, &link).unwrap();
        assert!(
            check(&link)
                .unwrap_err()
                .to_string()
                .contains("symbolic link")
        );
        assert!(matches!(ensure(Path::new("")), Err(Error::NoStateDir)));
    }

    #[test]
    fn only_a_regular_file_of_ours_is_read_and_a_fifo_is_not_waited_for() {
        let dir = temporary_dir("durable").unwrap();
        let path = dir.path().join("a.journal");
        assert!(open(&path).unwrap().is_none());
        create(&path).unwrap();
        assert!(open(&path).unwrap().is_some());
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(matches!(open(&path), Err(Error::Untrusted { .. })));
        let fifo = dir.path().join("b.journal");
        rustix::fs::mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR).unwrap();
        assert!(
            open(&fifo)
                .unwrap_err()
                .to_string()
                .contains("no regular file")
        );
        let link = dir.path().join("c.journal");
        symlink(&path, &link).unwrap();
        assert!(
            open(&link)
                .unwrap_err()
                .to_string()
                .contains("symbolic link")
        );
    }

    #[test]
    fn a_new_name_takes_nobodys_place() {
        let dir = temporary_dir("durable").unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        append(&create(&one).unwrap(), &one, b"1").unwrap();
        append(&create(&two).unwrap(), &two, b"2").unwrap();
        assert_eq!(
            rename_new(&one, &two).unwrap_err().kind(),
            std::io::ErrorKind::AlreadyExists
        );
        assert_eq!(std::fs::read(&two).unwrap(), b"2");
    }
}
