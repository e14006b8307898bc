//! # Reads faster than the medium
//!
//! ## What it finds
//! A median latency of random reads below what the medium can do: 1 ms on a rotating disk, 40 µs on SATA, SAS or
//! USB flash, 100 µs over a network. The floors are proposals of this project, chosen well below what such disks
//! reach.
//!
//! ## Why it matters
//! Something in between has answered: the page cache, a loop device's backing file, a RAID controller, the array,
//! the host. Hard disks with 10 µs have been put into tables this way.
//!
//! ## What to try
//! `direct=1`, a range of many times the cache in question, and data that was written before.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -rw=randread
//! disk: sda transport=sata rotational=1
//! result: read=900000@10us+100000@8ms elapsed=60s
//! expect: wrong says "10.0 µs or less" says "a rotating disk"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread
//! disk: sda transport=sata rotational=1
//! result: read=10000@6ms elapsed=60s
//! ```
//!
//! A stick, whose flag says that it rotates:
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread
//! disk: sda transport=usb rotational=1
//! result: read=90000@600us elapsed=60s
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read
//! disk: sda transport=sata rotational=1
//! result: read=900000@60us elapsed=60s
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread
//! disk: sda transport=sata rotational=0
//! result: read=900000@45us elapsed=60s
//! ```
//!
//! ## Sources
//! - Half a turn at 15,000 rpm takes 2 ms; makers' data sheets for flash and networks

use crate::finding::{With, wrong};
use crate::measured::block_results;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "faster_than_medium",
    since: "0.1.0",
    summary: "reads faster than the medium can be",
    level: Level::Wrong,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts)
        .filter_map(|result| one(facts, result))
        .collect()
}

fn one(facts: &RuleFacts<'_>, result: &SectionResult) -> Option<Finding> {
    // Most USB sticks and bridges leave the flag that says that they rotate as it is.
    let disk = facts.disk();
    if disk.is_some_and(|disk| {
        disk.fact("transport") == Some("usb") && disk.fact("rotational") == Some("1")
    }) {
        return None;
    }
    let medium = facts.medium()?;
    let floor_ns = medium.read_floor_ns()?;
    let median_ns = result.load.read.latency.quantile_ns(0.5)?;
    // Sequential reads are fetched ahead by the disk itself and may well be faster.
    if !result.job.rw.is_random() || median_ns >= floor_ns {
        return None;
    }
    let claim = format!(
        "Half of the random reads took {} or less, and {} needs more than {}: a cache has answered.",
        units::duration_ns(median_ns as f64),
        medium.phrase(),
        units::duration_ns(floor_ns as f64)
    );
    let finding = wrong(&result.name, claim)
        .shows("p50", units::duration_ns(median_ns as f64))
        .shows("floor", units::duration_ns(floor_ns as f64))
        .refuted_by("The disk is of another kind than the kernel says.")
        .advise("Use direct=1 and a range of many times the cache that is in the way.");
    Some(finding)
}
