//! # Others on the same device
//!
//! ## What it finds
//! More bytes moved by the device than by a direct load, by more than 5 % of the load. The 5 % are a proposal of
//! this project. Only what lies between two samples within the load counts, so that nothing of before or after is taken
//! for others: on a machine that samples rarely they must have moved more to be seen.
//!
//! ## Why it matters
//! Somebody else has used the disk meanwhile. Both took from each other: the rate is too low, the latency too high,
//! and the next run will differ. (The journal of the load's own file system counts as others, too.)
//!
//! ## What to try
//! A quiet machine, or `iodyno tune`, whose alternating windows hit both sides alike.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=1m -iodepth=32
//! disk: sda transport=sata rotational=0
//! result: read=10240@3ms elapsed=10s
//! counters: sda read=10g written=2g
//! expect: warning says "2.00 GiB"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=1m -iodepth=32
//! disk: sda transport=sata rotational=0
//! result: read=10240@3ms elapsed=10s
//! counters: sda read=10.2g written=100m
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=randread -bs=1m
//! disk: sda transport=sata rotational=0
//! result: read=10240@3ms elapsed=10s
//! counters: sda read=20g written=2g
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/iostats.rst`

use crate::finding::{With, warning};
use crate::measured::{MeasuredStage, stages};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "others_on_device",
    since: "0.1.0",
    summary: "I/O of others on the same device",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: Some(Level::Note),
    explains: &[],
    yields_to: &["busy_before_load", "device_saturated"],
    judge,
};

const TOLERANCE: f64 = 0.05;

/// Less than this is housekeeping of a file system.
const LEAST: f64 = 16.0 * 1048576.0;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let Some(device) = facts.path.and_then(|path| path.queue_device()) else {
        return Vec::new();
    };
    stages(facts)
        .iter()
        .filter_map(|stage| one(facts, &device.name, stage))
        .collect()
}

fn one(facts: &RuleFacts<'_>, device: &str, stage: &MeasuredStage<'_>) -> Option<Finding> {
    // Read-ahead and writeback of a buffered load, and what a ramp moved, cannot be told from others.
    let is_plain = stage.is_direct()
        && stage
            .sections
            .iter()
            .all(|section| section.job.ramp_ms == 0);
    let seen = stage
        .window
        .device_bytes_least(facts.sensors, device)
        .filter(|_| is_plain)?;
    let ours = stage.read_bytes + stage.write_bytes;
    let others =
        (seen.read - stage.read_bytes).max(0.0) + (seen.written - stage.write_bytes).max(0.0);
    if ours <= 0.0 || others < LEAST || others <= ours * TOLERANCE {
        return None;
    }
    let claim = format!(
        "Others moved at least {} on {device} meanwhile ({} of what the load moved): the rate is too low by an unknown part.",
        units::bytes(others),
        units::percent_whole(others / ours * 100.0)
    );
    let finding = warning(stage.name(), claim)
        .shows("load", units::bytes(ours))
        .shows(device, units::bytes(seen.read + seen.written))
        .refuted_by(
            "The difference is the file system's own: its journal, or a layer that writes twice.",
        )
        .advise("Stop the others, or compare in alternating windows with iodyno tune.");
    Some(finding)
}
