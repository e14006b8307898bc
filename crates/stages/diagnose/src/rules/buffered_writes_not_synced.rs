//! # Writes that nothing waits for
//!
//! ## What it finds
//! Buffered writes without `fsync`, `fdatasync`, `sync` or `end_fsync`.
//!
//! ## Why it matters
//! A buffered write is done when it is copied. Until the kernel's dirty limits are reached the rate is that of
//! memory; after that it is that of writeback, mixed in unknown parts. What is still dirty at the end was counted
//! and not written.
//!
//! ## What to try
//! `end_fsync=1` makes the end part of the measured time, as `dd conv=fsync` does; `fsync=1` makes each write
//! durable; `direct=1` leaves the page cache out.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -bs=1M -rw=write -size=4G
//! expect: warning says "copied into memory" fix end_fsync=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -bs=1M -rw=write -size=4G -end_fsync=1
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -bs=4k -rw=write -size=4G -fdatasync=1
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -bs=1M -rw=write -size=4G -direct=1
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_ratio`; dd(1), `conv=fsync`

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Section, SyncMode};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "buffered_writes_not_synced",
    since: "0.1.0",
    summary: "writes that are only promised",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    if facts.target.is_in_memory {
        return Vec::new();
    }
    block_sections(facts)
        .filter(|section| is_unsynced(section))
        .map(finding)
        .collect()
}

fn is_unsynced(section: &Section) -> bool {
    let job = &section.job;
    let syncs = job.fsync > 0 || job.fdatasync > 0 || job.end_fsync || job.sync != SyncMode::None;
    job.rw.writes() && !job.direct && !syncs
}

fn finding(section: &Section) -> Finding {
    let claim = "Buffered writes and no sync: a write is done when it is copied into memory, so the rate is the page \
                 cache's until the kernel makes writers wait, and what is still dirty at the end counts as written.";
    let finding = warning(&section.name, claim)
        .advise(
            "Use end_fsync=1 to count the writing out, fsync=1 for durable writes, or direct=1.",
        )
        .at(section, &["buffered", "direct", "rw", "readwrite"]);
    // libaio is of no use without direct I/O, and with it there is nothing left to sync.
    if section.job.effective_engine() == "libaio" {
        finding.set("direct", 1)
    } else {
        finding.set("end_fsync", 1)
    }
}
