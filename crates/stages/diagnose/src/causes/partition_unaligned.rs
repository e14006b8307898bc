//! # A partition that begins inside a block of the disk
//!
//! ## What it finds
//! A partition whose start is no multiple of the disk's physical block.
//!
//! ## Why it matters
//! Each block of the file system then lies in two of the disk's. A write makes the disk read both, change a part and write both.
//!
//! ## What to try
//! Make the partition anew from 1 MiB on, which every tool of the last fifteen years does by itself; its data has to be moved.
//!
//! ## Example
//! ```scene
//! partition: sda1 aligned=no start_bytes=31k block_bytes=4k
//! disk: sda transport=sata rotational=1
//! expect: warning says "inside a block of 4096 bytes" about sda1
//! ```
//!
//! ## Stays silent
//! ```scene
//! partition: sda1 aligned=yes start_bytes=1m block_bytes=4k
//! disk: sda transport=sata rotational=1
//! ```
//! ```scene
//! partition: sda1 start_bytes=31k
//! disk: sda transport=sata rotational=1
//! ```
//!
//! ## Seen
//! In the lab: `unaligned_partition`.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `alignment_offset`, `physical_block_size`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "partition_unaligned",
    since: "0.1.0",
    summary: "a partition whose blocks straddle those of the disk",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the disk reports a physical block that it does not have, as some bridges do: then aligned and unaligned writes are alike",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randwrite -bs=4k -iodepth=1 -direct=1 # beside the same on a partition that begins at 1 MiB",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::Partition)
        .filter_map(finding)
        .collect()
}

fn finding(partition: &Layer) -> Option<Finding> {
    let is_unaligned = partition.fact("aligned") == Some("no");
    let (start, block) = (
        partition.number("start_bytes")?,
        partition.number("block_bytes")?,
    );
    is_unaligned.then(|| {
        let name = &partition.name;
        warning(
            name,
            format!("{name} begins inside a block of {block} bytes: small writes make the disk read first."),
        )
        .shows("start_bytes", start)
        .shows("physical_block_size", block)
        .refuted_by("small writes are as fast on an aligned partition of this disk")
        .advise("Make the partition anew at a multiple of 1 MiB, and move the data.")
        .gains(0.5)
    })
}
