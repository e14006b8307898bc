//! # Reads of blocks that were never written
//!
//! ## What it finds
//! A reading job on a file with holes or unwritten extents.
//!
//! ## Why it matters
//! The file system knows that such blocks are zeros and answers from memory. The rate is that of the CPU, and no
//! I/O reaches the disk. Blocks of a flash disk, a thin volume or a cloud disk that were never written behave the
//! same way, which cannot be seen from here.
//!
//! ## What to try
//! Write the whole range first, with data that does not compress. In a directory iodyno does so by itself.
//!
//! ## Example
//! ```facts
//! fio: -filename=/data/fio.test -direct=1 -rw=randread -ioengine=libaio -iodepth=32
//! target: file 10g written=0%
//! expect: wrong says "100 % of" says "never written"
//! ```
//!
//! ```facts
//! fio: -filename=/data/fio.test -direct=1 -rw=randread -ioengine=libaio -iodepth=32
//! target: file 10g written=90%
//! expect: warning says "10 % of" says "never written"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -filename=/data/fio.test -direct=1 -rw=randread -ioengine=libaio -iodepth=32
//! target: file 10g written=100%
//! ```
//!
//! ```facts
//! fio: -filename=/data/fio.test -direct=1 -rw=randwrite -ioengine=libaio -iodepth=32
//! target: file 10g written=0%
//! ```
//!
//! ## Sources
//! - fio issues 719 and 1473; Linux `Documentation/filesystems/fiemap.rst`

use crate::facts::block_sections;
use crate::finding::{With, found};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "holes_read",
    since: "0.1.0",
    summary: "reads of blocks that were never written",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Below this share of written blocks most of the run would be memory.
const MOSTLY: f64 = 0.5;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let readers = block_sections(facts).filter(|section| section.job.rw.reads());
    readers
        .filter_map(|section| holes(facts, section))
        .collect()
}

fn holes(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let written = facts.target.written_share.filter(|share| *share < 0.995)?;
    let level = if written < MOSTLY {
        Level::Wrong
    } else {
        Level::Warning
    };
    let name = &facts.target.name;
    let missing = (1.0 - written) * 100.0;
    let claim = format!(
        "{missing} of {name} were never written: the file system answers reads of those with zeros from memory, \
         and no disk is asked.",
        missing = units::percent_whole(missing)
    );
    let finding = found(level, &section.name, claim)
        .shows("written", units::share(written))
        .refuted_by("The device's own counters show as many bytes read as the load.")
        .advise("Write the range once before reading it, or use its directory as the target.")
        .at(section, &["filename", "rw", "readwrite"]);
    Some(finding)
}
