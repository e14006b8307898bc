//! # Merging of requests switched off
//!
//! ## What it finds
//! `nomerges` above 0: neighbouring requests are not joined, or only in the cheapest case. It is a warning on a spinning disk that
//! is seen with a thousand small requests a second, which no platter serves unless they are neighbours.
//!
//! ## Why it matters
//! Looking for neighbours costs CPU that purely random loads waste, which is why tuning scripts of databases switch it off for
//! every disk. Sequential small I/O, journals and logs then reach the device piece by piece.
//!
//! ## What to try
//! `nomerges=0`, the kernel's default.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: nomerges = 2
//! expect: note says "never merged" about nvme0n1
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: nomerges = 2
//! field: disk.writes_per_s sda 4000
//! field: disk.size_write_bytes sda 4096
//! expect: warning says "4000 requests a second of 4.00 KiB" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: nomerges = 0
//! field: disk.writes_per_s sda 4000
//! field: disk.size_write_bytes sda 4096
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: nomerges = ABSENT
//! ```
//!
//! ## Seen
//! On a live kernel: a loop device with `nomerges` 2 (Linux 6.18), as a note; the warning needs a platter.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `nomerges`; `block/blk-merge.c`
//! - seastar `perftune.py`, which sets 2 on every disk
//! - 1,000 requests a second of at most 8 KiB is a proposal of this project: several times what a platter gives at random.

use crate::causes_help_queue::{configured, is_spinning};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "merging_off",
    since: "0.1.0",
    summary: "neighbouring requests that are sent one by one, because merging is off",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the requests are no neighbours, and a cache in disk or controller answers: then nomerges=0 changes nothing",
        "the program flushes after each, so that no neighbour is there yet: then as many flushes are seen as writes",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("nomerges=0,2").rw("write").bs("4k")),
    contrast: None,
    knob: Some("nomerges"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Requests a second that a platter cannot serve at random.
const MANY_PER_S: f64 = 1000.0;
/// Up to this mean size they are small, bytes.
const SMALL: f64 = 8192.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .queues()
        .filter_map(|layer| finding(scene, layer))
        .collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let setting = layer.setting("nomerges")?;
    let value = setting.number().filter(|value| *value > 0.0)?;
    let name = &layer.name;
    let small = scene
        .frames()
        .find_map(|(_, frame)| small(frame, name))
        .filter(|_| is_spinning(scene, layer));
    let how = if value >= 2.0 {
        "never merged"
    } else {
        "merged in the simplest case only"
    };
    let (level, claim) = match small {
        Some((rate, size)) => {
            let size = units::bytes(size);
            let claim = format!(
                "{name} spins and gets {rate} requests a second of {size}: neighbours, which are {how}.",
                rate = units::whole(rate)
            );
            (Level::Warning, claim)
        }
        None => (
            Level::Note,
            format!("Neighbouring requests to {name} are {how}."),
        ),
    };
    let mut finding = found(level, name, claim)
        .shows("nomerges", value)
        .refuted_by("small sequential writes are no faster with nomerges=0")
        .advise("Set nomerges to 0 unless the load is purely random and short of CPU.")
        .gains(if small.is_some() { 1.0 } else { 0.05 });
    if let Some(owner) = configured(setting).last() {
        finding = finding.shows("set by", &owner.place);
    }
    Some(finding)
}

/// Rate and mean size of many small requests of one direction.
fn small(frame: &Frame, device: &str) -> Option<(f64, f64)> {
    let of = |rate: &str, size: &str| Some((frame.get(rate, device)?, frame.get(size, device)?));
    let read = of("disk.reads_per_s", "disk.size_read_bytes");
    let written = of("disk.writes_per_s", "disk.size_write_bytes");
    read.into_iter()
        .chain(written)
        .find(|(rate, size)| *rate >= MANY_PER_S && *size <= SMALL)
}
