//! # A new read-ahead that open files do not have
//!
//! ## What it finds
//! A read-ahead that is smaller than what the kernel or a file would set, so that somebody changed it since the start, beside reads
//! that are larger than it allows.
//!
//! ## Why it matters
//! Each open file has its own copy, taken when it was opened. A database that runs since last week reads by last week's value, and
//! whoever compares before and after compares nothing.
//!
//! ## What to try
//! Restart the program, or have it open its files anew, and then compare.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! default: read_ahead_kb = 128
//! field: disk.reads_per_s sda 400
//! field: disk.size_read_bytes sda 90000
//! expect: note says "87.9 KiB" about sda
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 32
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 4096
//! field: disk.reads_per_s sda 100
//! field: disk.size_read_bytes sda 1048576
//! expect: note says "4096" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! default: read_ahead_kb = 128
//! field: disk.reads_per_s sda 400
//! field: disk.size_read_bytes sda 262144
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! default: read_ahead_kb = 128
//! field: disk.reads_per_s sda 400
//! field: disk.size_read_bytes sda 8192
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! default: read_ahead_kb = 128
//! ```
//!
//! ## Seen
//! In the lab: `readahead_kept`.
//!
//! ## Sources
//! - Linux `mm/readahead.c`, `file_ra_state_init`, called when a file is opened

use crate::causes_help_queue::configured;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_kept_by_open_files",
    since: "0.1.0",
    summary: "reads larger than a read-ahead that was made smaller since: files that were open before",
    level: Level::Note,
    risk: Risk::NeedsCare,
    competing: &[
        "the program reads directly in such sizes: then O_DIRECT stands in /proc/PID/fdinfo of its files (flag 040000)",
        "requests of neighbours are merged: then disk.read_merged_percent is high",
    ],
    experiment: Experiment::Line(
        "iodyno watch {device} # after the reader is started anew: the mean size of reads falls to the new value",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// How far above the window the mean lies.
const ABOVE: f64 = 1.1;
/// Fewer reads a second say nothing.
const SOME_PER_S: f64 = 10.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .queues()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let setting = disk.setting("read_ahead_kb")?;
    let now = setting.number()?;
    let wanted = configured(setting)
        .last()
        .and_then(|owner| owner.wants.clone());
    let wanted = wanted.or_else(|| Some(setting.default.as_ref()?.value.clone()))?;
    let before: f64 = wanted.parse().ok().filter(|before| *before > now)?;
    let of = |id: &str| scene.idle()?.get(id, &disk.name);
    let (rate, size) = (of("disk.reads_per_s")?, of("disk.size_read_bytes")?);
    if rate < SOME_PER_S || size < ABOVE * now.max(4.0) * 1024.0 {
        return None;
    }
    let claim = format!(
        "Reads of {} are {} on average, more than its read-ahead of {now} KiB: files opened before it was made smaller keep \
         {before} KiB.",
        disk.name,
        units::bytes(size),
        now = units::whole(now),
        before = units::whole(before)
    );
    let finding = note(&disk.name, claim)
        .shows("read_ahead_kb", now)
        .shows("before", before)
        .shows("mean read", units::bytes(size))
        .refuted_by("the reads stay as large after the reader was restarted")
        .advise("Restart the reader before comparing, or choose the value before it starts.")
        .gains(0.1);
    Some(finding)
}
