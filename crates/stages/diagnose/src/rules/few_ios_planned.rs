//! # A job of too few I/Os
//!
//! ## What it finds
//! A job that ends by itself after fewer than 1,000 I/Os, all of its jobs together.
//!
//! ## Why it matters
//! The 99th percentile of 1,000 I/Os rests on the ten slowest, that of 100 on a single one. Rates of so short a run
//! are those of the start: opening, allocating, waking up.
//!
//! ## What to try
//! A larger `size`, or `time_based` with a `runtime`.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -bs=1m -rw=write -size=256m
//! target: device 480g
//! expect: warning says "256 I/Os"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -bs=1m -rw=write -size=1000m
//! target: device 480g
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -bs=1m -rw=write -size=256m -time_based -runtime=10
//! target: device 480g
//! ```
//!
//! ## Sources
//! - Order statistics: the largest of 100 samples lies beyond the 99th percentile in 63 of 100 runs

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "few_ios_planned",
    since: "0.1.0",
    summary: "a job that ends before its percentiles mean anything",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Ten I/Os above the 99th percentile.
const ENOUGH: u64 = 1000;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts)
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    let each = job.bytes_to_move(facts.range_bytes(job)?)? / job.bs.max(1);
    let ios = each.saturating_mul(u64::from(job.numjobs.max(1)));
    if ios >= ENOUGH || ios == 0 {
        return None;
    }
    let claim = format!(
        "The job is over after {ios} I/Os: its p99 would rest on the slowest {}.",
        ios.div_ceil(100)
    );
    let finding = warning(&section.name, claim)
        .shows("I/Os", ios)
        .advise("Use a larger size, or time_based with a runtime.")
        .at(section, &["size", "bs", "io_size"]);
    Some(finding)
}
