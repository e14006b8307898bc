//! # Random I/O that does not visit every block
//!
//! ## What it finds
//! `norandommap` on random I/O that is meant to end when the range is done.
//!
//! ## Why it matters
//! Without the map each offset is drawn anew. After as many I/Os as there are blocks 37 % of them were never
//! touched and 26 % more than once, so the run is neither a full pass nor a preconditioning.
//!
//! ## What to try
//! Leave `norandommap` out: iodyno's pass without repeats costs no memory. With `time_based` it makes no
//! difference.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -size=100G -norandommap
//! expect: note says "37 %" fix norandommap
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -size=100G -norandommap -time_based -runtime=60
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -size=100G -norandommap
//! ```
//!
//! ## Sources
//! - fio HOWTO, `norandommap`; 1/e = 37 % of N cells stay empty after N throws

use crate::facts::block_sections;
use crate::finding::{With, note};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Distribution, Section};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "blocks_repeat",
    since: "0.1.0",
    summary: "random I/O that visits some blocks often and some never",
    level: Level::Note,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_so = |section: &&Section| {
        let job = &section.job;
        let is_even = job.distribution == Distribution::Random && job.percentage_random == 100;
        let is_one_pass = !job.time_based && job.io_size == 0 && job.loops <= 1;
        job.norandommap && job.rw.is_random() && is_even && is_one_pass && job.verify.is_none()
    };
    block_sections(facts).filter(is_so).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let claim = "norandommap on a job that ends with its range: by then 37 % of the blocks were never visited and \
                 26 % more than once.";
    note(&section.name, claim)
        .advise("Leave norandommap out where every block is to be visited.")
        .drop_option("norandommap")
        .at(section, &["norandommap"])
}
