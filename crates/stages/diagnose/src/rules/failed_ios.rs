//! # I/Os that failed
//!
//! ## What it finds
//! Errors among the completions.
//!
//! ## Why it matters
//! A failed I/O is often a fast one, and often a retried one. Rates and latencies of a run with errors are of
//! another device than the one that works.
//!
//! ## What to try
//! The kernel log; `smartctl`; the path's links. Then again.
//!
//! ## Example
//! ```facts
//! own: rw=randread
//! result: read=1000000@320us elapsed=10s errors=3
//! expect: wrong says "3 I/Os failed"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread
//! result: read=1000000@320us elapsed=10s
//! ```
//!
//! ## Sources
//! - errno(3)

use crate::finding::{With, wrong};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "failed_ios",
    since: "0.1.0",
    summary: "I/Os that came back with an error",
    level: Level::Wrong,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    facts.load.iter().filter_map(one).collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let errors = &result.load.errors;
    let all: u64 = errors.iter().map(|(_, count)| count).sum();
    let worst = errors
        .iter()
        .max_by_key(|(_, count)| *count)
        .map(|(errno, _)| *errno)?;
    let claim = format!(
        "{all} I/Os failed, most of them with errno {worst}: the figures are not those of a working disk."
    );
    let finding = wrong(&result.name, claim)
        .shows("errors", all)
        .advise("Look into the kernel log and the disk's health, then run it again.");
    (all > 0).then_some(finding)
}
