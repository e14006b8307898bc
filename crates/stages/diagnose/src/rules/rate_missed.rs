//! # A rate that was not kept
//!
//! ## What it finds
//! A load with a rate limit that reached less than 95 % of it. The threshold is a proposal of this project.
//!
//! ## Why it matters
//! The device or the engine could not follow. In a closed loop the difference is clients that were never served; in
//! an open loop the queue has grown all the time, and latencies say how long the run was.
//!
//! ## What to try
//! A lower rate, or `--find-max` with a latency target.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -rate_iops=5000
//! result: read=40000@8ms elapsed=10s
//! expect: warning says "80 % of the rate"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -rate_iops=5000
//! result: read=49000@8ms elapsed=10s
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! result: read=40000@8ms elapsed=10s
//! ```
//!
//! ## Sources
//! - fio HOWTO, `rate_iops`, `rate_min`

use crate::finding::{With, warning};
use crate::measured::block_results;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Arrivals, Job, Rate};
use model::record::{Direction, SectionResult};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "rate_missed",
    since: "0.1.0",
    summary: "a rate that the load did not keep",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const KEPT: f64 = 0.95;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts).filter_map(one).collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let (job, load) = (&result.job, &result.load);
    let sides = [
        (job.rates.read, &load.read),
        (job.rates.write, &load.write),
        (job.rates.trim, &load.trim),
    ];
    let kept = sides
        .into_iter()
        .filter_map(|(rate, done)| share(job, rate, done, load.elapsed_ms))
        .reduce(f64::min)?;
    let what = if job.open_loop {
        "the queue grew all the time"
    } else {
        "the rest was never sent"
    };
    let claim = format!(
        "The load reached {} of the rate it was to keep: {what}.",
        units::share(kept)
    );
    let finding = warning(&result.name, claim)
        .shows(
            "reached",
            format!("{} IOPS", units::count(load.iops().round())),
        )
        .advise("Ask for a lower rate, or search for the highest that keeps a latency.");
    (kept < KEPT - chance(job, load.ios())).then_some(finding)
}

/// How far random arrivals may stay below their mean by chance, as a share: three standard deviations.
fn chance(job: &Job, arrivals: u64) -> f64 {
    match job.arrivals {
        Arrivals::Poisson => 3.0 / (arrivals.max(1) as f64).sqrt(),
        Arrivals::Linear => 0.0,
    }
}

/// What was reached of what was asked for, where the direction ran and had a limit.
fn share(job: &Job, rate: Rate, done: &Direction, elapsed_ms: f64) -> Option<f64> {
    let per_second = |count: u64| count as f64 / elapsed_ms * 1e3 / f64::from(job.numjobs.max(1));
    match rate {
        _ if done.ios == 0 => None,
        Rate::Free | Rate::Iops(0) | Rate::Bytes(0) => None,
        Rate::Iops(asked) => Some(per_second(done.ios) / asked as f64),
        Rate::Bytes(asked) => Some(per_second(done.bytes) / asked as f64),
    }
}
