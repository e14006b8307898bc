//! # Bytes that never reached the device
//!
//! ## What it finds
//! More bytes in the result than the device's own counters have moved meanwhile, by more than 5 %.
//!
//! ## Why it matters
//! The difference was answered by a cache above the device, or, of buffered writes, was still in memory when the
//! run ended. With direct I/O there should be none: the flag was not honoured, or the blocks were holes.
//!
//! ## What to try
//! `direct=1` where it is honoured; a range beyond the cache; `end_fsync=1` for buffered writes.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=1m -iodepth=32
//! disk: sda transport=sata rotational=0
//! result: read=10240@3ms elapsed=10s
//! counters: sda read=1g written=0
//! expect: wrong says "90 % of the bytes read never reached sda"
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=write -bs=1m
//! disk: sda transport=sata rotational=0
//! result: write=10240@1ms elapsed=10s
//! counters: sda read=0 written=5g
//! expect: warning says "50 % of the bytes written"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=1m -iodepth=32
//! disk: sda transport=sata rotational=0
//! result: read=10240@3ms elapsed=10s
//! counters: sda read=9.8g written=0
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=1m -iodepth=32
//! disk: sda transport=sata rotational=0
//! result: read=10240@3ms elapsed=10s
//! ```
//!
//! The last writes before the end were not synced yet:
//!
//! ```facts
//! fio: -ioengine=psync -rw=write -bs=4k -fsync=1
//! disk: sda transport=sata rotational=0
//! result: write=15@40ms elapsed=1s
//! counters: sda read=0 written=56k
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/iostats.rst`

use crate::finding::{With, found};
use crate::measured::{MeasuredStage, stages};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Job;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "answered_by_cache",
    since: "0.1.0",
    summary: "bytes that the device never saw",
    level: Level::Wrong,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &["loop_outruns_disk", "loop_without_direct_io"],
    judge,
};

/// Share that samples at the edges of a run may be off.
const TOLERANCE: f64 = 0.05;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let Some(device) = facts.path.and_then(|path| path.queue_device()) else {
        return Vec::new();
    };
    let stages = stages(facts);
    stages
        .iter()
        .flat_map(|stage| of_stage(facts, &device.name, stage))
        .collect()
}

fn of_stage(facts: &RuleFacts<'_>, device: &str, stage: &MeasuredStage<'_>) -> Vec<Finding> {
    let Some(seen) = stage.window.device_bytes(facts.sensors, device) else {
        return Vec::new();
    };
    let sides = [
        ("read", stage.read_bytes, seen.read),
        ("written", stage.write_bytes, seen.written),
    ];
    let one = |(what, ours, device_has): (&str, f64, f64)| {
        let under_way = if what == "read" { 0.0 } else { unsynced(stage) };
        let missing = 1.0 - (device_has + under_way) / ours.max(1.0);
        (ours > 0.0 && missing > TOLERANCE).then(|| finding(stage, device, what, ours, device_has))
    };
    sides.into_iter().filter_map(one).collect()
}

/// Bytes that jobs which sync now and then may have written since their last sync.
fn unsynced(stage: &MeasuredStage<'_>) -> f64 {
    let jobs = stage.sections.iter().map(|section| &section.job);
    let of = |job: &Job| {
        let writes = u64::from(job.fsync.max(job.fdatasync)) * u64::from(job.numjobs.max(1));
        (writes * job.max_bs()) as f64
    };
    jobs.map(of).sum()
}

fn finding(stage: &MeasuredStage<'_>, device: &str, what: &str, ours: f64, seen: f64) -> Finding {
    let level = if stage.is_direct() {
        Level::Wrong
    } else {
        Level::Warning
    };
    let share = (1.0 - seen / ours) * 100.0;
    let why = match (stage.is_direct(), what) {
        (true, _) => "although it was direct I/O: a cache or the file system has answered",
        (false, "read") => "the page cache has answered",
        (false, _) => "they were still in memory when the run ended",
    };
    let claim = format!(
        "{share} of the bytes {what} never reached {device}; {why}.",
        share = units::percent_whole(share)
    )
    .replace("; although", ", although");
    found(level, stage.name(), claim)
        .shows("load", units::bytes(ours))
        .shows(device, units::bytes(seen))
        .refuted_by("The device's counters are switched off (queue/iostats is 0).")
        .advise("Use direct=1 where it is honoured, a range beyond the cache, or end_fsync=1.")
}
