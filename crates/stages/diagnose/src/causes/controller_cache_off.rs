//! # A RAID controller that does not cache writes
//!
//! ## What it finds
//! A rotating volume behind a RAID controller where one small write or fsync takes 3 ms or more in a load of the check (a proposal of this
//! project: a turn at 10,000 rpm takes 6 ms, at 15,000 rpm 4 ms, and a write that ends in the controller's memory a few tens of µs).
//!
//! ## Why it matters
//! The controller's battery- or flash-backed cache is what makes synchronous writes fast. When the battery is worn, learns or is
//! missing, most controllers turn to write-through by themselves, and every commit waits for the platters.
//!
//! ## What to try
//! The controller's own tool: `storcli /cx show all` and `/cx/bbu show`, `ssacli ctrl all show config detail`, `arcconf getconfig 1`. Turn on
//! write-back only with a healthy battery or capacitor.
//!
//! ## Example
//! ```scene
//! disk: sda transport=scsi rotational=1 raid_controller=megaraid_sas raid_volume=yes
//! setting: cache_type = write through
//! probe: fsync write=100@1ms sync=100@9ms
//! expect: warning says "9" says "fsync" says "megaraid sas" about sda
//! ```
//! ```scene
//! disk: sda transport=scsi rotational=1 raid_controller=hpsa raid_volume=yes
//! probe: write write=100@7ms depth=1
//! expect: warning says "a small write" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=scsi rotational=1 raid_controller=megaraid_sas raid_volume=yes
//! setting: cache_type = write through
//! ```
//! ```scene
//! disk: sda transport=scsi rotational=1 raid_controller=megaraid_sas raid_volume=yes
//! probe: fsync write=9000@60us sync=9000@40us
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: fsync write=100@1ms sync=100@9ms
//! ```
//! ```scene
//! disk: sda transport=scsi rotational=1 raid_controller=hpsa raid_volume=yes
//! probe: write write=900@30ms depth=32
//! ```
//! ```scene
//! disk: sda transport=sas rotational=1 raid_controller=mpt3sas
//! probe: fsync write=100@1ms sync=100@9ms
//! ```
//!
//! ## Seen
//! In the lab: `raid_without_cache`, a volume of QEMU's megasas, which has no cache, held to 120 writes a second: an fsync took
//! 28 ms.
//!
//! ## Sources
//! - Broadcom: StorCLI reference, `show bbu` and `wrcache`; HPE: Smart Storage Administrator, "no-battery write cache"
//! - Linux `Documentation/block/writeback_cache_control.rst`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::histogram::Histogram;
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "controller_cache_off",
    since: "0.1.0",
    summary: "a RAID controller whose writes wait for the platters",
    level: Level::Warning,
    risk: Risk::Danger,
    competing: &[
        "the cache is full of other writes: then a write after some idle seconds is fast",
        "a rebuild or patrol read runs in the controller: then its tool says so and reads are slow too",
        "the file system's journal is on another, slower device: then direct writes are fast and only fsync is slow",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randwrite -bs=4k -iodepth=1 -direct=1 # beside what storcli /call/vall show says of the cache (or ssacli, arcconf)",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const MS_MIN: f64 = 3.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let platters = |disk: &&Layer| {
        disk.fact("rotational") == Some("1") && disk.fact("raid_volume") == Some("yes")
    };
    // The loads go to the target; of several disks below nobody can say which one was slow.
    let disks = scene.disks();
    let [disk] = disks.as_slice() else {
        return Vec::new();
    };
    Some(*disk)
        .filter(platters)
        .and_then(|disk| finding(scene, disk))
        .into_iter()
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let controller = disk.fact("raid_controller")?;
    let ms = |times: &Histogram| times.mean_ns().map(|ns| ns / 1e6);
    let fsync = scene
        .probe(Role::Fsync)
        .and_then(|probe| ms(&probe.load.sync.latency))
        .map(|ms| ("an fsync", ms));
    let is_alone = |probe: &&Probe| probe.load.depth <= 1;
    let write = scene
        .all(Role::Write)
        .find(is_alone)
        .and_then(|probe| ms(&probe.load.write.latency));
    let (what, ms) = fsync
        .or(write.map(|ms| ("a small write", ms)))
        .filter(|(_, ms)| *ms >= MS_MIN)?;
    let cache = disk
        .setting("cache_type")
        .and_then(|setting| setting.value.value())
        .unwrap_or("unknown");
    Some(
        warning(&disk.name, format!("On {} {what} takes {ms} ms behind {controller}: its cache takes no writes.", disk.name, ms = units::decimals(ms, 1)))
            .shows(what, format!("{ms} ms", ms = units::decimals(ms, 2)))
            .shows("raid_controller", controller)
            .shows("cache_type", cache)
            .refuted_by("the controller's tool shows write-back with a healthy battery or capacitor")
            .advise("Look at the cache policy and the battery with the controller's tool; never force write-back without them.")
            // A write that ends in the controller's memory takes tens of µs: a factor of ten at least.
            .gains(9.0),
    )
}
