//! # A group whose jobs do not run together
//!
//! ## What it finds
//! Sections with `group_reporting` in one group that start at different times (`startdelay`, `wait_for`).
//!
//! ## Why it matters
//! fio sums the bytes of a group and divides by the longest runtime among its members. Members that run one after
//! the other are counted as if side by side, which has inflated a rate sixfold; one that ends early deflates it.
//!
//! ## What to try
//! `new_group` for each section that starts by itself; rates from the time in which all of them ran.
//!
//! ## Example
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting -startdelay=60
//! expect: warning says "b starts 60 s after a" fix new_group=1
//! ```
//!
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting -wait_for=a
//! expect: warning says "b waits for a" fix new_group=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting
//! ```
//!
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -runtime=60 -group_reporting -startdelay=60 -new_group
//! ```
//!
//! ## Sources
//! - fio `stat.c`, `sum_thread_stats`; fio issue 507

use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "staggered_group",
    since: "0.1.0",
    summary: "a sum over jobs that do not run at the same time",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut first: Option<&Section> = None;
    for section in facts.sections {
        let begins = section.new_group || section.stonewall;
        match first.filter(|_| !begins) {
            Some(first) => findings.extend(one(first, section)),
            None => first = Some(section),
        }
    }
    findings
}

fn one(first: &Section, section: &Section) -> Option<Finding> {
    let (a, b) = (&first.job, &section.job);
    let delay_ms = b.startdelay_ms.abs_diff(a.startdelay_ms);
    let how = match &section.wait_for {
        Some(other) => format!("{} waits for {other}", section.name),
        None if delay_ms > 0 => {
            format!(
                "{} starts {} after {}",
                section.name,
                units::span_ms(delay_ms),
                first.name
            )
        }
        None => return None,
    };
    if !a.group_reporting
        || !b.group_reporting
        || (section.given.is_empty() && first.given.is_empty())
    {
        return None;
    }
    let claim = format!(
        "{how}, and both are in one group: a sum of their bytes over one runtime counts them as if side by side."
    );
    let finding = warning(&section.name, claim)
        .advise("Give it a group of its own with new_group.")
        .set("new_group", 1)
        .at(section, &["wait_for", "startdelay", "group_reporting"]);
    Some(finding)
}
