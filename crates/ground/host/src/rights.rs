//! What this process may do, and the machine's constants that it must know.

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

/// Size of a memory page, bytes.
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Whether this process may read the file at `path`, asked of the kernel.
pub fn may_read(path: &str) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}
