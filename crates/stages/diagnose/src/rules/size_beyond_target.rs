//! # More bytes than the target has
//!
//! ## What it finds
//! `offset` and `size`, with what `offset_increment` adds for further jobs, that reach beyond the end of the device
//! or file, or beyond the free space of the directory.
//!
//! ## Why it matters
//! On a device fio takes what is there and says nothing, so a `size=1000G` on a disk of 480 GB is a pass over the
//! whole disk and then the end, or the beginning again. In a directory the run ends with ENOSPC or fills the file
//! system.
//!
//! ## What to try
//! A `size` that fits. On a flash disk leave part of it unused, unless a full one is what is to be measured.
//!
//! ## Example
//! ```facts
//! fio: -filename=/dev/sda -direct=1 -rw=write -ioengine=psync -bs=4k -size=1000G
//! target: device 480g
//! expect: wrong says "has 480 GiB" fix size=480g
//! ```
//!
//! ```facts
//! fio: -direct=1 -rw=randwrite -ioengine=libaio -size=1000G -iodepth=64
//! target: directory free=118g
//! expect: wrong says "118 GiB can be used" fix size=118g
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -filename=/dev/sda -direct=1 -rw=write -ioengine=psync -bs=4k -size=480G
//! target: device 480g
//! ```
//!
//! ```facts
//! fio: -direct=1 -rw=randwrite -ioengine=libaio -size=100G
//! target: directory free=118g
//! ```
//!
//! ## Sources
//! - fio HOWTO, `size`

use crate::TargetKind;
use crate::facts::block_sections;
use crate::finding::{With, wrong};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Job, Section, Sharing};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "size_beyond_target",
    since: "0.1.0",
    summary: "a size that the target does not have",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// The corrected size is a multiple of this, so that every block size fits.
const GRAIN: u64 = 1 << 20;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts)
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let (job, target) = (&section.job, &facts.target);
    let (there, has) = match target.kind {
        TargetKind::Directory => (target.free_bytes?, "can be used"),
        TargetKind::File | TargetKind::Device => (target.bytes?, "is all there is"),
        TargetKind::Missing => return None,
    };
    let owners = if job.files.sharing == Sharing::Own {
        u64::from(job.numjobs)
    } else {
        1
    };
    let before = job.offset.saturating_add(steps(job));
    let asked = before.saturating_add(job.size).saturating_mul(owners);
    if job.size == 0 || asked <= there {
        return None;
    }
    let (asked_words, there_words) = (units::bytes(asked as f64), units::bytes(there as f64));
    let claim = match target.kind {
        TargetKind::Directory => {
            format!(
                "The job wants {asked_words} and {there_words} {has} in {}: it does not fit.",
                target.name
            )
        }
        _ => format!(
            "The job reaches to {asked_words} and {} has {there_words}: what runs is a pass over all of it, which \
             ends or begins again there.",
            target.name
        ),
    };
    let size = (there / owners).saturating_sub(before) / GRAIN * GRAIN;
    let finding = wrong(&section.name, claim)
        .shows("size", units::bytes(job.size as f64))
        .shows("target", there_words)
        .advise("Ask for what is there, or for less.")
        .at(section, &["size", "offset", "offset_increment"]);
    Some(if size > 0 {
        finding.set("size", units::size_word(size))
    } else {
        finding
    })
}

/// How far the last job's range is moved.
fn steps(job: &Job) -> u64 {
    match job.files.sharing {
        Sharing::Same => job
            .offset_increment
            .saturating_mul(u64::from(job.numjobs.max(1) - 1)),
        Sharing::Shares | Sharing::Own => 0,
    }
}
