//! # A log line for every I/O
//!
//! ## What it finds
//! `write_lat_log`, `write_bw_log` or `write_iops_log` without `log_avg_msec`.
//!
//! ## Why it matters
//! fio keeps one sample of 40 bytes and more for each I/O in memory (three with `write_lat_log`) until the job
//! ends: at 100,000 IOPS some 12 MB a second. The growing arrays stall submission, which shows in the tail, and
//! after an error nothing is written at all.
//!
//! ## What to try
//! `log_avg_msec=1000`; or no log: iodyno keeps rates and percentiles for each interval in the record.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -write_lat_log=lat
//! expect: warning says "for each I/O" fix log_avg_msec=1000
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -write_lat_log=lat -log_avg_msec=500
//! ```
//!
//! ## Sources
//! - fio `iolog.h`, `struct io_sample`; HOWTO, `log_avg_msec`; fio issue 588

use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "log_of_every_io",
    since: "0.1.0",
    summary: "logs that grow with every I/O",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const LOGS: &[&str] = &["write_lat_log", "write_bw_log", "write_iops_log"];

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    facts.sections.iter().filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let log = LOGS.iter().find(|name| section.option(name).is_some())?;
    let averages = section
        .option("log_avg_msec")
        .is_some_and(|(value, _)| value != "0");
    let claim = format!(
        "{log} without log_avg_msec: fio keeps a sample for each I/O in memory until the end, and the growing arrays \
         disturb the tail."
    );
    let finding = warning(&section.name, claim)
        .advise("Use log_avg_msec=1000, or leave the log out: the record has every interval.")
        .set("log_avg_msec", 1000)
        .at(section, &[log]);
    (!averages).then_some(finding)
}
