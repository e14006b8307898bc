//! # A rate that is only the latency
//!
//! ## What it finds
//! A closed loop with one request in flight in all.
//!
//! ## Why it matters
//! Its IOPS are 1 divided by the latency and nothing else. They say what one waiting client gets, and nothing about
//! how much the disk can do: a cloud disk of a million IOPS shows 3,647 this way, because each takes 0.27 ms.
//!
//! ## What to try
//! `--sweep iodepth=1,2,4,8,16,32,64` shows where more in flight stops helping.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread
//! result: read=36470@270us elapsed=10s
//! expect: note says "one waiting client"
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -rw=randread -iodepth=64
//! result: read=36470@270us elapsed=10s
//! expect: note says "one waiting client"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread -numjobs=4
//! result: read=145880@270us elapsed=10s
//! ```
//!
//! ```facts
//! own: rw=randread
//! result: read=1000000@320us elapsed=10s
//! ```
//!
//! ## Gives way
//! To the CPU, where that is what the one client waits for:
//!
//! ```facts
//! fio: -ioengine=psync -rw=randread
//! result: read=3647000@3us elapsed=10s cpu=9.8s
//! ```
//!
//! ## Sources
//! - Little's law with L = 1; a field report of a cloud disk judged at depth 1

use crate::facts::depth_asked;
use crate::finding::{With, note};
use crate::group_limits::reached;
use crate::measured::{MeasuredStage, block_results, stages};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::record::SectionResult;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "latency_bound",
    since: "0.1.0",
    summary: "a rate that is one over the latency",
    level: Level::Note,
    when: When::AfterLoad,
    in_check: None,
    explains: &[],
    yields_to: &["generator_bound"],
    judge,
};

/// Mean number in flight that counts as one.
const ONE: f64 = 1.15;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_held = |stage: &MeasuredStage<'_>| !reached(facts, stage).is_empty();
    // A limit makes the latency then, and a deeper queue would wait for the same.
    if stages(facts).iter().any(is_held) {
        return Vec::new();
    }
    block_results(facts).filter_map(one).collect()
}

fn one(result: &SectionResult) -> Option<Finding> {
    let (job, load) = (&result.job, &result.load);
    let blocks = job.numjobs == 1 && job.effective_engine() == "libaio" && !job.direct;
    let is_alone = depth_asked(job) == 1 || (blocks && load.in_flight()? <= ONE);
    let mean_ns = load.latency().mean_ns()?;
    // Where every so many writes wait for a sync, the sync takes the time.
    if !is_alone || job.is_paced() || job.thinktime.us > 0 || load.sync.ios > 1 {
        return None;
    }
    let claim = format!(
        "One request at a time: {} IOPS are 1 divided by {}. That is what one waiting client gets, not what the disk \
         can do.",
        units::count(load.iops().round()),
        units::duration_ns(mean_ns)
    );
    let finding = note(&result.name, claim)
        .shows("mean latency", units::duration_ns(mean_ns))
        .advise("Sweep iodepth to see how much the disk can do.");
    Some(finding)
}
