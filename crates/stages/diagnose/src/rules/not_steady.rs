//! # Writes that had not settled
//!
//! ## What it finds
//! Writes whose rate, over the second half of the run, varies by more than 20 % of its mean from highest to lowest
//! and drifts by more than 10 %, which are SNIA's limits; at least ten intervals of it.
//!
//! ## Why it matters
//! The mean of such a run is a number between two states: the burst at the beginning and what follows it. It
//! depends on how long the run was.
//!
//! ## What to try
//! A longer run after preconditioning; `steadystate`; the figure before the cliff and the one after it, apart.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -iodepth=32
//! result: write=1000000@640us elapsed=24s
//! intervals: 900 900 900 900 900 900 900 900 900 900 900 900 900 850 800 700 600 500 400 350 300 300 300 300
//! expect: warning says "still falling"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -iodepth=32
//! result: write=1000000@640us elapsed=24s
//! intervals: 900 900 900 900 900 700 500 400 300 300 300 300 310 300 290 300 305 300 295 300 300 310 300 290
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! result: read=1000000@640us elapsed=24s
//! intervals: 900 900 900 900 900 900 900 900 900 900 900 900 900 850 800 700 600 500 400 350 300 300 300 300
//! ```
//!
//! ## Sources
//! - SNIA, Solid State Storage Performance Test Specification: range at most 20 %, slope at most 10 % of the mean

use crate::finding::{With, warning};
use crate::measured::{block_results, interval_rates, trend};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "not_steady",
    since: "0.1.0",
    summary: "writes whose rate had not settled",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const RANGE: f64 = 0.2;
const SLOPE: f64 = 0.1;
const LEAST: usize = 10;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts)
        .filter(|result| !result.job.is_paced())
        .filter_map(one)
        .collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let rates = interval_rates(&result.load, |interval| interval.write.ios);
    let last = &rates[rates.len() / 2..];
    let (low, high) = (
        last.iter().copied().reduce(f64::min)?,
        last.iter().copied().reduce(f64::max)?,
    );
    let slope = trend(last)?;
    let is_steady = high - low <= RANGE * stats::mean(last) || slope.abs() <= SLOPE;
    if last.len() < LEAST || is_steady {
        return None;
    }
    let way = if slope < 0.0 { "falling" } else { "rising" };
    let claim = format!(
        "The write rate was still {way} at the end, between {} and {} IOPS in the second half: its mean says how long \
         the run was.",
        units::count(high.round()),
        units::count(low.round())
    );
    let finding = warning(&result.name, claim)
        .shows("drift", units::percent_signed(slope))
        .refuted_by("A run of twice the length has the same mean.")
        .advise("Run until it has settled, and give the burst and the settled rate apart.");
    Some(finding)
}
