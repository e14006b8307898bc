//! # Percentiles of too few I/Os
//!
//! ## What it finds
//! A direction with fewer than ten I/Os beyond its 99th percentile, or beyond a percentile that was asked for.
//!
//! ## Why it matters
//! The 99th percentile of 71 I/Os is their maximum. With ten I/Os beyond it a percentile can still be off by a
//! third from one run to the next; with one it is luck.
//!
//! ## What to try
//! A longer run, or a lower percentile.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=1m
//! result: read=71@9ms elapsed=1s
//! expect: warning says "71 reads"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -bs=1m
//! result: read=1000@1ms elapsed=1s
//! ```
//!
//! ## Sources
//! - Order statistics: the number beyond a quantile is binomial

use crate::finding::{With, warning};
use crate::measured::block_results;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "few_samples",
    since: "0.1.0",
    summary: "percentiles that rest on a handful of I/Os",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const BEYOND: f64 = 10.0;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts).flat_map(of_section).collect()
}

fn of_section(result: &SectionResult) -> Vec<Finding> {
    let highest = result
        .job
        .percentile_list
        .iter()
        .copied()
        .filter(|p| *p < 100.0)
        .reduce(f64::max)
        .unwrap_or(99.0);
    let load = &result.load;
    let sides = [
        ("reads", load.read.ios),
        ("writes", load.write.ios),
        ("trims", load.trim.ios),
    ];
    let few = sides
        .into_iter()
        .filter(|(_, ios)| *ios > 0 && (*ios as f64 * (100.0 - highest) / 100.0) < BEYOND - 1e-6);
    few.map(|(what, ios)| finding(&result.name, what, ios, highest))
        .collect()
}

fn finding(section: &str, what: &str, ios: u64, highest: f64) -> Finding {
    let needed = (BEYOND * 100.0 / (100.0 - highest)).round();
    let claim = format!(
        "p{highest} of {ios} {what} rests on the slowest few: it needs {needed} I/Os to mean anything.",
        needed = units::whole(needed)
    );
    warning(section, claim)
        .shows(what, ios)
        .advise("Run longer, or read a lower percentile.")
}
