//! # I/O that does not fit the device's blocks
//!
//! ## What it finds
//! A block size or an offset that is not a multiple of the device's physical block, or of its logical block with
//! direct I/O; a partition that begins between two physical blocks.
//!
//! ## Why it matters
//! A write of part of a physical block makes the device read it, change it and write it back. Direct I/O that is
//! not a multiple of the logical block fails with EINVAL.
//!
//! ## What to try
//! `bs` and `offset` as multiples of 4096; a partition that begins at a multiple of 1 MiB.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -bs=512 -iodepth=32
//! disk: sda transport=sata rotational=0 logical_block_bytes=512 physical_block_bytes=4096
//! expect: warning says "read, changed and written back" fix bs=4k
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=512
//! disk: nvme0n1 transport=nvme logical_block_bytes=4096 physical_block_bytes=4096
//! expect: wrong says "fail" fix bs=4k
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -bs=4k
//! partition: sda1 aligned=no block_bytes=4096
//! disk: sda logical_block_bytes=512 physical_block_bytes=4096
//! expect: warning says "sda1 begins between"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -bs=512
//! disk: sda transport=sata rotational=0 logical_block_bytes=512 physical_block_bytes=4096
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -bs=4k -offset=1m
//! partition: sda1 aligned=yes
//! disk: sda logical_block_bytes=512 physical_block_bytes=4096
//! ```
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `alignment_offset`, `physical_block_size`

use crate::facts::block_sections;
use crate::finding::{With, warning, wrong};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Job, Section};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "unaligned_io",
    since: "0.1.0",
    summary: "blocks that straddle the device's",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = partition(facts).into_iter().collect();
    findings.extend(block_sections(facts).filter_map(|section| one(facts, section)));
    findings
}

fn partition(facts: &RuleFacts<'_>) -> Option<Finding> {
    let is_off = |fact: Option<&String>| fact.is_some_and(|aligned| aligned == "no");
    let layer = facts
        .layers()
        .into_iter()
        .find(|layer| is_off(layer.facts.get("aligned")))?;
    let writes = facts.sections.iter().any(|section| section.job.rw.writes());
    let cost = if writes {
        "writes of it are read, changed and written back"
    } else {
        "reads of it touch two"
    };
    let claim = format!(
        "{} begins between two physical blocks of its disk: {cost}.",
        layer.name
    );
    let block = layer
        .facts
        .get("block_bytes")
        .map_or("unknown", String::as_str);
    let finding = warning("", claim)
        .shows("physical block", format!("{block} B"))
        .advise("Make the partition anew, beginning at a multiple of 1 MiB.");
    Some(finding)
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    let disk = facts.disk()?;
    let block = |name: &str| {
        disk.facts
            .get(name)?
            .parse::<u64>()
            .ok()
            .filter(|bytes| *bytes > 0)
    };
    let (logical, physical) = (block("logical_block_bytes"), block("physical_block_bytes"));
    if let Some(bytes) = logical.filter(|bytes| job.direct && misfit(job, *bytes)) {
        let claim = format!(
            "Direct I/O in parts of {}'s {bytes} B blocks: the kernel lets it fail.",
            disk.name
        );
        return Some(fixed(wrong(&section.name, claim), section, bytes));
    }
    let bytes = physical.filter(|bytes| job.rw.writes() && job.direct && misfit(job, *bytes))?;
    let claim = format!(
        "Writes in parts of {}'s physical blocks of {bytes} B: each is read, changed and written back.",
        disk.name
    );
    Some(fixed(warning(&section.name, claim), section, bytes))
}

/// Whether blocks begin or end inside a block of this size.
fn misfit(job: &Job, block: u64) -> bool {
    let grain = if job.blockalign > 0 {
        job.blockalign
    } else {
        job.bs
    };
    [grain, job.bs, job.offset, job.offset_increment]
        .iter()
        .any(|bytes| !bytes.is_multiple_of(block))
}

fn fixed(finding: Finding, section: &Section, block: u64) -> Finding {
    let job = &section.job;
    let mut finding = finding
        .shows("bs", units::bytes(job.bs as f64))
        .shows("block", format!("{block} B"))
        .advise("Use multiples of the block for bs and offset.")
        .at(section, &["bs", "offset", "offset_increment"]);
    let up = |bytes: u64| units::size_word(bytes.next_multiple_of(block));
    for (option, bytes) in [
        ("bs", job.bs),
        ("offset", job.offset),
        ("offset_increment", job.offset_increment),
    ] {
        if !bytes.is_multiple_of(block) {
            finding = finding.set(option, up(bytes));
        }
    }
    finding
}
