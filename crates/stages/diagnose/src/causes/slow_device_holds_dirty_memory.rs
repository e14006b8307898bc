//! # One slow device that holds the dirty pages
//!
//! ## What it finds
//! A device that has half and more of all dirty pages and needs more than 15 s to write them, while it may have all of the dirty
//! memory (`max_ratio` 100). It is a warning where writers wait already.
//!
//! ## Why it matters
//! The limit is one for the machine. A USB stick or a network share that fills it makes the writers of fast disks wait too.
//!
//! ## What to try
//! `max_ratio` of the device's bdi, and `strict_limit` 1 (Linux 6.2 and later) so that it holds from the first page; with
//! `max_ratio` 100 `strict_limit` does nothing.
//!
//! ## Example
//! ```scene
//! disk: sdb transport=usb
//! field: bdi.dirty_bytes sdb 700000000
//! field: bdi.writeback_bytes sdb 50000000
//! field: bdi.write_bandwidth_bytes_per_s sdb 15000000
//! field: bdi.max_ratio_percent sdb 100
//! field: memory.dirty_bytes 900000000
//! expect: note says "50 s" about sdb
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: bdi.dirty_bytes sdb 700000000
//! field: bdi.write_bandwidth_bytes_per_s sdb 15000000
//! field: memory.dirty_bytes 900000000
//! field: memory.dirty_threshold_bytes 1000000000
//! field: memory.dirty_background_threshold_bytes 500000000
//! expect: warning says "sdb holds" about sdb
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! field: bdi.dirty_bytes sda 700000000
//! field: bdi.write_bandwidth_bytes_per_s sda 500000000
//! field: memory.dirty_bytes 900000000
//! ```
//! ```scene
//! disk: sdb transport=usb
//! field: bdi.dirty_bytes sdb 700000000
//! field: bdi.write_bandwidth_bytes_per_s sdb 15000000
//! field: bdi.max_ratio_percent sdb 1
//! field: memory.dirty_bytes 900000000
//! ```
//!
//! ## Seen
//! In the lab: `stick_full_of_dirty`.
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-class-bdi`, `max_ratio`, `strict_limit`
//! - LWN 572911, "The pernicious USB-stick stall problem"
//! - A half and 15 s are proposals of this project: half of the time after which the kernel calls a page old.

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "slow_device_holds_dirty_memory",
    since: "0.1.0",
    summary: "a slow device that holds most of the dirty pages, so that writers of others wait",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "it is the only device that is written to: then nobody else waits",
        "the kernel has seen little of it and believes too low a rate: then bdi.write_bandwidth rises while it writes",
    ],
    experiment: Experiment::Line(
        "sudo iodyno set max_ratio=5 {target} # and watch memory.dirty_bytes in iodyno watch",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Writeback],
    yields_to: &[],
    judge,
};

/// Share of all dirty pages.
const SHARE: f64 = 0.5;
/// Time to write them, s.
const LONG_S: f64 = 15.0;
/// Less than this in all is no trouble, bytes.
const LEAST: f64 = 100e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let mut seen: Vec<Finding> = Vec::new();
    // What a load of ours writes is its own doing.
    let theirs = scene.frames().filter(|(role, _)| {
        matches!(
            role,
            Role::Idle | Role::Latency | Role::Depth | Role::Stream | Role::Streams
        )
    });
    for finding in theirs.flat_map(|(_, frame)| of_frame(frame)) {
        if !seen.iter().any(|one| one.section == finding.section) {
            seen.push(finding);
        }
    }
    seen
}

fn of_frame(frame: &Frame) -> Vec<Finding> {
    frame
        .each("bdi.dirty_bytes")
        .filter_map(|(device, dirty)| finding(frame, device, dirty))
        .collect()
}

fn finding(frame: &Frame, device: &str, dirty: f64) -> Option<Finding> {
    let of = |id: &str| frame.get(id, device);
    let own = dirty + of("bdi.writeback_bytes").unwrap_or(0.0);
    let rate = of("bdi.write_bandwidth_bytes_per_s").filter(|rate| *rate > 0.0)?;
    let all = frame.get("memory.dirty_bytes", "")?
        + frame.get("memory.writeback_bytes", "").unwrap_or(0.0);
    let is_bounded = of("bdi.max_ratio_percent").is_some_and(|percent| percent < 100.0);
    let seconds = own / rate;
    if is_bounded || own < LEAST || own < SHARE * all || seconds < LONG_S {
        return None;
    }
    let limits = frame
        .get("memory.dirty_threshold_bytes", "")
        .zip(frame.get("memory.dirty_background_threshold_bytes", ""));
    let waits = limits.is_some_and(|(limit, background)| all > (limit + background) / 2.0);
    let level = if waits { Level::Warning } else { Level::Note };
    let start = format!(
        "{device} holds {} of dirty pages and needs {seconds} s to write them",
        units::bytes(own),
        seconds = units::whole(seconds)
    );
    let claim = if waits {
        format!("{start}; all writers of this machine wait.")
    } else {
        format!("{start}.")
    };
    let finding = found(level, device, claim)
        .shows("bdi.dirty_bytes", units::bytes(own))
        .shows("all dirty pages", units::bytes(all))
        .shows("bdi.write_bandwidth_bytes_per_s", units::bytes_per_s(rate))
        .refuted_by("writers of other devices do not wait while it is full")
        .advise("Bound its share: max_ratio and strict_limit of its bdi.")
        .gains(if waits { 0.5 } else { 0.1 });
    Some(finding)
}
