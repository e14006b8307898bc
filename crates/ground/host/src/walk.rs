//! The way to a path, name by name, so that nobody else decides where it ends.
//!
//! The kernel follows a symbolic link whoever planted it: root who names a file in a user's directory could be led to any
//! file of the machine. So each name is opened by itself, below the directory that was opened before it, and a link is
//! followed only where root or this user made it. That is the idea of `fs.protected_symlinks` (proc_sys_fs(5)), for every
//! directory and not for sticky ones alone.

use crate::{Error, Result, mounts};
use rustix::fs::{FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Paths on which no link at all is followed, whoever made it: see [`without_links`].
static WITHOUT_LINKS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Follows no link on the way to a path any more. It had none when it was found, and who may write there may be root in a
/// container, whose links look like root's own.
pub(crate) fn without_links(path: &Path) {
    let mut paths = WITHOUT_LINKS.lock().unwrap_or_else(PoisonError::into_inner);
    paths.push(path.to_path_buf());
}

/// Links on one way, as in the kernel (`MAXSYMLINKS`).
const MOST_LINKS: u32 = 40;

const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What lies at the end of a way, both open with O_PATH.
#[derive(Debug)]
pub(crate) struct Reached {
    /// The object.
    pub object: OwnedFd,
    /// The directory that holds its name; none where the way ended in `/`, `.` or `..`.
    pub holder: Option<OwnedFd>,
}

/// Follows a path to what is there.
pub(crate) fn object(action: &'static str, path: &Path) -> Result<Reached> {
    Walk::begin(action, path, None)?.finish()
}

/// Follows a path to a directory, and makes what is missing of it with this mode, less the umask.
pub(crate) fn directory(action: &'static str, path: &Path, mode: Mode) -> Result<OwnedFd> {
    let mut walk = Walk::begin(action, path, Some(mode))?;
    walk.is_directory = true;
    Ok(walk.finish()?.object)
}

/// Follows a path to the directory in which its last name lies or will lie; that name itself is not looked at.
pub(crate) fn place(action: &'static str, path: &Path) -> Result<(OwnedFd, OsString)> {
    let mut walk = Walk::begin(action, path, None)?;
    // The rest is kept backwards: the last name of the path is the first.
    if walk.rest.first().is_none_or(|name| name == "..") || walk.is_directory {
        return Err(walk.failed(Errno::ISDIR));
    }
    let name = walk.rest.remove(0);
    walk.is_directory = true;
    Ok((walk.finish()?.object, name))
}

/// Whether users other than root and this one may put names into a directory.
pub(crate) fn takes_foreign_names(directory: &Stat) -> bool {
    const OTHERS_WRITE: RawMode = 0o022;
    !is_trusted(directory.st_uid) || directory.st_mode & OTHERS_WRITE != 0
}

/// The first directory from the root down to a path without links in which users other than root and this one can exchange what leads
/// to it. In one that is sticky, as /tmp, a name is exchanged by the owner of what it names alone; what is not there yet, by anybody.
pub(crate) fn open_to_others(path: &Path) -> Result<Option<PathBuf>> {
    let mut ways: Vec<&Path> = path.ancestors().collect();
    ways.reverse();
    for way in ways.windows(2) {
        let (directory, next) = (way[0], way[1]);
        let found = object("look at", directory)?.object;
        let stat = rustix::fs::fstat(&found);
        let stat = stat.map_err(|error| Error::io("look at", directory, error))?;
        let is_kept = || {
            let owner = rustix::fs::lstat(next).map(|next| next.st_uid);
            stat.st_mode & Mode::SVTX.bits() != 0 && owner.is_ok_and(is_trusted)
        };
        if !is_trusted(stat.st_uid) || takes_foreign_names(&stat) && !is_kept() {
            return Ok(Some(directory.into()));
        }
    }
    Ok(None)
}

/// Whether names of this owner lead where root or this user wanted.
pub(crate) fn is_trusted(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

struct Walk<'a> {
    action: &'static str,
    path: &'a Path,
    /// Where the walk is.
    here: OwnedFd,
    /// The same for people.
    shown: PathBuf,
    /// What is still to be walked, backwards.
    rest: Vec<OsString>,
    /// Whether what is at the end has to be a directory, as a slash at the end says.
    is_directory: bool,
    links: u32,
    /// Makes missing directories with this mode.
    make: Option<Mode>,
}

impl<'a> Walk<'a> {
    fn begin(action: &'static str, path: &'a Path, make: Option<Mode>) -> Result<Walk<'a>> {
        let failed = |error: Errno| Error::io(action, path, error);
        if path.as_os_str().is_empty() {
            return Err(failed(Errno::NOENT));
        }
        let start = if path.is_absolute() { "/" } else { "." };
        let here = rustix::fs::open(start, DIRECTORY, Mode::empty()).map_err(failed)?;
        let shown = if path.is_absolute() {
            PathBuf::from("/")
        } else {
            PathBuf::new()
        };
        let mut walk = Walk {
            action,
            path,
            here,
            shown,
            rest: Vec::new(),
            is_directory: false,
            links: 0,
            make,
        };
        walk.add(path.as_os_str());
        Ok(walk)
    }

    /// Puts the names of a path before what is still to be walked.
    fn add(&mut self, path: &OsStr) {
        let bytes = path.as_bytes();
        if self.rest.is_empty() {
            self.is_directory |= bytes.ends_with(b"/") || bytes.ends_with(b"/.");
        }
        let names = bytes
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty() && *name != b".");
        self.rest.extend(
            names
                .rev()
                .map(|name| OsStr::from_bytes(name).to_os_string()),
        );
    }

    fn finish(mut self) -> Result<Reached> {
        let mut holder = None;
        while let Some(name) = self.rest.pop() {
            let next = if name == ".." {
                self.up()?
            } else {
                self.one(&name)?
            };
            let Some(next) = next else {
                holder = None;
                continue;
            };
            let stat = rustix::fs::fstat(&next).map_err(|error| self.failed(error))?;
            if !FileType::from_raw_mode(stat.st_mode).is_dir()
                && (!self.rest.is_empty() || self.is_directory)
            {
                return Err(self.failed(Errno::NOTDIR));
            }
            let before = std::mem::replace(&mut self.here, next);
            holder = (name != "..").then_some(before);
        }
        Ok(Reached {
            object: self.here,
            holder,
        })
    }

    fn up(&mut self) -> Result<Option<OwnedFd>> {
        self.shown.push("..");
        rustix::fs::openat(&self.here, "..", DIRECTORY, Mode::empty())
            .map(Some)
            .map_err(|error| self.failed(error))
    }

    /// Opens one name; none where it was a link, whose own names are walked next.
    fn one(&mut self, name: &OsStr) -> Result<Option<OwnedFd>> {
        let found = match (look(self.here.as_fd(), name), self.make) {
            (Err(Errno::NOENT), Some(mode)) => match rustix::fs::mkdirat(&self.here, name, mode) {
                Ok(()) | Err(Errno::EXIST) => look(self.here.as_fd(), name),
                Err(error) => Err(error),
            },
            (found, _) => found,
        };
        let found = found.map_err(|error| self.failed(error))?;
        let stat = rustix::fs::fstat(&found).map_err(|error| self.failed(error))?;
        if !FileType::from_raw_mode(stat.st_mode).is_symlink() {
            self.shown.push(name);
            return Ok(Some(found));
        }
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(self.failed(Errno::LOOP));
        }
        self.judge(name, &found, &stat)?;
        self.follow(name, &found)
    }

    /// Refuses a link that somebody else made.
    fn judge(&self, name: &OsStr, link: &OwnedFd, stat: &Stat) -> Result<()> {
        let refused = |why: String| {
            let link = self.shown.join(name);
            let why = format!(
                "{} is a symbolic link {why}, who can let it lead anywhere. Name the path itself that it is to lead to",
                link.display()
            );
            Err(Error::refused(self.action, self.path, why))
        };
        let firm = WITHOUT_LINKS.lock().unwrap_or_else(PoisonError::into_inner);
        if firm.iter().any(|path| self.path.starts_with(path)) {
            return refused("that came there after the path was looked up".into());
        }
        drop(firm);
        if !is_trusted(stat.st_uid) {
            return refused(format!("of the user {}", stat.st_uid));
        }
        // Its owner may be what a program says that a user runs.
        if let Some(user) = mounts::fuse_owner(link.as_fd()).filter(|user| !is_trusted(*user)) {
            return refused(format!("in a file system of the user {user}"));
        }
        // With fs.protected_hardlinks=0 a user may link one of root's links into a directory of his own.
        let holder = rustix::fs::fstat(&self.here).map_err(|error| self.failed(error))?;
        if stat.st_nlink > 1 && takes_foreign_names(&holder) {
            return refused(format!(
                "with {} names, one in a directory of other users",
                stat.st_nlink
            ));
        }
        Ok(())
    }

    fn follow(&mut self, name: &OsStr, link: &OwnedFd) -> Result<Option<OwnedFd>> {
        // What links of /proc say is no path to where they lead (`/proc/self/fd/3`, `/proc/7/root`): the kernel jumps.
        if mounts::is_proc(link.as_fd()) {
            self.shown.push(name);
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let jumped = rustix::fs::openat(&self.here, name, flags, Mode::empty());
            return jumped.map(Some).map_err(|error| self.failed(error));
        }
        let text =
            rustix::fs::readlinkat(link, "", Vec::new()).map_err(|error| self.failed(error))?;
        let text = OsString::from_vec(text.into_bytes());
        if text.is_empty() {
            return Err(self.failed(Errno::NOENT));
        }
        if text.as_bytes().starts_with(b"/") {
            let root = rustix::fs::open("/", DIRECTORY, Mode::empty());
            self.here = root.map_err(|error| self.failed(error))?;
            self.shown = PathBuf::from("/");
        }
        self.add(&text);
        Ok(None)
    }

    fn failed(&self, error: Errno) -> Error {
        Error::io(self.action, self.path, error)
    }
}

