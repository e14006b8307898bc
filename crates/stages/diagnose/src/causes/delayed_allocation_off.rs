//! # ext4 without delayed allocation
//!
//! Also: `delalloc`, `nodelalloc`, `data=journal`.
//!
//! ## What it finds
//! ext4 mounted with `nodelalloc`, or so by `data=journal`.
//!
//! ## Why it matters
//! Blocks are chosen page by page while programs write, in place of once for many pages when they go out: more CPU, more pieces and
//! less throughput for streams. In return writes of a burst take more even times, which is why it is found in old advice for databases.
//!
//! ## What to try
//! Both, in turn, under the load that matters; it needs a remount without the option (with `data=journal` a change of the journal mode).
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,nodelalloc
//! disk: sda transport=sata
//! expect: note says "page by page" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime delayed_allocation=no
//! disk: sda transport=sata
//! expect: note says "page by page" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,nodelalloc
//! disk: sda transport=sata
//! probe: write-stream write=400@2ms bs=1m
//! probe: buffered-write write=150@6ms bs=1m
//! expect: warning says "38 % of direct ones" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: xfs mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! ```
//! Measured, and it does no harm here:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,nodelalloc
//! disk: sda transport=sata
//! probe: write-stream write=400@2ms bs=1m
//! probe: buffered-write write=390@2ms bs=1m
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 on a loop device mounted with `nodelalloc` (Linux 6.18): 75 MiB/s buffered, 225 direct.
//!
//! ## Sources
//! - ext4(5), `delalloc`, `nodelalloc`, `data=journal`; Linux `Documentation/filesystems/ext4/allocators.rst`
//! - Seven and nine tenths are proposals of this project.

use crate::causes_help_queue::{BUFFERED_FINE, BUFFERED_SLOW, buffered_share, mounted_with};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "delayed_allocation_off",
    since: "0.1.0",
    summary: "ext4 that chooses blocks page by page while programs write",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "a tiny limit of dirty pages paces the writers: then vm.dirty_bytes says so, and delalloc changes little",
        "the journal is the limit (data=journal writes everything twice): then the disk writes twice what programs do",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=1m -direct=0 -end_fsync=1 # before and after mount -o remount,delalloc {device}",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::FileSystem)
        .filter_map(|layer| finding(scene, layer))
        .collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let is_off =
        mounted_with(layer, "nodelalloc") || layer.fact("delayed_allocation") == Some("no");
    if layer.fact("fstype") != Some("ext4") || !is_off {
        return None;
    }
    let share = buffered_share(scene);
    if share.is_some_and(|share| share >= BUFFERED_FINE) {
        return None;
    }
    let start = format!(
        "{} chooses blocks page by page while programs write",
        layer.name
    );
    let slow = share.filter(|share| *share < BUFFERED_SLOW);
    let (level, claim) = match slow {
        Some(share) => (
            Level::Warning,
            format!(
                "{start}: buffered writes reach {} of direct ones.",
                units::share(share)
            ),
        ),
        None => (Level::Note, format!("{start} (nodelalloc).")),
    };
    let mut finding = found(level, &layer.name, claim)
        .shows("options", layer.fact("options").unwrap_or_default())
        .refuted_by("buffered writes are no faster with delalloc")
        .advise(
            "Compare delalloc under your load: throughput against the evenness of single writes.",
        )
        .gains(slow.map_or(0.1, |share| (1.0 / share - 1.0).min(2.0)));
    if let Some(share) = slow {
        finding = finding
            .costs("buffered writes", 1.0 - share)
            .shows("buffered over direct", units::share(share));
    }
    Some(finding)
}
