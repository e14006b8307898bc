//! tracefs and debugfs, whether they are mounted or not: since Linux 5.2 they are reached through a mount that only this
//! process has.

use crate::{Error, Result};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A file system of the kernel's own; a mount made for it is gone when dropped.
#[derive(Debug)]
pub(crate) struct KernelMount {
    root: PathBuf,
    _mount: Option<OwnedFd>,
}

impl KernelMount {
    /// The file system of this kind, mounted for this process alone or found in one of the places that have a folder of
    /// this name.
    pub(crate) fn get(kind: &'static str, places: &[&str], folder: &str) -> Result<KernelMount> {
        match mount(kind) {
            Ok(mount) => {
                let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
                Ok(KernelMount {
                    root,
                    _mount: Some(mount),
                })
            }
            Err(error) => {
                let mut places = places.iter().map(PathBuf::from);
                let found = places.find(|place| place.join(folder).is_dir());
                let root = found.ok_or_else(|| Error::io("mount", Path::new(kind), error))?;
                Ok(KernelMount { root, _mount: None })
            }
        }
    }

    /// Where it is, as this process reaches it while this lasts.
    pub(crate) fn path(&self) -> &Path {
        &self.root
    }
}

/// A mount that is in no namespace.
fn mount(kind: &str) -> std::io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(context.as_fd())?;
    Ok(fsmount(
        context.as_fd(),
        FsMountFlags::FSMOUNT_CLOEXEC,
        MountAttrFlags::empty(),
    )?)
}
