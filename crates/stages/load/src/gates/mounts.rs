//! What is mounted, in every mount namespace that shows.

use super::device::{GatedDevice, Overlap};
use super::openers::processes;
use host::Host;
use kernel::mounts::{Mount, Mounts};
use model::text::{clean, shown};
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

/// What is mounted below a point of this mount namespace, a clause each.
pub fn on(host: &Host, point: &str) -> Vec<String> {
    let text = host.text("/proc/self/mountinfo").unwrap_or_default();
    let is_below = |mount: &Mount| {
        let rest = mount.point.strip_prefix(point);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let mounts = Mounts::parse(&text).into_iter().filter(is_below);
    mounts
        .map(|mount| format!("something is mounted on {}", self::point(&mount)))
        .collect()
}

/// What lies over a device's mount on a point and hides it, a clause; none where that is on top.
pub fn over(host: &Host, point: &str, device: &GatedDevice) -> Option<String> {
    let text = host.text("/proc/self/mountinfo").unwrap_or_default();
    let mounts = Mounts::parse(&text);
    let top = mounts.holding(point)?;
    let is_own = device.overlapping.iter().any(|part| is_of(top, host, part));
    let fstype = clean(&top.fstype);
    (!is_own).then(|| format!("a mount of {fstype} lies over it on {}", self::point(top)))
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
