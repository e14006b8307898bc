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

use crate::analyse::fields::Frame;
use crate::diagnose::LiveRule;
use crate::diagnose::finding::{With, wrong};
use model::finding::{Finding, Level};

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "disk_reports_trouble",
    since: "0.1.0",
    summary: "a disk that reports trouble",
    level: Level::Wrong,
    judge,
};

/// A value of the log, from how much on it is trouble, and what it means in words around the number.
const SIGNS: &[(&str, f64, &str, &str)] = &[
    ("health.critical_warning", 1.0, "it raises its critical warning (bits", "of the NVMe log)"),
    ("health.pending_sectors", 1.0, "", "sectors could not be read and wait to be remapped"),
    ("health.media_errors", 1.0, "", "reads or writes failed in the medium"),
    ("health.percentage_used", 100.0, "", "% of its rated life is used"),
];

fn judge(frame: &Frame) -> Vec<Finding> {
    let of_sign = |(id, from, before, after): &(&str, f64, &str, &str)| {
        let bad = frame.each(id).filter(|(_, value)| *value >= *from);
        let found = bad.map(|(disk, value)| {
            let words = format!("{before} {value:.0} {after}");
            wrong(disk, format!("{disk} reports trouble: {}.", words.trim()))
                .shows(id, format!("{value:.0}"))
                .advise("Save the data and replace the disk; look at its whole log first (smartctl -a, nvme smart-log).")
        });
        found.collect::<Vec<_>>()
    };
    SIGNS.iter().flat_map(of_sign).collect()
}
