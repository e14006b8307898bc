//! # A disk that was busy before anything was loaded
//!
//! ## What it finds
//! A disk of the path with requests under way for more than half of the time before a check's first load, and at least 20 of them a
//! second; where no disk is so busy, a loop device, an array or a mapped device above. The programs that read and wrote most are named
//! where the sensors saw them.
//!
//! ## Why it matters
//! Whoever shares the disk gets what they leave. It is also why every figure of the check is too low by an unknown part.
//!
//! ## What to try
//! Find out whether that program should run now and as fast as it does; give it a limit or a weight of its own (`io.max`,
//! `io.weight`), another disk, or another time of day.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0
//! field: disk.busy_percent sda 98
//! field: disk.reads_per_s sda 400
//! field: disk.writes_per_s sda 2
//! field: disk.read_bytes_per_s sda 104857600
//! field: disk.write_bytes_per_s sda 8192
//! field: process.read_bytes_per_s dd.77 104857600
//! expect: warning says "dd.77" says "98 %" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.busy_percent sda 70
//! field: disk.reads_per_s sda 0
//! field: disk.writes_per_s sda 90
//! field: disk.read_bytes_per_s sda 0
//! field: disk.write_bytes_per_s sda 1048576
//! expect: warning says "90 I/Os a second" about sda
//! ```
//! The neighbour reads what the host has in memory:
//! ```scene
//! loop: loop0 dio=1
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! field: disk.busy_percent loop0 88
//! field: disk.reads_per_s loop0 103000
//! field: disk.writes_per_s loop0 0
//! field: disk.busy_percent sda 31
//! field: disk.reads_per_s sda 7500
//! field: disk.writes_per_s sda 0
//! expect: warning says "88 %" about loop0
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=0
//! field: disk.busy_percent sda 98
//! field: disk.reads_per_s sda 4
//! field: disk.writes_per_s sda 2
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! field: disk.busy_percent sda 8
//! field: disk.reads_per_s sda 400
//! field: disk.writes_per_s sda 2
//! ```
//! Under our own load a busy disk is no news:
//! ```scene
//! disk: sda transport=sata rotational=0
//! probe: depth read=9000@1ms depth=32
//! field: disk.busy_percent sda 100
//! field: disk.reads_per_s sda 9000
//! field: disk.writes_per_s sda 0
//! ```
//!
//! ## Seen
//! In the lab: `busy_neighbour`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/iostats.rst`, field 10
//! - Half of the time and 20 I/Os a second are proposals of this project.

use crate::finding::{With, warning};
use crate::seen::{busiest, others_share};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "busy_before_load",
    since: "0.1.0",
    summary: "other programs keep the disk busy",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "it only looked busy: on disks that serve many requests at a time the figures rise when more is asked at once",
    ],
    experiment: Experiment::Line(
        "iodyno watch {device} # then the check again while that program is stopped",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &["device_saturated"],
    judge,
};

const BUSY_PERCENT: f64 = 50.0;
const IOS_MIN: f64 = 20.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(frame) = scene.idle() else {
        return Vec::new();
    };
    let disks = scene.disks().into_iter();
    let of_disks: Vec<Finding> = disks
        .filter_map(|disk| finding(scene, frame, disk))
        .collect();
    let mut above = scene
        .queues()
        .filter_map(|queue| finding(scene, frame, queue));
    match of_disks.is_empty() {
        true => above.next().into_iter().collect(),
        false => of_disks,
    }
}

fn finding(scene: &Scene<'_>, frame: &Frame, disk: &Layer) -> Option<Finding> {
    let name = &disk.name;
    let of = |id: &str| frame.get(id, name).unwrap_or(0.0);
    let busy = frame
        .get("disk.busy_percent", name)
        .filter(|busy| *busy >= BUSY_PERCENT)?;
    let ios = of("disk.reads_per_s") + of("disk.writes_per_s");
    if ios < IOS_MIN {
        return None;
    }
    let bytes = of("disk.read_bytes_per_s") + of("disk.write_bytes_per_s");
    let who = busiest(frame)
        .map(|(who, _)| format!(", most of them for {who}"))
        .unwrap_or_default();
    let claim = format!(
        "{name} was busy for {busy} of the time before any load: {ios} I/Os a second, {}{who}.",
        units::bytes_per_s(bytes),
        busy = units::percent_whole(busy),
        ios = units::whole(ios)
    );
    let mut found = warning(name, claim)
        .shows("disk.busy_percent", units::whole(busy))
        .shows("disk.reads_per_s + disk.writes_per_s", units::whole(ios))
        .refuted_by("the check gives the same while those programs rest")
        .advise("See whether that program has to run now and so fast; give it a limit, another disk or another time.")
        .gains((busy / 100.0 / (1.01 - (busy / 100.0).min(1.0))).min(2.0));
    if let Some((load, share)) = others_share(scene, disk) {
        found = found.costs(load, share);
    }
    if let Some((who, bytes)) = busiest(frame) {
        found = found.shows("process", format!("{who} {}", units::bytes_per_s(bytes)));
    }
    Some(found)
}
