//! # Direct and buffered at once
//!
//! ## What it finds
//! `direct` and `buffered` given with values that contradict each other: both 1, or both 0.
//!
//! ## Why it matters
//! In fio they are one setting and its inverse, and the later one wins without a word. `direct=1 buffered=1` is
//! buffered; `direct=0 buffered=0` is direct. A table of results with such rows compares names, not modes.
//!
//! ## What to try
//! Keep one of the two. The corrected job keeps `direct=1`.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -bs=4k -direct=1 -buffered=1 -rw=randrw -size=4G -iodepth=64
//! expect: wrong says "the later one wins" says "buffered" fix direct=1
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -bs=4k -direct=0 -buffered=0 -rw=randrw -size=2G -iodepth=64
//! expect: wrong says "runs with direct I/O" fix direct=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -bs=4k -direct=1 -buffered=0 -rw=randrw -size=16G -iodepth=64
//! ```
//!
//! ## Sources
//! - fio `options.c`: both set `odirect`, `buffered` with `.neg = 1`

use crate::facts::block_sections;
use crate::finding::{With, wrong};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "direct_and_buffered",
    since: "0.1.0",
    summary: "direct and buffered given against each other",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts).filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let is_on = |name: &str| {
        section
            .option(name)
            .map(|(value, _)| matches!(value, "" | "1"))
    };
    let (direct, buffered) = (is_on("direct")?, is_on("buffered")?);
    if direct != buffered {
        return None;
    }
    let value = u8::from(direct);
    let runs = if section.job.direct {
        "direct I/O"
    } else {
        "buffered I/O, through the page cache"
    };
    let claim = format!(
        "direct={value} and buffered={value}: they are one setting and its inverse and the later one wins, so this \
         job runs with {runs}."
    );
    let finding = wrong(&section.name, claim)
        .shows("direct", value)
        .shows("buffered", value)
        .advise("Keep one of the two.")
        .set("direct", 1)
        .at(section, &["buffered"]);
    Some(finding)
}
