//! # Users of a device
//!
//! What already uses a block device: mounts, devices stacked on it, swap.
//!
//! ## What it reads
//! `/sys/class/block/{}/holders`, `/proc/self/mountinfo`, `/proc/swaps`.
//!
//! ## Fields
//! - `holders`: kernel names of the devices on top, separated by commas
//! - `mounted_on`: mount points of this very device, separated by commas
//! - `swap`: `yes` when it is in use as swap
//!
//! ## Example
//! `sdb` is held by `md0`, which is mounted on `/srv`.

use crate::{Collector, Draft, Survey};
use kernel::devno::Devno;
use kernel::mounts::Mount;
use kernel::swaps;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "usage",
    since: "0.1.0",
    kinds: &[
        LayerKind::Disk,
        LayerKind::Partition,
        LayerKind::Loop,
        LayerKind::Zram,
        LayerKind::Stacked,
    ],
    reads: &[
        "/sys/class/block/{}/holders",
        "/proc/self/mountinfo",
        "/proc/swaps",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let node = format!("/dev/{}", draft.layer.name.replace('!', "/"));
    let holders = host.list(&draft.path("holders")).join(",");
    draft.fact("holders", Some(holders).filter(|names| !names.is_empty()));
    let devno = draft.layer.devno.as_deref().and_then(Devno::parse);
    let is_ours = |mount: &&Mount| {
        Some(mount.devno) == devno || (mount.devno.major == 0 && mount.source == node)
    };
    let mut points: Vec<String> = survey
        .mounts
        .iter()
        .filter(is_ours)
        .map(|mount| mount.point.clone())
        .collect();
    points.dedup();
    draft.fact(
        "mounted_on",
        Some(points.join(",")).filter(|points| !points.is_empty()),
    );
    let swaps = host.text("/proc/swaps").unwrap_or_default();
    let is_swap = swaps::areas(&swaps).contains(&node);
    draft.fact("swap", is_swap.then_some("yes"));
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn names_every_user() {
        let path = collect_on(
            "path: /sys/class/block/sdb\nlink: ../../devices/p/sdb\n\
             path: /sys/devices/p/sdb/dev\nlines: 1\n8:16\n\
             path: /sys/devices/p/sdb/holders/md0\nlink: x\n\
             path: /proc/swaps\nlines: 2\nFilename Type\n/dev/sdb partition 1 0 -2\n\
             path: /proc/self/mountinfo\nlines: 1\n1 1 8:16 / /srv rw - ext4 /dev/sdb rw\n",
            "sdb",
        );
        assert_eq!(facts(&path, "sdb", "holders"), "md0");
        assert_eq!(facts(&path, "sdb", "mounted_on"), "/srv");
        assert_eq!(facts(&path, "sdb", "swap"), "yes");
    }
}
