//! # A run that ended before its time
//!
//! ## What it finds
//! A run that was over in less than 90 % of its `runtime`, because its size was done.
//!
//! ## Why it matters
//! A shorter run sees another part of caches, bursts and wear, so two disks that ran for different times cannot be
//! compared.
//!
//! ## What to try
//! `time_based`.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=16k -size=20G -runtime=60
//! result: read=1310720@14us elapsed=20s
//! expect: warning says "after 20 s of 60 s" fix time_based=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=16k -size=20G -runtime=60
//! result: read=393000@152us elapsed=60s
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=16k -size=20G
//! result: read=1310720@14us elapsed=20s
//! ```
//!
//! ## Sources
//! - A field report that compares 60 s on one disk with 20 s on another

use crate::finding::{With, warning};
use crate::measured::block_results;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "ended_early",
    since: "0.1.0",
    summary: "a run that its size ended before its time",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const MOST: f64 = 0.9;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts).filter_map(one).collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let (job, load) = (&result.job, &result.load);
    let is_early =
        !job.time_based && job.runtime_ms > 0 && load.elapsed_ms < MOST * job.runtime_ms as f64;
    let (took, asked) = (
        units::span_ms(load.elapsed_ms.round() as u64),
        units::span_ms(job.runtime_ms),
    );
    let claim = format!(
        "The job was over after {took} of {asked}: its size ended it, so the run is of another length."
    );
    let finding = warning(&result.name, claim)
        .shows("elapsed", took)
        .shows("runtime", asked)
        .advise("Use time_based for runs of one length.")
        .set("time_based", 1);
    is_early.then_some(finding)
}
