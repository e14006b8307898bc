//! # nobarrier for xfs in fstab
//!
//! ## What it finds
//! A line of fstab with `nobarrier` or `barrier` for an xfs that is mounted. From Linux 4.19 on the mount fails with it.
//!
//! ## Why it matters
//! The running system does not show it: the file system is mounted by an older kernel, or by hand. With the next boot it is missing, and
//! where it is needed the machine stops in the emergency shell. Kernels shortly before took the option and
//! did nothing with it.
//!
//! ## What to try
//! Take it from fstab. Where flushes are the cost, a disk with protection against power loss is the cure.
//!
//! ## Example
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! filesystem: xfs mount=/srv options=rw,relatime fstab=noatime,nobarrier fstab_place=/etc/fstab:7
//! disk: sda transport=sata
//! expect: warning says "/etc/fstab:7" says "fails" about /srv
//! ```
//! ```scene
//! machine: kernel=4.12.14-default
//! filesystem: xfs mount=/srv options=rw,relatime,nobarrier fstab=nobarrier fstab_place=/etc/fstab:3
//! disk: sda transport=sata
//! expect: note says "4.19" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! filesystem: xfs mount=/srv options=rw,relatime fstab=noatime fstab_place=/etc/fstab:7
//! disk: sda transport=sata
//! ```
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! filesystem: ext4 mount=/srv options=rw,relatime fstab=barrier=1 fstab_place=/etc/fstab:7
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! In the lab: `fstab_nobarrier`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/xfs.rst`, Removed Mount Options: barrier and nobarrier, v4.19
//! - Linux commit 1c02d502c208, "xfs: remove deprecated barrier/nobarrier mount options", 4.19
//! - SUSE support document 000020240: mounts that fail after an upgrade

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use kernel::release::Release;
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "xfs_nobarrier_in_fstab",
    since: "0.1.0",
    summary: "an option of xfs in fstab with which the next mount fails",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "a unit of systemd mounts it by other options: then `systemctl cat` of the mount unit does not name fstab",
    ],
    experiment: Experiment::Line(
        "sudo mount --fake --verbose --all # and mount it a second time elsewhere with the options of fstab",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// First kernel that does not know the option.
const GONE_SINCE: Release = Release(4, 19);

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::FileSystem)
        .filter_map(|layer| finding(scene, layer))
        .collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    if layer.fact("fstype") != Some("xfs") {
        return None;
    }
    let option = layer
        .fact("fstab")?
        .split(',')
        .find(|option| matches!(*option, "nobarrier" | "barrier"))?;
    let place = layer.fact("fstab_place").unwrap_or("/etc/fstab");
    let kernel = scene.kernel()?;
    let name = &layer.name;
    let (level, claim) = if kernel >= GONE_SINCE {
        (
            Level::Warning,
            format!(
                "{place} mounts {name} with {option}, which xfs does not know any more: the next mount fails."
            ),
        )
    } else {
        (
            Level::Note,
            format!("{place} mounts {name} with {option}: from kernel 4.19 on that mount fails."),
        )
    };
    let finding = found(level, name, claim)
        .shows(place, layer.fact("fstab").unwrap_or_default())
        .shows("kernel", kernel.to_string())
        .refuted_by("the file system mounts with these options on this kernel")
        .advise(format!("Take {option} from {place}."));
    Some(finding)
}
