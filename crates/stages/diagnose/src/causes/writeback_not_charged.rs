//! # Write-back that no group is charged for
//!
//! ## What it finds
//! A write limit of control groups of version 2 on a device below a file system whose write-back is not charged to
//! groups. Charged it is on ext2, ext4, xfs, btrfs and f2fs alone.
//!
//! ## Why it matters
//! Everywhere else buffered writes are charged to the root group and pass the limit by.
//!
//! ## What to try
//! One of these file systems for the data, or direct I/O.
//!
//! ## Example
//! ```scene
//! machine: cgroup_version=2 io_limits=sda_wbps_20971520
//! filesystem: vfat mount=/srv
//! disk: sda transport=usb
//! expect: warning says "vfat" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cgroup_version=2 io_limits=sda_wbps_20971520
//! filesystem: xfs mount=/srv
//! disk: sda transport=sata
//! ```
//! ```scene
//! machine: cgroup_version=2
//! filesystem: vfat mount=/srv
//! disk: sda transport=usb
//! ```
//! ```scene
//! machine: cgroup_version=2 io_limits=sda_wbps_20971520
//! filesystem: overlay mount=/
//! filesystem: ext4 mount=/var/lib/docker
//! disk: sda transport=sata
//! ```
//! ```scene
//! machine: cgroup_version=2 io_limits=sda_rbps_20971520
//! filesystem: vfat mount=/srv
//! disk: sda transport=usb
//! ```
//! ```scene
//! machine: cgroup_version=2 io_limits=sda_wbps_20971520
//! filesystem: vfat mount=/srv
//! disk: sda transport=usb
//! probe: buffered-write bs=128k write=150@6ms elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `limit_on_vfat`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, Writeback: "currently supported on ext2, ext4, btrfs, f2fs, and xfs"

use crate::finding::{With, warning};
use crate::seen::{limited, limits};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::group_hold::CHARGED;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "writeback_not_charged",
    since: "0.1.0",
    summary: "buffered writes that a limit of cgroup v2 does not see",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &["a load that writes direct or synchronously: it is limited as it should be"],
    experiment: Experiment::Line("iodyno limit {target} --group self"),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let is_on_path = |limit: &_| limited(scene, limit).is_some();
    let limit = limits(scene)
        .into_iter()
        .find(|limit| limit.version == 2 && !limit.is_on_reads() && is_on_path(limit))?;
    // What lies on the disk decides: an overlay writes into the file system below it.
    let bottom = scene.of_kind(model::iopath::LayerKind::FileSystem).last()?;
    let fstype = bottom
        .fact("fstype")
        .filter(|kind| !CHARGED.contains(kind) && *kind != "overlay")?;
    let most = limit.limit as f64;
    let rate = scene.probe(Role::BufferedWrite);
    let rate = rate.map(|probe| {
        if limit.is_in_bytes() {
            probe.bytes_per_s()
        } else {
            probe.iops()
        }
    });
    if rate.is_some_and(|rate| rate <= most * 1.2) {
        return None;
    }
    let claim = format!(
        "{} is {fstype}, whose write-back is charged to nobody: buffered writes pass the limit on {} by.",
        bottom.name, limit.device
    );
    let finding = warning(&bottom.name, claim)
        .shows("fstype", fstype)
        .shows(&limit.what, limit.limit)
        .refuted_by("buffered writes with an fsync at the end stay below the limit")
        .advise("Use ext4, xfs, btrfs or f2fs for what has to be limited, or direct I/O.");
    Some(match rate {
        Some(rate) => finding.shows(
            "buffered writes",
            format!("{rate} /s", rate = units::whole(rate)),
        ),
        None => finding,
    })
}
