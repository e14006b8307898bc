//! # Flushes switched off
//!
//! Also: `barrier=`, `nobarrier`.
//!
//! ## What it finds
//! A file system mounted with `nobarrier` or `barrier=0`, above a disk that keeps writes in a cache of its own ("write back"). It is a
//! note where the cache is said to need no flushes, since the option then saves nothing.
//!
//! ## Why it matters
//! What was synced may be gone after a power cut, and the journal with it, which can take the file system. The option is old advice for
//! controllers with a battery. These say "write through", and the kernel sends them no flushes anyway.
//!
//! ## What to try
//! Mount without the option, measure, and where flushes are the cost use a disk with protection against power loss.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,nobarrier
//! disk: sda transport=sata
//! setting: write_cache = write back
//! expect: warning says "power" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,barrier=0
//! disk: sda transport=sas
//! setting: write_cache = write through
//! expect: note says "saves nothing" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! setting: write_cache = write back
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,barrier=1
//! disk: sda transport=sata
//! setting: write_cache = write back
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 on a loop device mounted with `nobarrier` (Linux 6.18).
//!
//! ## Sources
//! - ext4(5), `barrier`; Linux `Documentation/block/writeback_cache_control.rst`
//! - Linux `Documentation/ABI/stable/sysfs-block`, `write_cache`

use crate::causes_help_queue::{chosen, mounted_with};
use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "barriers_off",
    since: "0.1.0",
    summary: "a file system that does not flush the disk's cache: speed for the price of what was synced",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the cache has a battery and the disk does not say so: then its maker's tool shows a battery that is well",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -fsync=1 -size=64m # before and after mount -o remount,barrier=1 {device}",
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
        .filter_map(finding)
        .collect()
}

fn finding(layer: &Layer) -> Option<Finding> {
    let option = ["nobarrier", "barrier=0"]
        .into_iter()
        .find(|option| mounted_with(layer, option))?;
    let caches = layer
        .walk()
        .into_iter()
        .filter(|below| below.kind == LayerKind::Disk);
    let cache = caches
        .filter_map(|disk| Some((disk, chosen(disk, "write_cache")?)))
        .max_by_key(|(_, cache)| {
            // One volatile cache among the members is enough.
            *cache == "write back"
        })?;
    let (disk, cache) = cache;
    let finding = if cache == "write back" {
        let claim = format!(
            "{} is mounted with {option} and {} keeps writes in its cache: what was synced is lost with the power.",
            layer.name, disk.name
        );
        warning(&layer.name, claim)
    } else {
        let claim = format!(
            "{} is mounted with {option}, which saves nothing: {} says that it needs no flushes.",
            layer.name, disk.name
        );
        note(&layer.name, claim)
    };
    let finding = finding
        .shows("option", option)
        .shows(&format!("write_cache of {}", disk.name), cache)
        .refuted_by("the cache keeps its content without power")
        .advise("Mount it without the option; measure what the flushes cost, and buy protection where they cost too much.");
    Some(finding)
}
