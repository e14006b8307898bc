//! # Flushes that a volatile cache needs are left out
//!
//! ## What it finds
//! A disk that says that its cache is `write back`, while the queue's `write_cache` was set to `write through`.
//!
//! ## Why it matters
//! The kernel then sends no flushes: fsync returns while the data is in the disk's memory. It is fast until the power fails.
//!
//! ## What to try
//! `write back` again, unless the cache has a battery or capacitors, and whoever set it knows that.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: write_cache = write through
//! setting: cache_type = write back
//! expect: warning says "no flushes" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: write_cache = write back
//! setting: cache_type = write back
//! ```
//! ```scene
//! disk: sda transport=sas rotational=1
//! setting: write_cache = write through
//! setting: cache_type = write through
//! ```
//!
//! ## Seen
//! In the lab: `flushes_left_out`.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `write_cache`: the kernel's view only; `Documentation/block/writeback_cache_control.rst`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "flushes_left_out",
    since: "0.1.0",
    summary: "fsync does not reach the disk, because its cache was declared safe",
    level: Level::Warning,
    risk: Risk::Danger,
    competing: &[
        "the cache keeps its content without power: then the disk's data sheet says so, and nothing is wrong",
    ],
    experiment: Experiment::Line(
        "# look up whether {device} has power-loss protection; a measurement cannot tell",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene.disks().into_iter().filter_map(finding).collect()
}

fn finding(disk: &Layer) -> Option<Finding> {
    let says = disk.setting("cache_type")?.chosen()?;
    let is_volatile = says.starts_with("write back");
    let is_left_out = disk.setting("write_cache")?.chosen()? == "write through";
    (is_volatile && is_left_out).then(|| {
        let name = &disk.name;
        warning(
            name,
            format!(
                "{name} has a volatile cache, and no flushes are sent: fsync promises what it does not keep."
            ),
        )
        .shows("cache_type", says)
        .shows("write_cache", "write through")
        .refuted_by("the disk keeps its cache without power")
        .advise("Set write_cache to `write back` unless the disk keeps its cache without power.")
    })
}