/// Opens one name without following it. Asked for as a directory first, which mounts what autofs has there.
fn look(here: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    match rustix::fs::openat(here, name, LOOK | OFlags::DIRECTORY, Mode::empty()) {
        Err(Errno::NOTDIR | Errno::LOOP) => rustix::fs::openat(here, name, LOOK, Mode::empty()),
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::temporary_dir;
    use std::os::unix::fs::{MetadataExt, symlink};

    fn inode(path: &Path) -> u64 {
        let reached = object("look at", path).unwrap();
        rustix::fs::fstat(&reached.object).unwrap().st_ino
    }

    #[test]
    fn no_link_is_followed_on_the_way_to_a_path_that_had_none() {
        let dir = temporary_dir("walk").unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("volume")).unwrap();
        std::fs::create_dir_all(at("elsewhere/file")).unwrap();
        without_links(&at("volume"));
        object("look at", &at("volume")).unwrap();
        // Our own link, as that of root in a container is root's.
        symlink(at("elsewhere/file"), at("volume/file")).unwrap();
        let refused = object("look at", &at("volume/file")).unwrap_err();
        assert!(refused.is_refusal(), "{refused}");
        std::fs::remove_file(at("volume/file")).unwrap();
        std::fs::remove_dir(at("volume")).unwrap();
        symlink(at("elsewhere"), at("volume")).unwrap();
        assert!(object("look at", &at("volume")).unwrap_err().is_refusal());
        object("look at", &at("elsewhere/file")).unwrap();
    }

    #[test]
    fn it_ends_where_the_kernel_would() {
        let dir = temporary_dir("walk").unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::write(at("a/b/f"), "x").unwrap();
        symlink("a/b", at("relative")).unwrap();
        symlink(at("relative"), at("absolute")).unwrap();
        symlink("../a/./b/../b//f", at("a/up")).unwrap();
        symlink("/", at("root")).unwrap();
        let whole = dir.path().to_string_lossy().into_owned();
        let descriptor = std::fs::File::open(at("a/b/f")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&descriptor);
        let paths = [
            "/".to_string(),
            ".".into(),
            "..".into(),
            "../.".into(),
            "/proc/self".into(),
            "/proc/self/cwd/..".into(),
            format!("/proc/self/fd/{number}"),
            format!("/proc/self/root{whole}/a/b/f"),
            format!("{whole}/relative/f"),
            format!("{whole}/absolute/"),
            format!("{whole}/a/up"),
            format!("{whole}/root/.{whole}//a/b/."),
            format!("{whole}/root"),
        ];
        for path in paths {
            assert_eq!(
                inode(Path::new(&path)),
                std::fs::metadata(&path).unwrap().ino(),
                "{path}"
            );
        }
    }

    #[test]
    fn it_fails_as_the_kernel_would() {
        let dir = temporary_dir("walk").unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("f"), "x").unwrap();
        symlink("loop", at("loop")).unwrap();
        symlink("f/", at("slash")).unwrap();
        let long = "x".repeat(300);
        for name in [
            "f/", "f/.", "f/x", "none", "none/x", "loop", "slash", &long, "f/..",
        ] {
            let wanted = std::fs::metadata(at(name)).unwrap_err().raw_os_error();
            assert_eq!(
                object("look at", &at(name)).unwrap_err().errno(),
                wanted,
                "{name}"
            );
        }
        assert_eq!(
            object("look at", Path::new("")).unwrap_err().errno(),
            Some(libc::ENOENT)
        );
        assert!(place("write", Path::new("/")).is_err() && place("write", &at("f/")).is_err());
    }

    #[test]
    fn what_is_missing_is_made_for_its_owner_to_write() {
        let dir = temporary_dir("walk").unwrap();
        let deep = dir.path().join("a/b/c");
        directory("create", &deep, Mode::from_raw_mode(0o755)).unwrap();
        directory("create", &deep, Mode::RWXU).unwrap();
        assert_eq!(std::fs::metadata(&deep).unwrap().mode() & 0o022, 0);
        std::fs::write(deep.join("f"), "x").unwrap();
        assert!(directory("create", &deep.join("f"), Mode::RWXU).is_err());
    }

    #[test]
    fn links_of_others_are_not_followed() {
        if !crate::rights::is_root() {
            skip::missing("root", "only root can give a link to somebody else");
            return;
        }
        let dir = temporary_dir("walk").unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("d/f"), "x").unwrap();
        symlink("d", at("theirs")).unwrap();
        symlink("d/f", at("file")).unwrap();
        for name in ["theirs", "file"] {
            std::os::unix::fs::lchown(at(name), Some(65_534), Some(65_534)).unwrap();
        }
        for name in ["theirs", "theirs/", "theirs/f", "theirs/..", "file"] {
            let error = object("open", &at(name)).unwrap_err();
            assert!(error.is_refusal(), "{name}: {error}");
            assert!(
                error
                    .to_string()
                    .contains("is a symbolic link of the user 65534"),
                "{error}"
            );
        }
        place("write", &at("theirs")).unwrap();
        assert!(place("write", &at("theirs/new")).unwrap_err().is_refusal());
        assert!(
            directory("create", &at("theirs/new"), Mode::RWXU)
                .unwrap_err()
                .is_refusal()
        );
    }

    #[test]
    fn a_link_of_roots_that_others_linked_elsewhere_is_not_followed() {
        let dir = temporary_dir("walk").unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("open")).unwrap();
        std::fs::write(at("f"), "x").unwrap();
        symlink("../f", at("open/link")).unwrap();
        std::os::unix::fs::chown(at("open"), None, None).unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o1777);
        std::fs::set_permissions(at("open"), open).unwrap();
        object("open", &at("open/link")).unwrap();
        if std::fs::hard_link(at("open/link"), at("second")).is_err() {
            skip::missing(
                "machine:links",
                "this file system has no second names of links",
            );
            return;
        }
        assert!(object("open", &at("open/link")).unwrap_err().is_refusal());
        object("open", &at("second")).unwrap_err();
    }
}
