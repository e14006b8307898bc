//! # A range that the device's cache can hold
//!
//! ## What it finds
//! Direct random I/O that comes back again and again to a range of less than 256 MiB. The threshold is a proposal
//! of this project: disks have 64 MiB to some GiB of cache, controllers and arrays have more.
//!
//! ## Why it matters
//! `direct=1` bypasses the page cache only. What the disk, the RAID controller or the array holds in its own memory
//! is answered from there, at a latency that no larger data set will see.
//!
//! ## What to try
//! A `size` of many times the cache: 16 GiB for a single disk, the working set of the application for an array.
//!
//! ## Example
//! ```facts
//! own: rw=randread size=64m
//! target: device 480g
//! expect: warning says "64.0 MiB" fix size=16g
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randrw -size=100% -time_based -runtime=60 -filename=/data/small
//! target: file 100m
//! expect: warning says "100 MiB"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread
//! target: file 0
//! ```
//!
//! ```facts
//! own: rw=randread size=256m
//! target: device 480g
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -size=64m
//! target: device 480g
//! ```
//!
//! ```facts
//! own: rw=randread size=64m
//! target: directory in_memory
//! ```
//!
//! ## Sources
//! - Disk makers' data sheets

use crate::Medium;
use crate::TargetKind;
use crate::facts::{block_sections, is_revisited};
use crate::finding::{With, warning};
use crate::medium::DEVICE_CACHE_BYTES;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "range_fits_device_cache",
    since: "0.1.0",
    summary: "a range that a disk's own cache can hold",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What a corrected job asks for.
const ROOMY: u64 = 16 << 30;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    if facts.medium() == Some(Medium::Memory) {
        return Vec::new();
    }
    block_sections(facts)
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    let range = facts.section_bytes(job)?;
    let comes_back = is_revisited(job) || job.io_size > range;
    if !job.direct || !job.rw.is_random() || !comes_back || range >= DEVICE_CACHE_BYTES {
        return None;
    }
    let words = units::bytes(range as f64);
    let claim = format!(
        "Random I/O on {words} again and again: a disk's or a controller's own cache can hold that, so this measures \
         the cache."
    );
    let finding = warning(&section.name, claim)
        .shows("range", words)
        .refuted_by("The latency is the same with a range of 16 GiB.")
        .advise("Use a range of many times the cache.")
        .at(section, &["size"]);
    let room = match facts.target.kind {
        TargetKind::Directory => facts.target.free_bytes,
        _ => facts.target.bytes,
    };
    let has_room = room.is_some_and(|bytes| bytes >= ROOMY);
    Some(if has_room {
        finding.set("size", units::size_word(ROOMY))
    } else {
        finding
    })
}
