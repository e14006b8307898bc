//! # Several sequential streams on one rotating disk
//!
//! ## What it finds
//! Several jobs, each sequential in a range of its own, on one rotating disk.
//!
//! ## Why it matters
//! For the disk the streams are not sequential any more: the head moves between them, and the rate is decided by
//! how much the scheduler and the read-ahead take from one before they go to the next. One stream had 102 MiB/s,
//! three had 17.5.
//!
//! ## What to try
//! One job for the disk's own rate; several on purpose, to compare schedulers and read-ahead under it.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -size=20G -numjobs=3
//! disk: sda transport=sata rotational=1
//! expect: note says "3 streams"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -size=20G -numjobs=3
//! disk: sda transport=sata rotational=0
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=read -size=20G -numjobs=1
//! disk: sda transport=sata rotational=1
//! ```
//!
//! ## Sources
//! - A field report on USB disks, whose figures are above

use crate::Medium;
use crate::facts::block_sections;
use crate::finding::{With, note};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "streams_on_one_disk",
    since: "0.1.0",
    summary: "several sequential streams that one head serves",
    level: Level::Note,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    if facts.medium() != Some(Medium::Rotational) {
        return Vec::new();
    }
    let is_so = |section: &&Section| section.job.numjobs > 1 && !section.job.rw.is_random();
    block_sections(facts).filter(is_so).map(finding).collect()
}

fn finding(section: &Section) -> Finding {
    let claim = format!(
        "{} streams on one rotating disk: its head moves between them, so this is not the disk's sequential rate.",
        section.job.numjobs
    );
    note(&section.name, claim)
        .refuted_by("One stream alone has the same rate.")
        .advise("Use one job for the disk's own rate.")
        .at(section, &["numjobs"])
}
