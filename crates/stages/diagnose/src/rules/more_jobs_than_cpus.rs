//! # More submitting jobs than CPUs
//!
//! ## What it finds
//! Jobs of asynchronous engines that run together, more than there are CPUs for them.
//!
//! ## Why it matters
//! A job of an asynchronous engine is busy as long as I/Os complete. Two on one CPU take turns, and what one waits
//! for the other is counted as the device's latency. Synchronous engines sleep while they wait and may be many.
//!
//! ## What to try
//! As many jobs as CPUs, with a deeper queue each.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=4 -numjobs=16
//! machine: cpus=4
//! expect: warning says "16 jobs on 4 CPUs" fix numjobs=4 fix iodepth=16
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=4 -numjobs=4
//! machine: cpus=4
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread -numjobs=64
//! machine: cpus=4
//! ```
//!
//! ## Sources
//! - fio issue 1206: one thread reaches 0.6 to 0.7 M IOPS, so few are needed

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::job::engines::is_synchronous;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "more_jobs_than_cpus",
    since: "0.1.0",
    summary: "submitters that wait for a CPU",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let Some(cpus) = facts.machine.cpus.filter(|cpus| *cpus > 0) else {
        return Vec::new();
    };
    let is_busy = |section: &&Section| {
        !is_synchronous(section.job.effective_engine()) && !section.job.is_paced()
    };
    let crowded = block_sections(facts)
        .filter(is_busy)
        .filter(|section| section.job.numjobs > cpus);
    crowded.map(|section| finding(section, cpus)).collect()
}

fn finding(section: &Section, cpus: u32) -> Finding {
    let (jobs, depth) = (section.job.numjobs, section.job.iodepth);
    let claim = format!(
        "{jobs} jobs on {cpus} CPUs: they wait for each other, and that wait is counted as the device's latency."
    );
    warning(&section.name, claim)
        .shows("numjobs", jobs)
        .shows("CPUs", cpus)
        .advise("Use as many jobs as CPUs and a deeper queue each.")
        .set("numjobs", cpus)
        .set(
            "iodepth",
            u64::from(jobs) * u64::from(depth) / u64::from(cpus),
        )
        .at(section, &["numjobs"])
}
