//! # A queue depth that was not reached
//!
//! ## What it finds
//! A result whose rate times mean latency differs by more than 15 % from the depth asked for. The 15 % are a
//! proposal of this project.
//!
//! ## Why it matters
//! By Little's law the product is the number of I/Os that were in flight on average. Below the asked depth the
//! submitting side sets the rate: a CPU, a lock, a synchronous path in the file system. The result is then not the
//! disk's.
//!
//! ## What to try
//! More jobs, a faster engine, direct I/O on an overwritten range; the CPU figures beside the result.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! result: read=100000@800us elapsed=10s
//! expect: warning says "7.99 of 32"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! result: read=100000@2800us elapsed=10s
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -rate_iops=100
//! result: read=1000@800us elapsed=10s
//! ```
//!
//! ## Sources
//! - J. D. C. Little, A proof for the queuing formula L = λW, 1961

use crate::facts::depth_asked;
use crate::finding::{With, warning};
use crate::measured::block_results;
use crate::{Rule, RuleFacts, When};
use model::curve::Little;
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "depth_not_reached",
    since: "0.1.0",
    summary: "a queue that was never as deep as asked",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: Some(Level::Note),
    explains: &[],
    yields_to: &["generator_bound", "stood_still"],
    judge,
};

/// With fewer I/Os the start and the end of the run weigh too much.
const ENOUGH: u64 = 1000;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_results(facts).filter_map(one).collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let (job, load) = (&result.job, &result.load);
    let asked = depth_asked(job) as f64;
    let reached = load.in_flight()?;
    // What syncs between the I/Os, thinks or holds back submissions is not meant to keep the queue full.
    let pauses = job.is_paced() || job.thinktime.us > 0 || job.iodepth_low > 0 || load.sync.ios > 0;
    let is_searching = job.latency_target.is_some();
    if pauses || is_searching || load.ios() < ENOUGH || Little::agrees(reached, asked) {
        return None;
    }
    let claim = format!(
        "{} of {asked} I/Os were in flight on average (rate times latency): the submitting side sets the rate, \
         not the disk.",
        units::count(reached),
        asked = units::whole(asked)
    );
    let finding = warning(&result.name, claim)
        .shows("IOPS", units::count(load.iops().round()))
        .shows(
            "mean latency",
            units::duration_ns(load.latency().mean_ns()?),
        )
        .refuted_by("Twice the depth gives twice the rate.")
        .advise("Look at the CPU per I/O; use more jobs or direct I/O on an overwritten range.");
    Some(finding)
}
