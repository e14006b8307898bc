//! # A ramp that eats the run
//!
//! ## What it finds
//! `ramp_time` on a job that ends with its `size`, or a `ramp_time` longer than the `runtime`.
//!
//! ## Why it matters
//! I/O of the ramp counts towards the `size`, so a job that is not `time_based` may be over before its measurement
//! begins. A measurement shorter than its ramp is short.
//!
//! ## What to try
//! `time_based` with a `runtime` of several ramps.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -size=1G -ramp_time=10
//! expect: warning says "counts towards" fix time_based=1 fix runtime=60
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -size=1G -ramp_time=30 -time_based -runtime=10
//! expect: warning says "shorter than its ramp" fix runtime=60
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -size=1G -ramp_time=10 -time_based -runtime=60
//! ```
//!
//! ## Sources
//! - fio HOWTO, `ramp_time`; fio issues 748 and 596

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "ramp_eats_run",
    since: "0.1.0",
    summary: "a ramp that leaves little to measure",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// A corrected job runs for at least this many seconds.
const RUNTIME_S: u64 = 60;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts)
        .filter(|section| section.job.ramp_ms > 0)
        .filter_map(one)
        .collect()
}

fn one(section: &Section) -> Option<Finding> {
    let job = &section.job;
    let ramp = units::span_ms(job.ramp_ms);
    let claim = if !job.time_based {
        format!(
            "What the ramp of {ramp} moves counts towards the size: the job may be over before it is measured."
        )
    } else if job.runtime_ms > 0 && job.runtime_ms < job.ramp_ms {
        format!(
            "The measured time, {}, is shorter than its ramp of {ramp}.",
            units::span_ms(job.runtime_ms)
        )
    } else {
        return None;
    };
    let finding = warning(&section.name, claim)
        .shows("ramp_time", ramp)
        .advise("Use time_based with a runtime of several ramps.")
        .at(section, &["ramp_time"]);
    let finding = if job.time_based {
        finding
    } else {
        finding.set("time_based", 1)
    };
    let runtime_s = (job.ramp_ms * 2).div_ceil(1000).max(RUNTIME_S);
    Some(if job.runtime_ms < job.ramp_ms {
        finding.set("runtime", runtime_s)
    } else {
        finding
    })
}
