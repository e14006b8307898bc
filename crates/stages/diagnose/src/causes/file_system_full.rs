//! # A file system with little room
//!
//! Also: inode, inodes, free inodes, `df -i`, `ENOSPC`, no space left on device.
//!
//! ## What it finds
//! Fewer than 2 % of the bytes or of the inodes left (a warning), or fewer than 10 % of the bytes (a note).
//!
//! ## Why it matters
//! Without bytes or inodes every new file fails with ENOSPC, also while `df` shows gigabytes free. Before that the allocator searches
//! longer and files lie in pieces, and flash has fewer spare blocks to write to.
//!
//! ## What to try
//! Delete, or grow it. The number of inodes of ext4 is fixed when it is made (`mkfs -N`, `-i`), so many small files need a new one.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv free_bytes=40g total_bytes=100g free_inodes=0 total_inodes=6553600
//! disk: sda transport=sata
//! expect: warning says "0 of 6553600 inodes" about /srv
//! ```
//! ```scene
//! filesystem: xfs mount=/srv free_bytes=1g total_bytes=100g free_inodes=50000000 total_inodes=52428800
//! disk: sda transport=sata
//! expect: warning says "1.00 GiB of 100 GiB" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv free_bytes=8g total_bytes=100g free_inodes=6000000 total_inodes=6553600
//! disk: sda transport=sata
//! expect: note says "8 %" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv free_bytes=11g total_bytes=100g free_inodes=6000000 total_inodes=6553600
//! disk: sda transport=sata
//! ```
//! Read-only images are always full:
//! ```scene
//! filesystem: squashfs mount=/snap options=ro,relatime free_bytes=0 total_bytes=100m free_inodes=0 total_inodes=4000
//! disk: sda transport=sata
//! ```
//! btrfs has no number of inodes:
//! ```scene
//! filesystem: btrfs mount=/srv free_bytes=60g total_bytes=100g free_inodes=0 total_inodes=0
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 made with few inodes on a loop device and filled with empty files (Linux 6.18).
//!
//! ## Sources
//! - df(1), mke2fs(8) `-N`; statfs(2)
//! - Linux `Documentation/filesystems/ext4/blockgroup.rst`
//! - 2 % and 10 % are proposals of this project: ext4 keeps 5 % for root, and its makers advise to stay below 90 %.

use crate::causes_help_queue::mounted_with;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "file_system_full",
    since: "0.1.0",
    summary: "a file system with hardly any bytes or inodes left",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "deleted files that are still open hold the room: then `lsof +L1` lists them, and a restart frees it",
        "a quota says ENOSPC or EDQUOT: then `quota` or `repquota` lists it",
    ],
    experiment: Experiment::Line("df -h {device}; df -i {device}"),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Left, below which new files fail soon.
const EMPTY: f64 = 0.02;
/// Left, below which allocating slows.
const SCARCE: f64 = 0.10;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let writable = scene
        .of_kind(LayerKind::FileSystem)
        .filter(|layer| !mounted_with(layer, "ro"));
    writable.filter_map(finding).collect()
}

fn finding(layer: &Layer) -> Option<Finding> {
    let left = |free: &str, total: &str| {
        let (free, total) = (
            layer.number(free)?,
            layer.number(total).filter(|total| *total > 0.0)?,
        );
        Some((free, total, free / total))
    };
    let name = &layer.name;
    let inodes = left("free_inodes", "total_inodes").filter(|(_, _, share)| *share < EMPTY);
    let bytes = left("free_bytes", "total_bytes").filter(|(_, _, share)| *share < SCARCE);
    let is_empty = inodes.is_some() || bytes.is_some_and(|(_, _, share)| share < EMPTY);
    let claim = match (inodes, bytes) {
        (Some((free, total, _)), _) => {
            format!(
                "{name} has {free} of {total} inodes left: new files fail, whatever room there is.",
                free = units::whole(free),
                total = units::whole(total)
            )
        }
        (None, Some((free, total, share))) if share < EMPTY => {
            format!(
                "{name} has {} of {} left.",
                units::bytes(free),
                units::bytes(total)
            )
        }
        (None, Some((_, _, share))) => {
            format!(
                "{name} has {} left: allocating takes longer, and files lie in pieces.",
                units::share(share)
            )
        }
        (None, None) => return None,
    };
    let value = |id: &str| layer.fact(id).unwrap_or_default().to_string();
    let finding = found(
        if is_empty {
            Level::Warning
        } else {
            Level::Note
        },
        name,
        claim,
    )
    .shows("free_bytes", value("free_bytes"))
    .shows("free_inodes", value("free_inodes"))
    .refuted_by("a file of some GiB is written as fast as on a file system with room")
    .advise("Delete what is not needed, or grow it; more inodes need a new ext4 (mkfs -N).");
    // That new files fail is no matter of speed.
    Some(if is_empty {
        finding
    } else {
        finding.gains(0.05)
    })
}
