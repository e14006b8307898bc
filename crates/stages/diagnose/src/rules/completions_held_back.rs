//! # Completions that wait for each other
//!
//! ## What it finds
//! `iodepth_batch_complete_min` of more than half the `iodepth`.
//!
//! ## Why it matters
//! An I/O that is done waits until as many more are, and the wait counts as its latency. Meanwhile nothing takes
//! its place, so the queue runs half empty.
//!
//! ## What to try
//! `iodepth_batch_complete_min=1`, which is what applications do.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -iodepth_batch_complete_min=32
//! expect: warning says "wait for 31 others" fix iodepth_batch_complete_min=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -iodepth_batch_complete_min=16
//! ```
//!
//! ## Sources
//! - fio HOWTO, `iodepth_batch_complete_min`

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::job::engines::is_synchronous;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "completions_held_back",
    since: "0.1.0",
    summary: "completions that wait for company",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_held = |section: &&Section| {
        let job = &section.job;
        let batch = job.iodepth_batch_complete_min.min(job.iodepth);
        !is_synchronous(job.effective_engine()) && batch > 1 && batch * 2 > job.iodepth
    };
    block_sections(facts).filter(is_held).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let job = &section.job;
    let batch = job.iodepth_batch_complete_min.min(job.iodepth);
    let claim = format!(
        "I/Os that are done wait for {} others (iodepth_batch_complete_min={batch} of iodepth={}), and the wait \
         counts as latency.",
        batch - 1,
        job.iodepth
    );
    warning(&section.name, claim)
        .advise("Use iodepth_batch_complete_min=1.")
        .set("iodepth_batch_complete_min", 1)
        .at(
            section,
            &["iodepth_batch_complete_min", "iodepth_batch_complete"],
        )
}
