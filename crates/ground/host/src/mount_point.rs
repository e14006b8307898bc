//! A directory on which a new file system is mounted: empty, no mount point yet, held open and locked until it is one.

use crate::{Error, Host, Result, durable, loop_image, target, walk};
use kernel::mounts::{Mount, Mounts};
use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags};
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Where something is to be mounted.
#[derive(Debug)]
pub struct PlannedPoint {
    parent: OwnedFd,
    name: OsString,
    path: PathBuf,
    is_there: bool,
}

/// An empty directory, held open and locked, so that of two instances one mounts on it.
#[derive(Debug)]
pub struct MountPoint {
    directory: File,
    path: PathBuf,
}

impl PlannedPoint {
    /// Finds the place, on a way without links of others; makes nothing. The directory may be missing, the one it lies in
    /// may not.
    ///
    /// # Errors
    /// Where the path cannot be written down, or is no directory that has a name.
    pub fn find(path: &Path) -> Result<PlannedPoint> {
        // A slash at its end says that it is a directory, which it is.
        let path = PathBuf::from_iter(path.components());
        let (parent, name) = walk::place("mount on", &path)?;
        let resolved = loop_image::directory_of(parent.as_fd(), &path)?.join(&name);
        let text = resolved.to_str().unwrap_or_default();
        if text.is_empty() || text.contains(model::text::is_unsafe) {
            let why = "its path is not UTF-8 or has control characters in it, so that no journal can name it";
            return Err(Error::refused("mount on", &path, why));
        }
        let found = rustix::fs::statat(&parent, &name, AtFlags::SYMLINK_NOFOLLOW);
        let is_there = match found {
            Err(Errno::NOENT) => false,
            found => found
                .map(|_| true)
                .map_err(|error| Error::io("look at", &path, error))?,
        };
        Ok(PlannedPoint {
            parent,
            name,
            path: resolved,
            is_there,
        })
    }

    /// Absolute, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The first directory on the way to it from the root down in which users other than root and this one can exchange what
    /// leads to it; none where there is none.
    ///
    /// # Errors
    /// Where a directory cannot be looked at.
    pub fn open_to_others(&self) -> Result<Option<PathBuf>> {
        walk::open_to_others(&self.path)
    }

    /// Whether something is there.
    pub fn is_there(&self) -> bool {
        self.is_there
    }

    /// Opens the directory, or makes it where it was missing.
    ///
    /// # Errors
    /// Where it is no empty directory, where something is mounted on it, and where another process has locked it.
    pub fn open(&self, host: &Host) -> Result<MountPoint> {
        if !self.is_there {
            rustix::fs::mkdirat(&self.parent, &self.name, Mode::from_raw_mode(0o755))
                .map_err(|error| Error::io("create", &self.path, error))?;
        }
        let refused = |why: &str| Error::refused("mount on", &self.path, why);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let found = match rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty()) {
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return Err(refused(
                    "it is no directory, or a symbolic link. Name an empty directory",
                ));
            }
            found => found.map_err(|error| Error::io("open", &self.path, error))?,
        };
        if is_point(host, &self.path) {
            return Err(refused(
                "something is mounted there already. Name another directory",
            ));
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let directory = File::from(target::again(found.as_fd(), flags, &self.path)?);
        if !is_empty(&directory).map_err(|error| Error::io("read", &self.path, error))? {
            return Err(refused(
                "it is not empty, and a mount would hide what is in it. Name an empty directory",
            ));
        }
        let locked = durable::try_lock(&directory, &self.path);
        match locked.map_err(|error| Error::io("lock", &self.path, error))? {
            true => Ok(MountPoint {
                directory,
                path: self.path.clone(),
            }),
            false => Err(refused(
                "another `iodyno loop create` is about to mount there",
            )),
        }
    }
}

