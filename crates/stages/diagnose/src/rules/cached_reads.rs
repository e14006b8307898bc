//! # Reads that the page cache can answer
//!
//! ## What it finds
//! Buffered reads that visit blocks more than once, over a range of less than twice the memory.
//!
//! ## Why it matters
//! From the second visit on, the part of the range that fits into memory is read from memory. With a range of half
//! the memory the disk is idle after the first pass, and the rate of the whole run is a mix whose parts depend on
//! its length.
//!
//! ## What to try
//! `direct=1`; or a `size` of twice the memory and more.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -rw=randread -size=16G -norandommap -time_based -runtime=60
//! memory: 64g
//! expect: warning says "all of it" fix direct=1
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=randread -size=100G -norandommap -time_based -runtime=60
//! memory: 64g
//! expect: warning says "64 %" fix direct=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -rw=randread -size=128G -norandommap -time_based -runtime=60
//! memory: 64g
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=read -size=16G
//! memory: 64g
//! ```
//!
//! ```facts
//! own: rw=randread direct=0 size=16G cold_passes
//! memory: 64g
//! ```
//!
//! ## Sources
//! - The threshold of twice the memory is a habit of the trade and a proposal of this project, not a law

use crate::facts::{block_sections, is_revisited};
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "cached_reads",
    since: "0.1.0",
    summary: "reads that memory answers",
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
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    let (range, memory) = (facts.section_bytes(job)?, facts.machine.memory_bytes?);
    let is_cached = job.rw.reads() && !job.direct && is_revisited(job);
    if !is_cached || range == 0 || range >= memory.saturating_mul(2) {
        return None;
    }
    let part = match range <= memory {
        true => "all of it".to_string(),
        false => format!(
            "{} of it",
            units::percent_whole(memory as f64 / range as f64 * 100.0)
        ),
    };
    let claim = format!(
        "Buffered reads of {} again and again with {} of memory: the page cache can hold {part}, so this measures \
         memory as much as the disk.",
        units::bytes(range as f64),
        units::bytes(memory as f64)
    );
    let finding = warning(&section.name, claim)
        .shows("range", units::bytes(range as f64))
        .shows("memory", units::bytes(memory as f64))
        .refuted_by("The device's own counters show as many bytes read as the load.")
        .advise("Use direct=1, or a range of twice the memory.")
        .set("direct", 1)
        .at(section, &["buffered", "direct", "size"]);
    Some(finding)
}
