//! # Transfers that arrive damaged
//!
//! ## What it finds
//! A SATA disk that counts damaged transfers (attribute 199): a warning when the count grew during the check, a note
//! when it is above 100.
//!
//! ## Why it matters
//! Every damaged transfer is repeated, after a wait. The cable, the backplane or the connector is bad, not the disk.
//!
//! ## What to try
//! Change the cable or the slot. The counter never goes back; what matters is whether it still grows.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! field: health.crc_errors sda 17
//! probe: depth read=9000@1ms depth=32
//! field: health.crc_errors sda 19
//! expect: warning says "2 transfers" about sda
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: health.crc_errors sda 4411
//! expect: note says "4.41 k transfers" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! field: health.crc_errors sda 3
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: health.crc_errors sda 17
//! probe: depth read=9000@1ms depth=32
//! field: health.crc_errors sda 17
//! ```
//!
//! ## Seen
//! Not produced: it takes a bad cable; QEMU's SATA disks do not have attribute 199.
//!
//! ## Sources
//! - ATA Command Set 4; SMART attribute 199, UDMA CRC Error Count, as smartctl(8) names it
//! - That 100 in a life are worth a note is a proposal of this project: single ones come from plugging.

use crate::finding::{With, note, warning};
use crate::seen::span_over;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "transfers_damaged",
    since: "0.1.0",
    summary: "damaged transfers on a SATA link",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "an old cable that was changed long ago: then the count stands still",
        "a controller that fails: then several disks of it count",
    ],
    experiment: Experiment::Line(
        "sudo smartctl -A /dev/{device} # before and after iodyno run {target} -- -rw=read -bs=1m -iodepth=32 -direct=1 -runtime=60",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const MANY: f64 = 100.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let name = disk.name.as_str();
    let (before, after) = span_over(scene, "health.crc_errors", name)?;
    let finding = if after > before {
        let claim = format!(
            "{name}: {} transfers arrived damaged during this check.",
            units::count(after - before)
        );
        warning(name, claim).gains(0.5)
    } else if after >= MANY {
        note(
            name,
            format!(
                "{name} has counted {} transfers that arrived damaged; none during this check.",
                units::count(after)
            ),
        )
    } else {
        return None;
    };
    Some(
        finding
            .shows("health.crc_errors", units::whole(after))
            .refuted_by("the counter stands still under a load of some minutes")
            .advise("Change the cable or the slot, and look whether the counter still grows."),
    )
}
