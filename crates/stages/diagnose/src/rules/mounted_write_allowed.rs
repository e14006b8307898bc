//! # Writes to a mounted device allowed
//!
//! ## What it finds
//! `allow_mounted_write=1`.
//!
//! ## Why it matters
//! It takes away fio's only guard against overwriting a mounted file system, and that guard does not know members
//! of RAID, LVM, ZFS or bcache to begin with.
//!
//! ## What to try
//! Leave it out. iodyno does not follow it: a device in use is refused in every case.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -filename=/dev/sda -allow_mounted_write=1
//! target: device 480g
//! expect: warning says "guard" fix allow_mounted_write
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -filename=/dev/sda -allow_mounted_write=0
//! target: device 480g
//! ```
//!
//! ## Sources
//! - fio HOWTO, `allow_mounted_write`

use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "mounted_write_allowed",
    since: "0.1.0",
    summary: "a lock taken off",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    facts.sections.iter().filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    section
        .option("allow_mounted_write")
        .filter(|(value, _)| *value != "0")?;
    let claim = "allow_mounted_write takes away fio's guard against overwriting a mounted file system; iodyno keeps \
                 its own and refuses a device in use.";
    let finding = warning(&section.name, claim)
        .advise("Leave it out.")
        .drop_option("allow_mounted_write")
        .at(section, &["allow_mounted_write"]);
    Some(finding)
}
