//! # A disk that slows itself down for heat
//!
//! ## What it finds
//! An NVMe whose counters of thermal throttling, or of minutes above its warning temperature, grew during the check; or
//! a disk at its critical temperature.
//!
//! ## Why it matters
//! It runs slower until it is cool. What was measured is the cooling, and a comparison with a cooler moment or machine
//! compares rooms.
//!
//! ## What to try
//! Airflow or a heat sink. Then measure again at a steady temperature.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme
//! field: health.light_throttlings nvme0n1 14
//! probe: depth read=90000@1ms depth=32
//! field: health.light_throttlings nvme0n1 15
//! field: health.temperature_celsius nvme0n1 83
//! expect: warning says "slowed itself down" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! probe: depth read=90000@1ms depth=32
//! field: temperature.celsius nvme0 Composite 86
//! field: temperature.critical_celsius nvme0 Composite 85
//! expect: warning says "86 °C" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! probe: depth read=90000@1ms depth=32
//! field: health.light_throttling_seconds nvme0n1 4000
//! expect: note says "67 min of its life" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme
//! field: health.light_throttlings nvme0n1 0
//! field: health.warning_temperature_minutes nvme0n1 0
//! field: temperature.celsius nvme0 Composite 44
//! field: temperature.critical_celsius nvme0 Composite 85
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! field: health.light_throttlings nvme0n1 3
//! probe: depth read=90000@1ms depth=32
//! field: health.light_throttlings nvme0n1 3
//! ```
//!
//! ## Seen
//! Not produced: it takes a disk that gets hot. QEMU's NVMe stays at 50 °C, half of its critical temperature, and counts no
//! throttling; its SCSI and SATA disks report no critical temperature.
//!
//! ## Sources
//! - NVM Express Base Specification 2.0, SMART / Health Information log: Thermal Management Temperature 1 and 2 Transition Count, Total Time, Warning Composite Temperature Time
//! - Ten minutes of throttling in a life, from which on there is a note, are a proposal of this project.

use crate::finding::{With, note, warning};
use crate::seen::{highest, span_over};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "disk_slowed_by_heat",
    since: "0.1.0",
    summary: "a disk throttled by heat",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "a disk that is slower for another reason while it happens to be hot: then it is as slow when cool",
        "a sensor that reads wrong: then the counters do not move",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=read -bs=1m -iodepth=32 -direct=1 -runtime=300 # once {device} has cooled down (nvme smart-log): does the rate fall as the temperature rises?",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Counters that only grow while the disk slows itself down, or is about to.
const COUNTERS: &[&str] = &[
    "health.light_throttlings",
    "health.heavy_throttlings",
    "health.light_throttling_seconds",
    "health.heavy_throttling_seconds",
    "health.warning_temperature_minutes",
    "health.critical_temperature_minutes",
];

const TIMES: &[&str] = &[
    "health.light_throttling_seconds",
    "health.heavy_throttling_seconds",
];

/// Seconds of a life that are worth a note.
const LONG_S: f64 = 600.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

/// A temperature of a disk. hwmon has a SATA disk's by its name, and an NVMe's by its controller: `nvme0 Composite`.
fn hottest(scene: &Scene<'_>, id: &str, disk: &str) -> Option<f64> {
    let of_controller = || {
        let (controller, _) = disk.strip_prefix("nvme")?.split_once('n')?;
        highest(scene, id, &format!("nvme{controller} Composite"))
    };
    highest(scene, id, disk).or_else(of_controller)
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let name = disk.name.as_str();
    let grown = COUNTERS.iter().find_map(|id| {
        let (low, high) = span_over(scene, id, name)?;
        (high > low).then_some((*id, low, high))
    });
    let degrees = hottest(scene, "temperature.celsius", name)
        .or_else(|| highest(scene, "health.temperature_celsius", name));
    let critical = hottest(scene, "temperature.critical_celsius", name);
    let is_critical = degrees
        .zip(critical)
        .is_some_and(|(now, most)| most > 0.0 && now >= most);
    let finding =
        if let Some((id, low, high)) = grown {
            let claim = format!(
                "{name} slowed itself down for heat while it was measured, or was about to."
            );
            warning(name, claim)
                .shows(
                    id,
                    format!(
                        "{low} before, {high} after",
                        low = units::whole(low),
                        high = units::whole(high)
                    ),
                )
                .gains(0.3)
        } else if is_critical {
            let now = degrees.unwrap_or_default();
            warning(
            name,
            format!(
                "{name} is at {now} °C, its critical temperature: it slows itself down or stops."
            , now = units::whole(now)),
        )
        .gains(0.3)
        } else {
            let seconds: f64 = TIMES.iter().filter_map(|id| highest(scene, id, name)).sum();
            if seconds < LONG_S {
                return None;
            }
            let long = units::span_ms((seconds / 60.0).round() as u64 * 60_000);
            let long = long.trim_end_matches(" 0 s");
            note(
            name,
            format!(
                "{name} has spent {long} of its life slowed down for heat; not during this check."
            ),
        )
        .shows("throttled", format!("{seconds} s", seconds = units::whole(seconds)))
        };
    let finding = match degrees {
        Some(degrees) => finding.shows(
            "temperature",
            format!("{degrees} °C", degrees = units::whole(degrees)),
        ),
        None => finding,
    };
    Some(
        finding
            .refuted_by("the rate is the same when the disk is cool")
            .advise("Cool it better, and measure again when its temperature is steady."),
    )
}
