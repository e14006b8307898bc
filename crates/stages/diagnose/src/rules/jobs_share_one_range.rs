//! # Jobs that share one sequential range
//!
//! ## What it finds
//! Several jobs (`numjobs`) that read or write one file or device sequentially from the same offset: `filename`
//! without an `offset_increment` that keeps them apart.
//!
//! ## Why it matters
//! Each job begins at the same block. Writers hit the same blocks at the same time and wait for each other's page
//! or zone; readers find in a cache what the first one fetched; the scheduler merges or re-serialises them. The
//! result is that of the contention: 50 writers on one range of a SATA SSD gave 8,100 IOPS where 4 gave 45,000, and
//! the choice of scheduler seemed to matter by a factor of ten.
//!
//! ## What to try
//! `offset_increment` with a `size` that leaves each job a range of its own; or `numjobs=1` with a deeper queue.
//!
//! ## Example
//! ```facts
//! fio: -filename=/dev/sda -direct=1 -thread -rw=write -ioengine=psync -bs=4k -size=1000G -numjobs=50 -runtime=180
//! target: device 480g
//! expect: wrong says "all 50 jobs write the same blocks" fix offset_increment=9830m fix size=9830m
//! ```
//!
//! ```facts
//! fio: -filename=/dev/sdb -direct=1 -rw=read -ioengine=psync -bs=16k -size=20G -numjobs=3
//! target: device 500g
//! expect: wrong says "read the same blocks" fix offset_increment=20g
//! ```
//!
//! ```facts
//! fio: -filename=/dev/sdb -direct=1 -rw=read -ioengine=psync -size=20G -numjobs=3 -offset_increment=1G
//! target: device 500g
//! expect: warning says "overlap" fix offset_increment=20g
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -filename=/dev/sdb -direct=1 -rw=read -ioengine=psync -size=20G -numjobs=3 -offset_increment=20G
//! ```
//!
//! ```facts
//! fio: -filename=/dev/sdb -direct=1 -rw=randread -ioengine=psync -size=20G -numjobs=3
//! ```
//!
//! ```facts
//! fio: -direct=1 -rw=read -ioengine=psync -size=20G -numjobs=3
//! ```
//!
//! ```facts
//! own: rw=write numjobs=50
//! ```
//!
//! ## Sources
//! - fio HOWTO, `offset_increment`; a field report of 50 jobs on a SATA SSD, whose figures are above

use crate::TargetKind;
use crate::facts::block_sections;
use crate::finding::{With, found};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Section, Sharing};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "jobs_share_one_range",
    since: "0.1.0",
    summary: "jobs that work on the same blocks at the same time",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Ranges of the corrected job are multiples of this, so that every block size fits.
const GRAIN: u64 = 1 << 20;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts)
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    let shares = job.numjobs > 1 && job.files.sharing == Sharing::Same && !job.rw.is_random();
    let range = facts.range_bytes(job);
    let is_apart =
        job.offset_increment > 0 && range.is_none_or(|range| job.offset_increment >= range);
    if !shares || is_apart {
        return None;
    }
    let (jobs, verb) = (job.numjobs, if job.rw.writes() { "write" } else { "read" });
    let (level, claim) = match job.offset_increment {
        0 => (
            Level::Wrong,
            format!(
                "One file, sequential, no offset_increment: all {jobs} jobs {verb} the same blocks at the same time, \
                 so this measures their contention or a cache."
            ),
        ),
        step => (
            Level::Warning,
            format!(
                "offset_increment={} is less than the range of a job: the ranges of the {jobs} jobs overlap, and \
                 blocks are {verb} by several.",
                units::size_word(step)
            )
            .replace("are write by", "are written by"),
        ),
    };
    let finding = found(level, &section.name, claim)
        .shows("numjobs", jobs)
        .shows("offset_increment", units::bytes(job.offset_increment as f64))
        .advise("Give each job a range of its own with offset_increment, or use one job and a deeper queue.")
        .at(section, &["offset_increment", "numjobs", "filename"]);
    Some(apart(facts, section, finding))
}

/// Ranges side by side, of the size asked for where they fit, else of equal parts of what there is.
fn apart(facts: &RuleFacts<'_>, section: &Section, finding: Finding) -> Finding {
    let job = &section.job;
    let there = match facts.target.kind {
        TargetKind::Directory => facts.target.free_bytes,
        _ => facts.target.bytes,
    };
    let Some(range) = facts.range_bytes(job) else {
        return finding;
    };
    let room = there.map_or(range, |bytes| bytes.saturating_sub(job.offset));
    let fits = range.saturating_mul(u64::from(job.numjobs)) <= room;
    let each = if fits {
        range
    } else {
        room.min(range.max(room)) / u64::from(job.numjobs) / GRAIN * GRAIN
    };
    match (each, fits) {
        (0, _) => finding,
        (each, true) => finding.set("offset_increment", units::size_word(each)),
        (each, false) => finding
            .set("offset_increment", units::size_word(each))
            .set("size", units::size_word(each)),
    }
}
