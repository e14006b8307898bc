//! # A rate that jumps about
//!
//! ## What it finds
//! A rate whose intervals differ from their mean by 10 % and more (coefficient of variation), without a trend that
//! would explain it; at least ten intervals. The 10 % are a proposal of this project.
//!
//! ## Why it matters
//! A difference of a few per cent between two such runs means nothing. Two runs of one and the same job have been
//! found 160 % apart while a database was loading beside them.
//!
//! ## What to try
//! Find the other load; or compare in alternating windows, as `iodyno tune` and `iodyno judge` do.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! result: read=10000@3ms elapsed=12s
//! intervals: 900 700 1000 600 950 700 900 650 1000 700 900 600
//! expect: warning says "19 %"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! result: read=10000@3ms elapsed=12s
//! intervals: 900 850 950 880 920 900 870 930 900 860 940 900
//! ```
//!
//! ## Sources
//! - Field reports: A/A differences of 0.3 to 160 %

use crate::finding::{With, warning};
use crate::measured::{block_results, interval_rates, trend, variation};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "noisy_run",
    since: "0.1.0",
    summary: "a rate that jumps about",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: Some(Level::Note),
    explains: &[],
    yields_to: &["others_on_device", "stood_still", "token_bucket"],
    judge,
};

const NOISY: f64 = 0.1;
const LEAST: usize = 10;

/// A drift beyond this is a story of its own: a cliff, a burst that ends.
const DRIFTS: f64 = 0.3;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts).filter_map(one).collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let rates = interval_rates(&result.load, |interval| {
        interval.read.ios + interval.write.ios
    });
    let noise = variation(&rates)?;
    let is_told = rates.len() >= LEAST && noise >= NOISY && trend(&rates)?.abs() < DRIFTS;
    let claim = format!(
        "The rate of single intervals varies by {} around {} IOPS: a difference of a few per cent to another run \
         means nothing.",
        units::share(noise),
        units::count(stats::mean(&rates).round())
    );
    let finding = warning(&result.name, claim)
        .shows("intervals", rates.len())
        .advise("Look for another load on the path, or compare in alternating windows with iodyno tune.");
    is_told.then_some(finding)
}
