//! # Verification of offsets that repeat
//!
//! ## What it finds
//! `verify` on random writes with `norandommap`.
//!
//! ## Why it matters
//! A block that is written twice keeps its second content only, and reads back as bad for the first or is not
//! checked at all; blocks that were never written are not checked either. A clean result says less than it seems
//! to.
//!
//! ## What to try
//! Leave `norandommap` out.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -size=1G -verify=crc32c -norandommap
//! expect: warning says "written twice" fix norandommap
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -size=1G -verify=crc32c
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -size=1G -verify=crc32c -norandommap
//! ```
//!
//! ## Sources
//! - fio HOWTO, `norandommap`; fio issues 616 and 1756

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "verify_with_norandommap",
    since: "0.1.0",
    summary: "a verification with gaps",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_weak = |section: &&Section| {
        let job = &section.job;
        job.verify.is_some() && job.norandommap && job.rw.is_random() && job.rw.writes()
    };
    block_sections(facts).filter(is_weak).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let claim = "verify with norandommap: blocks that were written twice can only be checked for the last write, and \
                 some are never written, so a clean result covers less than the range.";
    warning(&section.name, claim)
        .advise("Leave norandommap out.")
        .drop_option("norandommap")
        .at(section, &["norandommap", "verify"])
}
