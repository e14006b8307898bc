//! # A USB 3 disk at USB 2 speed
//!
//! ## What it finds
//! A USB disk of version 3 whose link runs at 480 Mb/s or less.
//!
//! ## Why it matters
//! 480 Mb/s carry about 40 MB/s of data; the disk was made for ten times as much. The port, the cable or a hub between
//! has only the wires of USB 2.
//!
//! ## What to try
//! A port of the right colour, a shorter cable, no hub. `lsusb -t` shows where on the way the speed drops.
//!
//! ## Example
//! ```scene
//! disk: sda transport=usb usb_speed_mbit=480 usb_version=3.20
//! expect: warning says "480 Mb/s" about sda
//! ```
//! ```scene
//! disk: sda transport=usb usb_speed_mbit=480 usb_version=3.00
//! probe: stream bs=1m direct=1 read=38@26ms elapsed=1s
//! expect: warning says "480 Mb/s" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=usb usb_speed_mbit=480 usb_version=2.00
//! ```
//! ```scene
//! disk: sda transport=usb usb_speed_mbit=480 usb_version=2.10
//! ```
//! ```scene
//! disk: sda transport=usb usb_speed_mbit=5000 usb_version=3.20
//! ```
//! ```scene
//! disk: sda transport=usb usb_speed_mbit=480 usb_version=3.00
//! probe: stream bs=1m direct=1 read=300@3ms elapsed=1s
//! ```
//!
//! ## Seen
//! Not produced: it takes real cables; on a link of version 2 QEMU's USB disks say that they are of version 2.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-bus-usb`: `speed`, `version`
//! - USB 2.0 specification, chapter 5.8.4: at most 13 bulk packets of 512 bytes in 125 us

use crate::finding::{With, warning};
use crate::seen::fastest_stream;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "usb_high_speed",
    since: "0.1.0",
    summary: "a USB 3 disk on a USB 2 link",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "many devices say 2.10 on a link of version 2 whatever they can: those are not found here",
    ],
    experiment: Experiment::Line(
        "lsusb -t # then another port or cable, and iodyno check {target} again",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What a link of USB 2 cannot carry, bytes a second: 13 packets of 512 bytes in each of 8,000 microframes.
const CANNOT: f64 = 54e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let (speed, version) = (disk.number("usb_speed_mbit")?, disk.number("usb_version")?);
    let stream = fastest_stream(scene, disk);
    let is_slow = speed <= 480.0 && version >= 3.0 && stream.is_none_or(|rate| rate < CANNOT);
    is_slow.then(|| {
        let finding = warning(
            &disk.name,
            format!(
                "{} is a USB {version} disk on a link of {speed} Mb/s.",
                disk.name,
                version = units::decimals(version, 1),
                speed = units::whole(speed)
            ),
        )
        .shows("usb_speed_mbit", units::whole(speed))
        .shows("usb_version", disk.fact("usb_version").unwrap_or_default())
        .refuted_by("a stream that moves more than 54 MB/s")
        .advise("Use a port, a cable and no hub that carry USB 3.")
        .gains(3.0);
        match stream {
            Some(rate) => finding.shows("stream", units::bytes_per_s(rate)),
            None => finding,
        }
    })
}
