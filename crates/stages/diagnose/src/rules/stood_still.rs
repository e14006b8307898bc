//! # A load that stood still
//!
//! ## What it finds
//! A second or more without a completion, in the middle of a load without pauses of its own.
//!
//! ## Why it matters
//! A mean hides it and so does a percentile: one I/O among a hundred thousand has taken a second, and everybody
//! behind it has waited too. Garbage collection, a reset of the link, a frozen file system or a snapshot does this.
//!
//! ## What to try
//! The kernel log at that moment; `--open-loop` with a fixed rate, which counts everybody who would have waited.
//!
//! ## Example
//! ```facts
//! own: rw=randwrite
//! result: write=10000@3ms elapsed=3s
//! bins: 500 500 0 0 0 0 0 0 0 0 0 0 0 0 500 500
//! expect: warning says "1.2 s"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randwrite
//! result: write=10000@3ms elapsed=3s
//! bins: 500 500 0 0 0 0 0 0 0 0 0 500 500
//! ```
//!
//! ```facts
//! own: rw=randwrite
//! result: write=10000@3ms elapsed=3s
//! bins: 500 500 500 0 0 0 0 0 0 0 0 0 0 0 0 0
//! ```
//!
//! ## Sources
//! - A field report of a cloud disk whose IOPS fell to 0 for seconds while its mean kept the promise

use crate::finding::{With, warning};
use crate::measured::block_results;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "stood_still",
    since: "0.1.0",
    summary: "moments in which nothing came back",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[],
    judge,
};

const LONG_MS: u64 = 1000;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_steady =
        |result: &&SectionResult| !result.job.is_paced() && result.job.thinktime.us == 0;
    block_results(facts)
        .filter(is_steady)
        .filter_map(one)
        .collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let load = &result.load;
    let spans = gaps(&load.bins).into_iter().map(|bins| bins * load.bin_ms);
    let long: Vec<u64> = spans.filter(|ms| *ms >= LONG_MS).collect();
    let longest = *long.iter().max()?;
    let times = if long.len() == 1 {
        "once".to_string()
    } else {
        format!("{} times", long.len())
    };
    let claim = format!(
        "Nothing came back for a second or more {times}, at the longest for {}: no mean and no p99 shows that.",
        units::span_ms(longest)
    );
    let finding = warning(&result.name, claim)
        .shows("longest", units::span_ms(longest))
        .advise(
            "Look into the kernel log at that moment, or run it with --open-loop at a fixed rate.",
        );
    Some(finding)
}

/// Lengths of the runs of empty bins between the first and the last completion.
fn gaps(bins: &[u32]) -> Vec<u64> {
    let first = bins.iter().position(|count| *count > 0).unwrap_or(0);
    let last = bins.iter().rposition(|count| *count > 0).unwrap_or(0);
    let inside = bins.get(first..=last).unwrap_or_default();
    inside
        .split(|count| *count > 0)
        .map(|gap| gap.len() as u64)
        .filter(|length| *length > 0)
        .collect()
}
