//! The way to a path below a container's root, name by name: the kernel keeps each step below that root, and a link is followed
//! only where the container itself or root made it.

use super::owner::Owner;
use crate::mounts;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// Links on one way, as in the kernel (`MAXSYMLINKS`).
const MOST_LINKS: u32 = 40;

/// `..` fails with EAGAIN while anything is renamed or mounted anywhere on the machine (Linux 5.6 to 6.18, `handle_dots` in
/// fs/namei.c; openat2(2) advises to try again): a busy one is no attack.
const TRIES_MAX: u32 = 1_000;

/// Why a path leads nowhere.
#[derive(Debug)]
pub(super) enum Lost {
    /// The kernel says so.
    Failed(Errno),
    /// What was looked at was exchanged for something else on the way.
    Exchanged,
    /// A link of a user who is neither root nor the container's.
    Link { path: PathBuf, user: u32 },
}

impl From<Errno> for Lost {
    fn from(error: Errno) -> Lost {
        Lost::Failed(error)
    }
}

/// Opens what a path leads to below a root, with O_PATH.
pub(super) fn open(root: BorrowedFd<'_>, path: &str, owner: &Owner) -> Result<OwnedFd, Lost> {
    let mut rest: VecDeque<OsString> = names(Path::new(path)).collect();
    let (mut here, mut links) = (PathBuf::new(), 0);
    while let Some(name) = rest.pop_front() {
        let next = here.join(&name);
        let found = step(root, &next, OFlags::NOFOLLOW)?;
        let stat = rustix::fs::fstat(&found)?;
        if !FileType::from_raw_mode(stat.st_mode).is_symlink() {
            here = next;
            continue;
        }
        links += 1;
        // What links of /proc say is no path to where they lead (`/proc/7/root`): the kernel jumps, and nobody here does.
        if links > MOST_LINKS || mounts::is_proc(found.as_fd()) {
            return Err(Errno::LOOP.into());
        }
        if !owner.may_lead(stat.st_uid) {
            return Err(Lost::Link {
                path: Path::new("/").join(&next),
                user: stat.st_uid,
            });
        }
        let text = rustix::fs::readlinkat(&found, "", Vec::new())?;
        let text = PathBuf::from(OsString::from_vec(text.into_bytes()));
        if text.is_absolute() {
            here = PathBuf::new();
        }
        names(&text).rev().for_each(|name| rest.push_front(name));
    }
    step(root, &here, OFlags::empty())
}

/// The names of a path, `..` among them: the kernel goes up, and not beyond the root.
fn names(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    let components = path.components();
    components.filter_map(|component| match component {
        Component::Normal(_) | Component::ParentDir => Some(component.as_os_str().to_os_string()),
        _ => None,
    })
}

/// Opens a path without links below the root. One that comes there meanwhile is not followed.
fn step(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Lost> {
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
    let flags = OFlags::PATH | OFlags::CLOEXEC | flags;
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let mut tries = TRIES_MAX;
    loop {
        match rustix::fs::openat2(root, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN) if tries > 0 => tries -= 1,
            // A link that came there since; what is renamed and mounted all the time.
            Err(Errno::LOOP | Errno::AGAIN | Errno::XDEV) => return Err(Lost::Exchanged),
            opened => return Ok(opened?),
        }
    }
}

#[cfg(test)]
mod properties;
