//! # A disk that counts errors
//!
//! ## What it finds
//! Signs of failing that the live rule `disk_reports_trouble` does not cover: a SCSI disk that expects to fail, reads
//! that an ATA disk gave up (187) or found unreadable by itself (198), uncorrected errors of a SCSI disk; and, as a
//! note, sectors that were replaced (5).
//!
//! ## Why it matters
//! A disk that retries takes seconds for single I/Os and fails soon. No setting helps.
//!
//! ## What to try
//! `smartctl -x` shows all. Save the data; replace the disk when the numbers grow.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sas
//! field: health.failure_predicted sda 1
//! expect: warning says "expects to fail" about sda
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: health.reported_uncorrectable sda 12
//! field: health.reallocated_sectors sda 40
//! expect: warning says "12 reads that it gave up" about sda
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: health.reallocated_sectors sda 8
//! expect: note says "8 sectors" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! field: health.reallocated_sectors sda 0
//! field: health.reported_uncorrectable sda 0
//! field: health.offline_uncorrectable_sectors sda 0
//! ```
//! ```scene
//! disk: sda transport=sas
//! field: health.failure_predicted sda 0
//! field: health.read_corrected_errors sda 90000
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: health.pending_sectors sda 8
//! ```
//!
//! ## Seen
//! In the lab: `failure_predicted`, a disk of scsi_debug that expects to fail. The counters take a disk that really does.
//!
//! ## Sources
//! - SCSI Primary Commands, Informational Exceptions log page
//! - ATA SMART attributes 5, 187 and 198, as smartctl(8) names them

use crate::finding::{With, found};
use crate::seen::highest;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "disk_counts_errors",
    since: "0.1.0",
    summary: "a disk whose own counters show errors",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "old errors of a disk that has been well for years: then the counters stand still",
        "a loose cable: then attribute 199 grows as well",
    ],
    experiment: Experiment::Line(
        "sudo smartctl -t long /dev/{device} # and smartctl -x /dev/{device} when it is done",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// A counter, the level of one or more, and what that is.
const SIGNS: &[(&str, Level, &str)] = &[
    (
        "health.failure_predicted",
        Level::Warning,
        "expects to fail",
    ),
    (
        "health.reported_uncorrectable",
        Level::Warning,
        "counts {} reads that it gave up",
    ),
    (
        "health.offline_uncorrectable_sectors",
        Level::Warning,
        "has found {} sectors that it cannot read",
    ),
    (
        "health.read_uncorrected_errors",
        Level::Warning,
        "counts {} reads that it gave up",
    ),
    (
        "health.write_uncorrected_errors",
        Level::Warning,
        "counts {} writes that it gave up",
    ),
    (
        "health.reallocated_sectors",
        Level::Note,
        "has replaced {} sectors by spare ones",
    ),
];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

/// One finding a disk: the worst sign speaks, all are evidence.
fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let value = |id: &str| highest(scene, id, &disk.name).filter(|value| *value >= 1.0);
    let shown: Vec<_> = SIGNS
        .iter()
        .filter_map(|(id, level, words)| Some((*id, *level, *words, value(id)?)))
        .collect();
    let (_, level, words, number) = shown.first()?;
    let words = words.replace("{}", &units::whole(*number));
    let mut finding = found(*level, &disk.name, format!("{} {words}.", disk.name));
    for (id, _, _, number) in &shown {
        finding = finding.shows(id, units::whole(*number));
    }
    Some(
        finding
            .refuted_by("a long self-test ends without an error and the counters stand still")
            .advise(
                "Save the data, run a long self-test, and replace the disk when the numbers grow.",
            ),
    )
}
