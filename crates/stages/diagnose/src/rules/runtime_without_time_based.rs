//! # A runtime that the size may cut short
//!
//! ## What it finds
//! `runtime` without `time_based`, where the disk could move all of the `size` before the time is up.
//!
//! ## Why it matters
//! In fio `runtime` is a limit, not a length. Of two disks the faster one then runs for a shorter time, at another
//! part of its caches and of its wear: 20 GiB took one disk 60 s, another 20 s.
//!
//! ## What to try
//! `time_based`, with a range that is large enough for the cache question.
//!
//! ## Example
//! ```facts
//! fio: -filename=/dev/loop5 -direct=1 -rw=read -ioengine=psync -bs=16k -size=20G -runtime=60
//! target: device 200g
//! disk: nvme0n1 transport=nvme rotational=0
//! expect: warning says "from 341 MiB/s on" fix time_based=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -filename=/dev/sda -direct=1 -rw=read -ioengine=psync -bs=16k -size=20G -runtime=60 -time_based
//! target: device 200g
//! disk: sda transport=sata rotational=0
//! ```
//!
//! ```facts
//! fio: -filename=/dev/sda -direct=1 -rw=read -ioengine=psync -bs=16k -size=20G -runtime=60
//! target: device 4t
//! disk: sda transport=sata rotational=1
//! ```
//!
//! ```facts
//! fio: -filename=/dev/sda -direct=1 -rw=read -ioengine=psync -bs=16k -size=20G
//! target: device 200g
//! ```
//!
//! ## Sources
//! - fio HOWTO, `runtime`, `time_based`. What a disk could move: 350 MB/s rotating, 1.2 GB/s SATA and SAS flash, 4
//!   GB/s
//!   network and virtual, 15 GB/s NVMe and unknown; ceilings of this project

use crate::Medium;
use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "runtime_without_time_based",
    since: "0.1.0",
    summary: "a run that its size may end before its time",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts)
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    if job.runtime_ms == 0 || job.is_paced() {
        return None;
    }
    let each = job.bytes_to_move(facts.range_bytes(job)?)?;
    let bytes = each.saturating_mul(u64::from(job.numjobs.max(1)));
    let needed = bytes as f64 / job.runtime_ms as f64 * 1e3;
    let ceiling = facts.medium().unwrap_or(Medium::Nvme).rate_ceiling();
    if ceiling.is_some_and(|ceiling| needed > ceiling) {
        return None;
    }
    let claim = format!(
        "runtime without time_based is a limit, not a length: from {} on the job ends with its size, before {}.",
        units::bytes_per_s(needed),
        units::span_ms(job.runtime_ms)
    );
    let finding = warning(&section.name, claim)
        .shows("size of all jobs", units::bytes(bytes as f64))
        .shows("runtime", units::span_ms(job.runtime_ms))
        .advise("Use time_based.")
        .set("time_based", 1)
        .at(section, &["runtime"]);
    Some(finding)
}
