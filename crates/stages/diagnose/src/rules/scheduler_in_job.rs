//! # A scheduler set by the job
//!
//! ## What it finds
//! `ioscheduler=` in a job.
//!
//! ## Why it matters
//! fio writes the scheduler when the job begins and does not put the old one back. Every later test, and the
//! machine's own work, runs under it. As a comparison it is one run after the other, which drift decides.
//!
//! ## What to try
//! `iodyno tune TARGET --knob scheduler`: switched back and forth under one load, and put back at the end.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -ioscheduler=bfq
//! expect: warning says "does not put it back" fix ioscheduler
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! ```
//!
//! ## Sources
//! - fio `backend.c`, `switch_ioscheduler`: it sets and verifies, nothing restores

use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "scheduler_in_job",
    since: "0.1.0",
    summary: "a job that changes a setting and leaves it so",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    facts.sections.iter().filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let (value, _) = section.option("ioscheduler")?;
    let claim = format!(
        "ioscheduler={value}: fio sets the device's scheduler and does not put it back, so whatever runs later runs \
         under {value}."
    );
    let finding = warning(&section.name, claim)
        .advise(format!(
            "Compare schedulers with iodyno tune --knob scheduler={value}."
        ))
        .drop_option("ioscheduler")
        .at(section, &["ioscheduler"]);
    Some(finding)
}
