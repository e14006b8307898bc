//! # A target that lives in memory
//!
//! ## What it finds
//! A target on tmpfs or ramfs, or on a RAM disk, zram or null device.
//!
//! ## Why it matters
//! There is no disk: the result is the CPU's and the memory's. Since Linux 6.6 tmpfs takes `O_DIRECT` and ignores
//! it, so even a job that asks for direct I/O runs there.
//!
//! ## What to try
//! Another target. RAM devices are good for finding out what the engine itself can do.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32
//! target: directory in_memory
//! unbacked: tmpfs
//! expect: wrong says "no disk below"
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=randread
//! target: directory in_memory
//! expect: warning says "no disk below"
//! ```
//!
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32
//! target: device 1g
//! zram: zram0
//! expect: note says "ceiling of the engine"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32
//! target: device 1g
//! disk: sda transport=sata rotational=0
//! ```
//!
//! ## Sources
//! - Linux `mm/shmem.c`, `FMODE_CAN_ODIRECT` since 6.6

use crate::Medium;
use crate::finding::{With, found};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "target_in_memory",
    since: "0.1.0",
    summary: "a target without a disk",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    if facts.medium() != Some(Medium::Memory) {
        return Vec::new();
    }
    let name = &facts.target.name;
    let is_direct = facts.sections.iter().any(|section| section.job.direct);
    let is_device = !facts.target.is_in_memory && facts.file_system().is_none();
    let (level, claim) = match (is_device, is_direct) {
        (true, _) => (
            Level::Note,
            format!(
                "{name} is a device in memory: the result is a ceiling of the engine and the CPU."
            ),
        ),
        (false, true) => (
            Level::Wrong,
            format!(
                "{name} lives in memory and there is no disk below: direct=1 has nothing to reach."
            ),
        ),
        (false, false) => (
            Level::Warning,
            format!("{name} lives in memory: there is no disk below it to measure."),
        ),
    };
    vec![found(level, "", claim).advise("Use a target on the disk in question.")]
}
