//! What is mounted, in every mount namespace that shows.

use super::device::Overlap;
use super::openers::processes;
use host::Host;
use kernel::mounts::{Mount, Mounts};
use model::text::shown;
use std::collections::BTreeSet;
use std::path::Path;

/// Whether a device is mounted by this: by number, or, where the file system shows a number of its own (btrfs,
/// bcachefs, overlay), by the source, which may list several devices.
pub fn is_of(mount: &Mount, host: &Host, device: &Overlap) -> bool {
    device.number == Some(mount.devno)
        || mount
            .source
            .split(':')
            .any(|source| device.is_at(host, source))
}

/// Where a mount is, for people.
pub fn point(mount: &Mount) -> String {
    shown(Path::new(&mount.point))
}

/// The mounts of every mount namespace that this process can see: a container's mounts are in none but its own.
pub fn all(host: &Host) -> Vec<Mount> {
    let mut seen = BTreeSet::new();
    let mut mounts = Vec::new();
    for process in ["self".to_string()].into_iter().chain(processes(host)) {
        let namespace = host.link(&format!("/proc/{process}/ns/mnt"));
        if namespace.is_some_and(|namespace| !seen.insert(namespace)) {
            continue;
        }
        let text = host
            .text(&format!("/proc/{process}/mountinfo"))
            .unwrap_or_default();
        mounts.extend(Mounts::parse(&text));
    }
    mounts
}
