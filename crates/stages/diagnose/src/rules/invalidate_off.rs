//! # A cache that is not dropped first
//!
//! ## What it finds
//! Buffered reads with `invalidate=0`.
//!
//! ## Why it matters
//! The run begins with whatever an earlier one left in the page cache, so the first run after a boot and the second
//! one measure different things. (fio's `invalidate=1` can fail without a word for want of rights, too; iodyno
//! drops the pages of its own file and says when it cannot.)
//!
//! ## What to try
//! Leave `invalidate` at 1, unless the warm cache is what is to be measured.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -rw=read -size=10G -invalidate=0
//! expect: warning says "left in the page cache" fix invalidate
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -rw=read -size=10G -invalidate=1
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=read -size=10G -invalidate=0 -direct=1
//! ```
//!
//! ## Sources
//! - fio HOWTO, `invalidate`; fio issue 1060

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "invalidate_off",
    since: "0.1.0",
    summary: "a buffered read that begins with a warm cache",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_warm = |section: &&Section| {
        let job = &section.job;
        job.rw.reads() && !job.direct && !job.invalidate
    };
    block_sections(facts).filter(is_warm).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let claim = "invalidate=0 with buffered reads: the run begins with whatever was left in the page cache, so it \
                 differs from the run before for that reason alone.";
    warning(&section.name, claim)
        .shows("invalidate", 0)
        .advise("Leave invalidate at 1, unless the warm cache is what you want to measure.")
        .drop_option("invalidate")
        .at(section, &["invalidate"])
}
