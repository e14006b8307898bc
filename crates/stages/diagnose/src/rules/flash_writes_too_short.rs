//! # Flash writes that end before they settle
//!
//! ## What it finds
//! Writes to a flash disk for less than 30 minutes and less than twice its capacity, without a `steadystate` rule.
//! The 30 minutes are a proposal of this project; SNIA's rule is the twofold capacity and then a settled rate.
//!
//! ## Why it matters
//! A fresh or trimmed disk has erased blocks in stock, and a fast part (SLC) takes the first gigabytes. Random
//! writes are then several times faster than they are once garbage collection has begun, and so are reads beside
//! them.
//!
//! ## What to try
//! Fill the disk, write its capacity again at random, and measure when the rate has settled; or call the figure a
//! burst.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -iodepth=32 -size=16G -runtime=60
//! target: device 480g
//! disk: sda transport=sata rotational=0 size_bytes=515396075520
//! expect: note says "burst"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -iodepth=32 -time_based -runtime=1800
//! target: device 480g
//! disk: sda transport=sata rotational=0 size_bytes=515396075520
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -iodepth=32 -size=16G -runtime=60
//! target: device 480g
//! disk: sda transport=sata rotational=1 size_bytes=515396075520
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -iodepth=32 -size=16G -steadystate=iops_slope:5% -steadystate_duration=60
//! target: device 480g
//! disk: sda transport=sata rotational=0 size_bytes=515396075520
//! ```
//!
//! ## Sources
//! - SNIA, Solid State Storage Performance Test Specification, preconditioning

use crate::Medium;
use crate::facts::block_sections;
use crate::finding::{With, note};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "flash_writes_too_short",
    since: "0.1.0",
    summary: "a write test that sees the first minutes only",
    level: Level::Note,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const LONG_MS: u64 = 30 * 60 * 1000;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    if !facts.medium().is_some_and(Medium::is_flash) {
        return Vec::new();
    }
    block_sections(facts)
        .filter(|section| is_short(facts, section))
        .map(finding)
        .collect()
}

fn is_short(facts: &RuleFacts<'_>, section: &Section) -> bool {
    let job = &section.job;
    let capacity = facts
        .disk()
        .and_then(|disk| disk.facts.get("size_bytes")?.parse::<u64>().ok());
    let moves = facts
        .range_bytes(job)
        .and_then(|range| job.bytes_to_move(range));
    let all = moves.map(|bytes| bytes.saturating_mul(u64::from(job.numjobs.max(1))));
    let is_small = all
        .zip(capacity)
        .is_some_and(|(bytes, capacity)| bytes < capacity.saturating_mul(2));
    let is_brief = job.runtime_ms > 0 && job.runtime_ms < LONG_MS;
    job.rw.is_random() && job.rw.writes() && job.steadystate.is_none() && (is_small || is_brief)
}

fn finding(section: &Section) -> Finding {
    let claim = "Random writes to flash for so short a time are a burst: until its stock of erased blocks is used up \
                 the disk is faster than it will be.";
    note(&section.name, claim)
        .refuted_by("The rate stays the same after twice the capacity was written.")
        .advise("Write twice the capacity first, or call the figure a burst.")
        .at(section, &["rw", "readwrite", "runtime", "size"])
}
