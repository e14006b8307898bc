//! # A disk that calls itself rotating and is not
//!
//! ## What it finds
//! A virtual disk with `rotational=1` whose random reads took less than 1 ms in the median: no platter does that. A
//! note: it is the default of virtio and harms little by itself.
//!
//! ## Why it matters
//! The kernel takes it for a hard disk: write-back throttling waits for 75 ms in place of 2, read-ahead is sized by
//! larger requests from Linux 6.17 on, bfq idles for the next request, and btrfs does not spread as it does on flash.
//!
//! ## What to try
//! Whether it matters, an experiment says. `echo 0 > /sys/block/DEVICE/queue/rotational`, then set scheduler and read-
//! ahead anew, since neither follows by itself.
//!
//! ## Example
//! ```scene
//! disk: vda transport=virtio rotational=1
//! probe: latency read=2000@300us depth=1 elapsed=1s
//! expect: note says "no rotating disk" about vda
//! ```
//! ```scene
//! disk: sda transport=virtio-scsi
//! setting: rotational = 1
//! probe: latency read=4000@180us depth=1 elapsed=1s
//! expect: note says "179 µs" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: vda transport=virtio rotational=1
//! ```
//! ```scene
//! disk: vda transport=virtio rotational=0
//! probe: latency read=2000@300us depth=1 elapsed=1s
//! ```
//! ```scene
//! disk: vda transport=virtio rotational=1
//! probe: latency read=100@7ms depth=1 elapsed=1s
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: latency read=2000@300us depth=1 elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `rotational_flag_wrong`.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `rotational`; `block/blk-wbt.c`: 2 ms and 75 ms
//! - actions/runner-images issue 13938: read-ahead of a disk that calls itself rotating

use crate::Medium;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "rotational_is_wrong",
    since: "0.1.0",
    summary: "a virtual flash disk that says it rotates",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "a hard disk whose host answers from its cache: then reads of a range larger than the host's memory take 5 ms and more",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("wbt_lat_usec").knob("read_ahead_kb")),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Half a turn of the fastest platter is 2 ms.
const FAST_US: f64 = 1000.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let is_virtual = |disk: &&Layer| scene.medium_of(disk) == Some(Medium::Virtual);
    let says = |disk: &&Layer| {
        let setting = disk.setting("rotational").and_then(|one| one.chosen());
        setting.or_else(|| disk.fact("rotational")) == Some("1")
    };
    let disks = scene.disks().into_iter().filter(is_virtual).filter(says);
    disks.filter_map(|disk| finding(scene, disk)).collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let probe = scene
        .probe(Role::Latency)
        .filter(|probe| probe.job.direct)?;
    let median = probe.percentile_us(0.5).filter(|us| *us < FAST_US)?;
    let time = units::duration_ns(median * 1e3);
    let claim = format!(
        "{} says that it rotates and reads 4 KiB in {time}: it is no rotating disk.",
        disk.name
    );
    let finding = note(&disk.name, claim)
        .shows("rotational", "1")
        .shows("read p50", &time)
        .refuted_by("reads of a range larger than the host's memory take milliseconds")
        .advise(
            "Set rotational to 0 by a udev rule, then scheduler and read-ahead, and prove each.",
        )
        .gains(0.02);
    Some(finding)
}
