//! # A PCIe link below what both of its ends can
//!
//! Also: HBA, host bus adapter, `LnkSta`.
//!
//! ## What it finds
//! A disk whose PCIe path carries fewer bytes a second than it would if every link on it ran at its own maximum, or
//! whose link has lost lanes. Without a load it is a note when only the speed is lower: an idle link may be slowed down
//! to save power.
//!
//! ## Why it matters
//! A link that trained with fewer lanes or at an older speed halves or quarters the stream, and nothing else in the
//! system shows it.
//!
//! ## What to try
//! Reseat the card or cable, look at the slot's wiring (a slot of 16 lanes may have 4), BIOS settings for the slot and
//! ASPM. `lspci -vv` as root names both ends: LnkCap is what each can, LnkSta what is.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme link_width=2 link_width_max=4 link_speed=16.0_GT/s_PCIe link_speed_max=16.0_GT/s_PCIe
//! expect: warning says "2 of 4 lanes" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme link_bytes_per_s=1970000000 link_bytes_per_s_max=7880000000 pcie_narrowest=0000:01:00.0
//! probe: stream bs=1m direct=1 read=1850@1ms elapsed=1s
//! expect: warning says "the stream fills it" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme link_width=4 link_width_max=4 link_bytes_per_s=1970000000 link_bytes_per_s_max=7880000000
//! expect: note says "may be slowed down while idle" about nvme0n1
//! ```
//! ```scene
//! machine: hypervisor=kvm
//! disk: nvme0n1 transport=nvme link_width=1 link_width_max=4
//! expect: note says "1 of 4 lanes" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme link_width=2 link_width_max=4 link_bytes_per_s=1970000000 link_bytes_per_s_max=1970000000
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme link_width=4 link_width_max=4 link_bytes_per_s=7880000000 link_bytes_per_s_max=7880000000
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme link_bytes_per_s=1970000000 link_bytes_per_s_max=7880000000
//! probe: stream bs=1m direct=1 read=600@1ms elapsed=1s
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme link_bytes_per_s=1970000000 link_bytes_per_s_max=7880000000
//! probe: stream bs=1m direct=1 read=3400@1ms elapsed=1s
//! ```
//! ```scene
//! disk: vda transport=virtio
//! ```
//!
//! ## Seen
//! Not produced: it takes a slot. QEMU's disks say that they can do 2.5 GT/s with one lane, below which no link can be, and iodyno
//! does not believe the link of an emulated device; the examples are made by hand from the sources.
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-bus-pci`, `current_link_speed`, `max_link_speed`, `current_link_width`, `max_link_width`
//! - lspci(8), LnkCap and LnkSta
//! - That a stream fills the link from 80 % of it on, and does not bother about it below half, is a proposal of this project: protocol overhead takes 5 to 15 %.

use crate::finding::{With, found};
use crate::seen::fastest_stream;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "pcie_link_narrow",
    since: "0.1.0",
    summary: "a PCIe link with fewer lanes or less speed than both ends can",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the slot has fewer lanes than its shape: then the port above it says the same maximum",
        "the kernel or firmware lowers the speed while idle: then it is back under load",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=read -bs=1m -iodepth=8 -direct=1 -runtime=10 # meanwhile read current_link_speed and current_link_width of {device} and of the port above it",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// From this share of the link on, a stream fills it.
const FULL: f64 = 0.8;

/// Below this share it does not matter.
const IDLE: f64 = 0.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let lanes = disk.number("link_width").zip(disk.number("link_width_max"));
    let bytes = disk
        .number("link_bytes_per_s")
        .zip(disk.number("link_bytes_per_s_max"));
    let slower = bytes.filter(|(now, most)| now < &(most * 0.95));
    // A disk of four lanes in a slot of two is as it was built: no link of the path could do more.
    let is_as_built = bytes.is_some() && slower.is_none();
    let lost = lanes.filter(|(now, most)| *now > 0.0 && now < most && !is_as_built);
    let stream = fastest_stream(scene, disk);
    let share = stream.zip(bytes).map(|(stream, (now, _))| stream / now);
    // A stream that needs half of the link, or more than the link was said to carry, has taken the matter back.
    if share.is_some_and(|share| !(IDLE..=1.1).contains(&share)) {
        return None;
    }
    let is_full = share.is_some_and(|share| share >= FULL);
    // What a hypervisor shows of its PCIe is made up.
    let is_physical = scene.path.machine_fact("hypervisor").is_none();
    let what = match (lost, slower) {
        (Some((now, most)), _) => format!(
            "{now} of {most} lanes",
            now = units::whole(now),
            most = units::whole(most)
        ),
        (None, Some((now, most))) => {
            format!(
                "{} of {}",
                units::bytes_per_s(now),
                units::bytes_per_s(most)
            )
        }
        (None, None) => return None,
    };
    let level = if is_full || (lost.is_some() && is_physical) {
        Level::Warning
    } else {
        Level::Note
    };
    let rest = match (is_full, lost) {
        (true, _) => ", and the stream fills it",
        (false, Some(_)) => "",
        (false, None) => "; it may be slowed down while idle",
    };
    let gain = bytes.map_or_else(
        || lost.map_or(0.0, |(now, most)| most / now),
        |(now, most)| most / now,
    );
    let place = disk.fact("pcie_narrowest").unwrap_or(&disk.name);
    let evidence = |name: &str| disk.fact(name).unwrap_or("unknown").to_string();
    Some(
        found(level, &disk.name, format!("{}: its PCIe link runs with {what}{rest}.", disk.name))
            .shows("narrowest", place)
            .shows("link_width", format!("{} of {}", evidence("link_width"), evidence("link_width_max")))
            .shows("link_speed", format!("{} of {}", evidence("link_speed"), evidence("link_speed_max")))
            .refuted_by(
                "under load the link has all lanes and its full speed, or the stream stays far below it",
            )
            .advise("Look at both ends with lspci -vv under load; reseat, or use another slot.")
            .costs("streams", if is_full { 1.0 - 1.0 / gain } else { 0.0 })
            .gains(if is_full { gain - 1.0 } else { (gain - 1.0) / 10.0 }),
    )
}
