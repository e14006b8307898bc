//! # A SATA link slower than its port
//!
//! ## What it finds
//! A SATA link that the kernel has slowed down after errors (its log says so), or that runs below what the port may and
//! is full.
//!
//! ## Why it matters
//! A bad cable or backplane makes transfers fail; the kernel lowers the speed until they pass. A disk at 1.5 Gb/s
//! streams a quarter of what it could, and every failed transfer has cost a reset of some seconds.
//!
//! ## What to try
//! Another cable or slot first. The link keeps its lower speed until the next boot or a rescan of the port.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata sata_speed=3.0_Gbps sata_speed_max=6.0_Gbps
//! log: ata1: limiting SATA link speed to 3.0 Gbps
//! log: ata1.00: exception Emask 0x10 SAct 0x0 SErr 0x400000 action 0x6 frozen
//! expect: warning says "slowed it down after errors" about sda
//! ```
//! ```scene
//! disk: sda transport=sata sata_speed=3.0_Gbps sata_speed_max=6.0_Gbps link_bytes_per_s=275000000
//! probe: stream bs=1m direct=1 read=262@1ms elapsed=1s
//! expect: warning says "the stream fills it" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0 sata_speed=3.0_Gbps sata_speed_max=6.0_Gbps
//! expect: note says "3.0 Gbps of 6.0 Gbps" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1 sata_speed=3.0_Gbps sata_speed_max=6.0_Gbps
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0 sata_speed=6.0_Gbps sata_speed_max=6.0_Gbps
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0 sata_speed=3.0_Gbps sata_speed_max=6.0_Gbps link_bytes_per_s=275000000
//! probe: stream bs=1m direct=1 read=120@1ms elapsed=1s
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! log: ata1: limiting SATA link speed to 3.0 Gbps
//! ```
//!
//! ## Seen
//! Not produced: it takes a cable. QEMU's AHCI has a link of 1.5 Gb/s, the lowest, so that the kernel has nothing to slow down
//! to.
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-ata`: `sata_spd`, `hw_sata_spd_limit`
//! - Linux `drivers/ata/libata-core.c` and `libata-eh.c`: the message and when the limit is lowered

use crate::finding::{With, found};
use crate::seen::fastest_stream;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "sata_link_slowed",
    since: "0.1.0",
    summary: "a SATA link that runs below its port",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the disk itself has no faster link (disks of before 2010): then its own capability says 3.0 Gb/s (smartctl -i)",
        "a limit on the command line: libata.force=3.0G",
    ],
    experiment: Experiment::Line(
        "sudo smartctl -i /dev/{device} # current and maximum speed; then another cable, a reboot, and the same stream again",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// From this share of the link on, a stream fills it.
const FULL: f64 = 0.8;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let disks = scene
        .disks()
        .into_iter()
        .filter(|disk| disk.fact("transport") == Some("sata"));
    disks.filter_map(|disk| finding(scene, disk)).collect()
}

/// `6.0 Gbps` as a number.
fn gigabits(disk: &Layer, fact: &str) -> Option<f64> {
    disk.fact(fact)?.split_whitespace().next()?.parse().ok()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let (now, most) = (
        gigabits(disk, "sata_speed"),
        gigabits(disk, "sata_speed_max"),
    );
    let is_below = now.zip(most).is_some_and(|(now, most)| now < most);
    let logged = scene.log_with(&["limiting SATA link speed"]);
    // The log names ports, not disks: with several SATA disks only the slower ones can be meant.
    let is_logged = !logged.is_empty() && (is_below || now.is_none() && scene.disks().len() == 1);
    let share = fastest_stream(scene, disk)
        .zip(disk.number("link_bytes_per_s"))
        .map(|(one, two)| one / two);
    let is_full = is_below && share.is_some_and(|share| (FULL..1.1).contains(&share));
    // A platter does not fill 3 Gb/s, and a stream that stays below does not need more.
    let may_matter = share.is_none() && disk.fact("rotational") == Some("0");
    let (level, rest) = match (is_logged, is_full, is_below && may_matter) {
        (true, ..) => (Level::Warning, ": the kernel slowed it down after errors"),
        (_, true, _) => (Level::Warning, ", and the stream fills it"),
        (_, _, true) => (Level::Note, ""),
        _ => return None,
    };
    let speed = |fact: &str| disk.fact(fact).unwrap_or("unknown").to_string();
    let what = format!("{} of {}", speed("sata_speed"), speed("sata_speed_max"));
    let finding = found(
        level,
        &disk.name,
        format!("{}: its SATA link runs at {what}{rest}.", disk.name),
    )
    .shows("sata_speed", &what)
    .refuted_by("the disk itself has no faster link, or the stream stays far below it")
    .advise("Change the cable or the slot, reboot, and look at the speed again.")
    .gains(now.zip(most).map_or(
        0.0,
        |(now, most)| if is_full { most / now - 1.0 } else { 0.1 },
    ));
    let lost = now.zip(most).filter(|_| is_full);
    let finding = finding.costs("streams", lost.map_or(0.0, |(now, most)| 1.0 - now / most));
    Some(match logged.last() {
        Some(line) if is_logged => finding.shows("kernel log", line),
        _ => finding,
    })
}
