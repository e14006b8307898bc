//! # A disk that reports trouble
//!
//! ## What it finds
//! A disk whose own log shows a critical warning (NVMe), sectors waiting to be remapped, errors of the medium, or a life that is
//! used up.
//!
//! ## Why it matters
//! A disk that retries takes seconds for single I/Os and fails soon. No setting helps.
//!
//! ## What to try
//! `smartctl -a` or `nvme smart-log` show all of the log. Save the data, replace the disk.
//!
//! ## Example
//! ```fields
//! health.pending_sectors sda 8
//! expect: wrong says "8 sectors"
//! ```
//!
//! ## Stays silent
//! ```fields
//! health.pending_sectors sda 0
//! health.percentage_used nvme0n1 37
//! health.critical_warning nvme0n1 0
//! ```
//!
//! ## Sources
//! - NVM Express Base Specification 2.0, SMART / Health Information log
//! - ATA Command Set 4, SMART attributes 197 and 198

use crate::LiveRule;
use crate::finding::{With, wrong};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "disk_reports_trouble",
    since: "0.1.0",
    summary: "a disk that reports trouble",
    level: Level::Wrong,
    our_doing: None,
    explains: &[],
    yields_to: &["disk_counts_errors"],
    judge,
};

/// A value of the log, from how much on it is trouble, and what it means. What an NVMe's warning means is in its bits.
const SIGNS: &[(&str, f64, &str)] = &[
    (
        "health.pending_sectors",
        1.0,
        "sectors could not be read and wait to be remapped",
    ),
    (
        "health.media_errors",
        1.0,
        "reads or writes have failed in the medium since it was new",
    ),
    (
        "health.percentage_used",
        100.0,
        "% of its rated life is used",
    ),
];

/// Bits of the critical warning (NVM Express Base Specification 2.0, figure 207).
const WARNINGS: &[(u32, &str)] = &[
    (0, "its spare blocks are below their threshold"),
    (1, "its temperature is beyond a threshold"),
    (2, "errors of the medium have degraded it"),
    (3, "it takes no writes any more"),
    (4, "its cache is no longer backed against a loss of power"),
    (5, "its persistent memory region takes no writes any more"),
];

fn judge(frame: &Frame) -> Vec<Finding> {
    let counted = SIGNS.iter().flat_map(|(id, from, words)| {
        let bad = frame.each(id).filter(|(_, value)| *value >= *from);
        bad.map(|(disk, value)| {
            finding(
                disk,
                id,
                value,
                &format!("{value} {words}", value = units::whole(value)),
            )
        })
        .collect::<Vec<_>>()
    });
    let warned = frame
        .each("health.critical_warning")
        .filter(|(_, bits)| *bits >= 1.0)
        .map(|(disk, bits)| {
            let set = WARNINGS
                .iter()
                .filter(|(bit, _)| bits as u32 >> bit & 1 == 1)
                .map(|(_, words)| *words);
            finding(
                disk,
                "health.critical_warning",
                bits,
                &set.collect::<Vec<_>>().join(", "),
            )
        });
    counted.chain(warned).collect()
}

fn finding(disk: &str, id: &str, value: f64, words: &str) -> Finding {
    wrong(disk, format!("{disk} reports trouble: {words}.")).shows(id, units::whole(value)).advise(
        "Look at its whole log (smartctl -a, nvme smart-log); unless heat is all of it, save the data first.",
    )
}
