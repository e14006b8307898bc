//! # A disk that is 100 % busy and can do more
//!
//! Also: `%util`.
//!
//! ## What it finds
//! iostat's %util at 95 % or more on a disk that gave at least half as much again when more was asked of it: in the load of others
//! before the check, compared with the best the check reached; or at a depth of four or more, compared with greater depths.
//! The shares are proposals of this project.
//!
//! ## Why it matters
//! %util is the share of the time in which anything was in flight. A disk that serves many requests at once is 100 % busy with
//! one of them. An alarm on it fires long before the disk is full, and says nothing when it is. svctm, where an old iostat
//! still prints it, is computed from it.
//!
//! ## What to try
//! Judge saturation by the response curve and the queue: `aqu-sz` beside the knee, and await that grows with it.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.busy_percent nvme0n1 98
//! field: disk.reads_per_s nvme0n1 9000
//! probe: depth read=90000@300us depth=32
//! field: disk.reads_per_s nvme0n1 91000
//! expect: note says "98 % busy" says "10 %" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=30000@130us depth=4
//! field: disk.busy_percent nvme0n1 100
//! field: disk.reads_per_s nvme0n1 30000
//! probe: depth read=90000@300us depth=32
//! field: disk.busy_percent nvme0n1 100
//! field: disk.reads_per_s nvme0n1 90000
//! expect: note says "33 %" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.busy_percent sda 99
//! field: disk.reads_per_s sda 120
//! probe: depth read=150@200ms depth=32
//! field: disk.busy_percent sda 100
//! field: disk.reads_per_s sda 150
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.busy_percent nvme0n1 40
//! field: disk.reads_per_s nvme0n1 9000
//! probe: depth read=90000@300us depth=32
//! field: disk.reads_per_s nvme0n1 91000
//! ```
//! ```scene
//! disk: sda transport=usb rotational=1
//! probe: depth read=63@24ms depth=1
//! field: disk.busy_percent sda 99
//! field: disk.reads_per_s sda 63
//! probe: depth read=25@120ms depth=4
//! field: disk.busy_percent sda 100
//! field: disk.reads_per_s sda 25
//! ```
//!
//! ## Seen
//! In the lab: `bfq_on_nvme`, `ncq_off`.
//!
//! ## Sources
//! - iostat(1), %util: "for devices serving requests in parallel … this number does not reflect their performance limits"
//! - Linux `Documentation/admin-guide/iostats.rst`, field 10

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "busy_percent_misleads",
    since: "0.1.0",
    summary: "%util near 100 on a device that can do much more",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the earlier load was of larger or more costly I/Os: then its bytes a second are near the device's best although its I/Os are not",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep iodepth=1..256 -- -ioengine=io_uring -rw=randread -bs=4k -direct=1",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const BUSY_PERCENT: f64 = 95.0;
/// With less than this share of the best there is room for half as much again.
const SHARE_MAX: f64 = 0.67;
/// At depth 1 everybody knows.
const DEPTH_MIN: u32 = 4;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let name = disk.name.as_str();
    let curve = scene.curve();
    // Only a deeper load shows room above a step: a lighter one that gave more shows that the disk became slower.
    let best_from = |depth: u32| {
        let deeper = curve.iter().filter(|(one, _)| *one >= depth);
        deeper
            .filter_map(|(_, probe)| parts::rate(&probe.frame, name))
            .max_by(f64::total_cmp)
    };
    let others = scene
        .idle()
        .map(|frame| ("under the load of others", 0, frame));
    let steps = curve.iter().filter(|(depth, _)| *depth >= DEPTH_MIN);
    let steps = steps.map(|(depth, probe)| ("in a load of the check", *depth, &probe.frame));
    let misled = |(whose, depth, frame): (&'static str, u32, &Frame)| {
        let busy = frame
            .get("disk.busy_percent", name)
            .filter(|busy| *busy >= BUSY_PERCENT)?;
        let best = best_from(depth)?;
        let share = parts::rate(frame, name)? / best;
        (share > 0.0 && share < SHARE_MAX).then_some((whose, busy, share, best))
    };
    let (whose, busy, share, best) = others.into_iter().chain(steps).find_map(misled)?;
    let percent = share * 100.0;
    Some(
        note(
            name,
            format!(
                "{name} was {busy} busy {whose} and did {percent} of what it can: it was not full.",
                busy = units::percent_whole(busy),
                percent = units::percent_whole(percent)
            ),
        )
        .shows("disk.busy_percent", units::whole(busy))
        .shows(
            "I/Os a second",
            format!(
                "{} of {best}",
                units::whole(share * best),
                best = units::whole(best)
            ),
        )
        .refuted_by("deeper queues give no more I/Os of the same size")
        .advise("Take the queue's length against the knee of the curve for saturation, not %util."),
    )
}
