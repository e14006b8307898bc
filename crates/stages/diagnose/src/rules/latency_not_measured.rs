//! # Latency switched off
//!
//! ## What it finds
//! `gtod_reduce=1`, `disable_clat=1` or `disable_lat=1`.
//!
//! ## Why it matters
//! They save the time that reading the clock takes, which matters above some 500,000 IOPS for each thread. The
//! result has no latency, so nothing can be checked against it, and timeouts are looked at less often.
//!
//! ## What to try
//! Leave them out. iodyno reads the clock once for each batch of completions and always has latencies.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=64 -gtod_reduce=1
//! expect: warning says "no latency" fix gtod_reduce
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=64 -gtod_reduce=0
//! ```
//!
//! ## Sources
//! - fio HOWTO, `gtod_reduce`

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "latency_not_measured",
    since: "0.1.0",
    summary: "options that switch latency off",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const SWITCHES: &[&str] = &["gtod_reduce", "disable_clat", "disable_lat"];

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts).filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let is_on = |name: &&&str| section.option(name).is_some_and(|(value, _)| value != "0");
    let names: Vec<&str> = SWITCHES.iter().filter(is_on).copied().collect();
    let first = *names.first()?;
    let claim = format!(
        "{first}: in fio the result would have no latency, and nothing could be checked against it."
    );
    let finding = warning(&section.name, claim)
        .advise("Leave it out; iodyno measures latency in any case.")
        .at(section, &[first]);
    Some(
        names
            .iter()
            .fold(finding, |finding, name| finding.drop_option(name)),
    )
}
