//! # A loop device that outran its disk
//!
//! ## What it finds
//! A load on a loop device that moved more bytes than the disk below the backing file, by more than 5 %. One that does direct I/O
//! itself (`dio` 1) has no page cache below it.
//!
//! ## Why it matters
//! The rest came from the page cache of the backing file. The loop device's own counters show every byte, so the
//! usual comparison with the target's counters sees nothing.
//!
//! ## What to try
//! `iodyno set dio=1 TARGET`, or the backing file's disk as the target.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=1m
//! loop: loop5 dio=0
//! filesystem: ext4
//! disk: nvme0n1 transport=nvme
//! result: read=20480@900us elapsed=20s
//! counters: loop5 read=20g written=0
//! counters: nvme0n1 read=2g written=0
//! expect: wrong says "loop5 moved 20.0 GiB" says "nvme0n1 below it 2.00 GiB"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=1m
//! loop: loop5 dio=1
//! filesystem: ext4
//! disk: nvme0n1 transport=nvme
//! result: read=20480@900us elapsed=20s
//! counters: loop5 read=20g written=0
//! counters: nvme0n1 read=19.5g written=0
//! ```
//! The sensors were late at an edge:
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=1m
//! loop: loop5 dio=1
//! filesystem: ext4
//! disk: nvme0n1 transport=nvme
//! result: read=20480@900us elapsed=20s
//! counters: loop5 read=20g written=0
//! counters: nvme0n1 read=17g written=0
//! ```
//!
//! ## Sources
//! - A field report of 1,041 MiB/s from a cached loop device

use crate::finding::{With, wrong};
use crate::measured::{MeasuredStage, stages};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::text::shell_word;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "loop_outruns_disk",
    since: "0.1.0",
    summary: "a loop device that was faster than its disk",
    level: Level::Wrong,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[],
    judge,
};

const TOLERANCE: f64 = 0.05;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let layers = facts.layers();
    let caches = |layer: &Layer| layer.fact("dio") != Some("1");
    let looped = layers
        .iter()
        .find(|layer| layer.kind == LayerKind::Loop && caches(layer));
    let disks: Vec<&str> = layers
        .iter()
        .filter(|layer| layer.kind == LayerKind::Disk)
        .map(|layer| layer.name.as_str())
        .collect();
    // Of several disks nobody knows which ones hold the file.
    let (Some(looped), [disk]) = (looped, disks.as_slice()) else {
        return Vec::new();
    };
    stages(facts)
        .iter()
        .filter_map(|stage| one(facts, &looped.name, disk, stage))
        .collect()
}

fn one(
    facts: &RuleFacts<'_>,
    looped: &str,
    disk: &str,
    stage: &MeasuredStage<'_>,
) -> Option<Finding> {
    let ours = stage.read_bytes + stage.write_bytes;
    let seen = stage.window.device_bytes(facts.sensors, disk)?;
    let below = seen.read + seen.written;
    if ours <= 0.0 || below >= ours * (1.0 - TOLERANCE) {
        return None;
    }
    let claim = format!(
        "{looped} moved {} and {disk} below it {}: the page cache of the backing file has answered the rest.",
        units::bytes(ours),
        units::bytes(below)
    );
    let finding = wrong(stage.name(), claim)
        .shows(looped, units::bytes(ours))
        .shows(disk, units::bytes(below))
        .refuted_by("The backing file lies on another disk than the path says.")
        .advise(format!(
            "sudo iodyno set dio=1 /dev/{} # turns direct I/O on; or load the disk below",
            shell_word(looped)
        ));
    Some(finding)
}
