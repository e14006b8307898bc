//! # Trims that wait for each other
//!
//! ## What it finds
//! `rw=trim` or `randtrim` with an `iodepth` above 1 and `libaio`; with `io_uring` on a kernel before 6.12.
//!
//! ## Why it matters
//! Linux AIO has no discard, and io_uring learned it in 6.12. The engine then calls `BLKDISCARD` and waits, so the
//! depth is 1 whatever the job says.
//!
//! ## What to try
//! io_uring on Linux 6.12 and later; otherwise `numjobs` in place of `iodepth`.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randtrim -iodepth=32
//! target: device 480g
//! expect: warning says "one at a time"
//! ```
//!
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=trim -iodepth=32
//! target: device 480g
//! machine: kernel=6.1
//! expect: warning says "one at a time"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=trim -iodepth=32
//! machine: kernel=6.12
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randtrim -iodepth=1
//! ```
//!
//! ## Sources
//! - fio issue 1854; Linux 6.12, `BLOCK_URING_CMD_DISCARD`

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use kernel::release::Release;
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "trim_is_synchronous",
    since: "0.1.0",
    summary: "trims that cannot be queued",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// The first kernel whose io_uring discards.
const URING_DISCARD: Release = Release(6, 12);

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_old = facts
        .machine
        .kernel
        .is_some_and(|kernel| kernel < URING_DISCARD);
    let waits = |section: &&Section| {
        let job = &section.job;
        let engine = job.effective_engine();
        job.rw.trims()
            && job.iodepth > 1
            && (engine == "libaio" || (engine == "io_uring" && is_old))
    };
    block_sections(facts).filter(waits).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let job = &section.job;
    let claim = format!(
        "{} cannot queue discards here: they go out one at a time, and the real depth is numjobs = {}.",
        job.effective_engine(),
        job.numjobs
    );
    warning(&section.name, claim)
        .shows("iodepth", job.iodepth)
        .advise("Use io_uring on Linux 6.12 or later, or more jobs.")
        .at(section, &["rw", "readwrite", "iodepth"])
}