impl MountPoint {
    /// Mounts a device on it, and looks whether it is there.
    ///
    /// # Errors
    /// As the kernel refuses it: it has no such file system, or cannot read what is on the device.
    pub fn mount(&self, host: &Host, device: &str, fstype: &str) -> Result<()> {
        // The directory that was looked at, whatever has its name now.
        let place = format!("/proc/self/fd/{}", self.directory.as_raw_fd());
        let failed = |error: Errno| Error::io("mount on", &self.path, error);
        rustix::mount::mount(device, place.as_str(), fstype, MountFlags::empty(), None)
            .map_err(failed)?;
        match is_point(host, &self.path) {
            true => Ok(()),
            false => Err(Error::io(
                "mount on",
                &self.path,
                std::io::Error::other("the kernel took the mount and shows none there"),
            )),
        }
    }
}

/// The mounts of this mount namespace, in the order of mounting.
pub(crate) fn all(host: &Host) -> Vec<Mount> {
    let text = host.text("/proc/self/mountinfo").unwrap_or_default();
    Mounts::parse(&text).into_iter().collect()
}

/// The mount that a path leads to: of those on one point the last, unless one above hides it.
pub(crate) fn top(host: &Host, path: &str) -> Option<Mount> {
    let text = host.text("/proc/self/mountinfo").unwrap_or_default();
    Mounts::parse(&text).holding(path).cloned()
}

fn is_point(host: &Host, path: &Path) -> bool {
    all(host)
        .iter()
        .any(|mount| Path::new(&mount.point) == path)
}

fn is_empty(directory: &File) -> rustix::io::Result<bool> {
    for entry in Dir::read_from(directory)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes the mount away that is on top at a path.
///
/// # Errors
/// EBUSY while a program has something of it open or works in it.
pub(crate) fn unmount(path: &Path) -> Result<()> {
    // Nobody else's link is on the way, and the directory stays the one that was found; it does not keep the mount.
    let (parent, name) = walk::place("unmount", path)?;
    let place = Path::new("/proc/self/fd").join(parent.as_raw_fd().to_string());
    rustix::mount::unmount(place.join(name), UnmountFlags::NOFOLLOW)
        .map_err(|error| Error::io("unmount", path, error))
}

/// Removes a directory that was made to mount on. One in which something is by now stays, which is no failure; gives
/// whether it is gone.
///
/// # Errors
/// Where the file system refuses it.
pub(crate) fn remove(path: &Path) -> Result<bool> {
    let (parent, name) = match walk::place("remove", path) {
        Err(error) if error.errno() == Some(libc::ENOENT) => return Ok(false),
        found => found?,
    };
    match rustix::fs::unlinkat(&parent, &name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::BUSY | Errno::NOTDIR) => {
            Ok(false)
        }
        Err(error) => Err(Error::io("remove", path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_directory_is_mounted_on() {
        let dir = crate::files::temporary_dir("point").unwrap();
        let host = Host::live();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("full/x")).unwrap();
        std::fs::write(at("file"), "x").unwrap();
        std::os::unix::fs::symlink(at("full/x"), at("link")).unwrap();
        for (name, why) in [
            ("full", "not empty"),
            ("file", "no directory"),
            ("link", "symbolic link"),
        ] {
            let refused = PlannedPoint::find(&at(name))
                .unwrap()
                .open(&host)
                .unwrap_err();
            assert!(
                refused.is_refusal() && refused.to_string().contains(why),
                "{refused}"
            );
        }
        let root = PlannedPoint::find(Path::new("/proc")).unwrap().open(&host);
        assert!(root.unwrap_err().to_string().contains("mounted there"));
        assert!(PlannedPoint::find(Path::new("/")).is_err());
    }

    #[test]
    fn one_that_was_missing_is_made_locked_and_removed_while_it_is_empty() {
        let dir = crate::files::temporary_dir("point").unwrap();
        let host = Host::live();
        let path = dir.path().join("new/");
        let planned = PlannedPoint::find(&path).unwrap();
        assert!(!planned.is_there() && !path.exists());
        let point = planned.open(&host).unwrap();
        let second = PlannedPoint::find(&path).unwrap().open(&host).unwrap_err();
        assert!(second.to_string().contains("about to mount"), "{second}");
        drop(point);
        std::fs::write(path.join("x"), "x").unwrap();
        assert!(!remove(planned.path()).unwrap());
        std::fs::remove_file(path.join("x")).unwrap();
        assert!(remove(planned.path()).unwrap() && !remove(planned.path()).unwrap());
    }
}
