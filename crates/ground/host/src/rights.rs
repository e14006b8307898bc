//! What this process may do, and the machine's constants that it must know.

use rustix::fs::FileType;
use rustix::thread::CapabilitySet;
use std::path::Path;

/// Whether the effective user is root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether this process may write the file at `path`, asked of the kernel (it knows read-only mounts and
/// capabilities; modes alone do not). A mount's flags are root's to change, and so are
/// a file system's options and a loop device's.
pub fn may_write(path: &str) -> bool {
    if crate::held_setting::is_held(path) {
        return may_write(crate::kernel_log::LATENCY);
    }
    if let Some(group) = crate::group_setting::GroupPlace::of(path) {
        let file = group.file(&crate::Host::live());
        return file.is_some_and(|file| may_write(&file));
    }
    let is_call = crate::mount_setting::MountPlace::of(path).is_some()
        || crate::super_setting::SuperPlace::of(path).is_some()
        || crate::loop_setting::LoopPlace::of(path).is_some();
    match is_call {
        true => is_root(),
        false => rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok(),
    }
}

/// Whether this process may mount and set up devices: root of a container often may not.
pub fn may_mount() -> bool {
    let ours = rustix::thread::capabilities(None);
    ours.is_ok_and(|sets| {
        sets.effective
            .contains(rustix::thread::CapabilitySet::SYS_ADMIN)
    })
}

/// Size of a memory page, bytes.
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Whether this process may read the file at `path`, asked of the kernel.
pub fn may_read(path: &str) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

/// The effective user and group of this process.
pub fn own_ids() -> (u32, u32) {
    let user = rustix::process::geteuid().as_raw();
    (user, rustix::process::getegid().as_raw())
}

/// What a path is that somebody names as a target, and what this process may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetAccess {
    /// What it is.
    pub kind: TargetKind,
    /// Whether it may be read: of a directory, listed and entered.
    pub may_read: bool,
    /// Whether it may be written: of a directory, files made in it.
    pub may_write: bool,
    /// The group whose members may read it, where it is a device with such a group.
    pub group: Option<u32>,
}

/// What a target can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Files are made in it.
    Directory,
    /// A disk, or a part of one.
    BlockDevice,
    /// Anything else.
    File,
}

/// Looks at a path and asks what may be done with it; opens nothing, since closing a device that was open for writing makes udev
/// look at it anew. The kernel's own answer leaves capabilities out where the user is not root (`access(2)`), so they are added.
///
/// # Errors
/// When there is nothing, or the way to it is closed to this user.
pub fn target_access(path: &Path) -> crate::Result<TargetAccess> {
    use rustix::fs::Access;
    let stat = rustix::fs::stat(path).map_err(|error| crate::Error::io("look at", path, error))?;
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => TargetKind::Directory,
        FileType::BlockDevice => TargetKind::BlockDevice,
        _ => TargetKind::File,
    };
    let effective = crate::right::effective()?;
    let reads = CapabilitySet::DAC_READ_SEARCH | CapabilitySet::DAC_OVERRIDE;
    let asked = |access| rustix::fs::access(path, access).is_ok();
    let is_grouped =
        kind == TargetKind::BlockDevice && stat.st_mode & 0o040 != 0 && stat.st_gid != 0;
    Ok(TargetAccess {
        kind,
        may_read: asked(Access::READ_OK) || effective.intersects(reads),
        may_write: asked(Access::WRITE_OK) || effective.contains(CapabilitySet::DAC_OVERRIDE),
        group: is_grouped.then_some(stat.st_gid),
    })
}

/// The name of a group by its number, from the text of /etc/group.
pub fn group_name(table: &str, number: u32) -> Option<&str> {
    table.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(number)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_names() {
        let table = "root:x:0:\ndisk:x:6:alice,bob\nbroken\n";
        assert_eq!(group_name(table, 6), Some("disk"));
        assert_eq!(group_name(table, 7), None);
    }

    #[test]
    fn a_directory_is_one_and_nothing_is_an_error() {
        let here = target_access(Path::new("/proc/self")).unwrap();
        assert_eq!((here.kind, here.group), (TargetKind::Directory, None));
        assert!(here.may_read);
        assert!(target_access(Path::new("/nowhere at all")).is_err());
    }
}
