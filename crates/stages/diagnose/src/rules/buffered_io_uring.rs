//! # A queue depth in front of the page cache
//!
//! ## What it finds
//! `ioengine=io_uring` with buffered I/O and an `iodepth` above 1.
//!
//! ## Why it matters
//! What is cached is copied at once, inside the submission. What is not waits for a page, which read-ahead may
//! bring, or is handed to worker threads of the kernel. The number of requests at the disk is then the kernel's
//! choice.
//!
//! ## What to try
//! `direct=1` for the disk alone. Keep it buffered where the application is, and read the device's own counters
//! beside it.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=io_uring -rw=randread -iodepth=32 -size=100G
//! expect: note says "not the depth at the disk"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32 -size=100G
//! ```
//!
//! ```facts
//! fio: -ioengine=io_uring -rw=randread -iodepth=1 -size=100G
//! ```
//!
//! ## Sources
//! - io_uring(7); Linux `io_uring/rw.c`, retry of buffered reads since 5.9

use crate::facts::block_sections;
use crate::finding::{With, note};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "buffered_io_uring",
    since: "0.1.0",
    summary: "a depth that the page cache turns into something else",
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
        job.effective_engine() == "io_uring" && !job.direct && job.iodepth > 1
    };
    block_sections(facts).filter(is_so).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let claim = format!(
        "io_uring with buffered I/O: the page cache answers what it has at once and the kernel's workers fetch the \
         rest, so iodepth={} is not the depth at the disk.",
        section.job.iodepth
    );
    note(&section.name, claim)
        .advise("Use direct=1 to load the disk itself.")
        .at(section, &["buffered", "direct", "ioengine"])
}
