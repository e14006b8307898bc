//! # Jobs pinned to fewer CPUs
//!
//! ## What it finds
//! `cpus_allowed` with fewer CPUs than jobs of an asynchronous engine; or with no CPU but the one that serves all
//! of the disk's interrupts.
//!
//! ## Why it matters
//! Two jobs on one CPU take turns, as do a job and the interrupts of its own completions. Where requests are
//! submitted and where they complete can change a result more than most settings do.
//!
//! ## What to try
//! A CPU for each job, on the disk's node, beside the one that serves its interrupts.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -numjobs=4 -cpus_allowed=0,1
//! expect: warning says "4 jobs are pinned to 2 CPUs" fix cpus_allowed
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -cpus_allowed=1
//! disk: sda transport=sata rotational=0
//! interrupt: cpus=1
//! machine: cpus=8
//! expect: warning says "serves the disk's interrupts" fix cpus_allowed
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -numjobs=2 -cpus_allowed=0,1
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -cpus_allowed=2
//! disk: sda transport=sata rotational=0
//! interrupt: cpus=1
//! machine: cpus=8
//! ```
//!
//! ## Sources
//! - fio HOWTO, `cpus_allowed`; a field report of one CPU at 80,000 interrupts a second

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::job::engines::is_synchronous;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "jobs_share_cpus",
    since: "0.1.0",
    summary: "jobs pinned on top of each other",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let pinned = block_sections(facts).filter(|section| !section.job.cpus_allowed.is_empty());
    pinned
        .filter_map(|section| crowd(section).or_else(|| beside_interrupts(facts, section)))
        .collect()
}

fn crowd(section: &Section) -> Option<Finding> {
    let job = &section.job;
    let cpus = job.cpus_allowed.len();
    let is_crowd = job.numjobs as usize > cpus && !is_synchronous(job.effective_engine());
    let claim = format!(
        "{} jobs are pinned to {cpus} CPUs: those on one CPU wait for each other, and it is counted as latency.",
        job.numjobs
    );
    is_crowd.then(|| done(section, claim))
}

fn beside_interrupts(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    // A machine with one CPU has no other to offer.
    facts.machine.cpus.filter(|cpus| *cpus > 1)?;
    let disk = facts.disk()?;
    let [cpu] = section.job.cpus_allowed[..] else {
        return None;
    };
    let served = disk
        .interrupts
        .iter()
        .map(|line| line.effective_cpus.as_deref());
    let all_there = !disk.interrupts.is_empty()
        && served
            .into_iter()
            .all(|cpus| cpus == Some(&cpu.to_string()));
    let claim = format!(
        "The job is pinned to CPU {cpu}, which also serves the disk's interrupts: the two take turns, and the rate is \
         that of one CPU."
    );
    all_there.then(|| done(section, claim))
}

fn done(section: &Section, claim: String) -> Finding {
    let cpus: Vec<String> = section
        .job
        .cpus_allowed
        .iter()
        .map(u32::to_string)
        .collect();
    warning(&section.name, claim)
        .shows("cpus_allowed", cpus.join(","))
        .refuted_by("The rate is the same without pinning.")
        .advise("Give each job a CPU of its own, beside the one that serves the interrupts.")
        .drop_option("cpus_allowed")
        .at(section, &["cpus_allowed"])
}
