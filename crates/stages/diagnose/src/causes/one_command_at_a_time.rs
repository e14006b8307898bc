//! # A disk that is given one command at a time
//!
//! ## What it finds
//! A SCSI, SAS or SATA disk with a `queue_depth` of 1. It is a warning where a check's reads came no faster at depth than one by one,
//! or where nothing was loaded and the host adapter could have more commands in flight.
//!
//! ## Why it matters
//! A disk with several commands chooses their order: a platter saves travel, flash works on several chips. With one command
//! it idles while the answer travels and the next question comes.
//!
//! ## What to try
//! The depth that the driver gives by itself, 32 for SATA. Where a command queue was switched off because of the disk's errors
//! (libata's quirks, `libata.force=noncq`), leave it off.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0 host_can_queue=32
//! setting: queue_depth = 1
//! expect: warning says "one command at a time" about sda
//! ```
//! ```scene
//! disk: sda transport=sas rotational=1
//! setting: queue_depth = 1
//! probe: latency read=200@5ms depth=1
//! probe: depth read=205@39ms depth=8
//! expect: warning says "no faster" about sda
//! ```
//! Measured, and what the kernel does meanwhile makes up for a part:
//! ```scene
//! disk: sda transport=sata rotational=0 host_can_queue=32
//! setting: queue_depth = 1
//! probe: latency read=5000@200us depth=1
//! probe: depth read=20000@1600us depth=32
//! expect: note says "4.0 times" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=0 host_can_queue=32
//! setting: queue_depth = 32
//! ```
//! A stick that cannot do better:
//! ```scene
//! disk: sdb transport=usb usb_driver=usb-storage host_can_queue=1
//! setting: queue_depth = 1
//! ```
//!
//! ## Seen
//! In the lab: `ncq_off`.
//!
//! ## Sources
//! - Linux `Documentation/scsi/scsi_mid_low_api.rst`, `queue_depth`; `Documentation/admin-guide/kernel-parameters.txt`, `libata.force`
//! - That 1.2 times as many I/Os count as faster is a proposal of this project: repeated runs differ by less.

use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "one_command_at_a_time",
    since: "0.1.0",
    summary: "a disk whose command queue is switched off",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the queue was switched off because the disk fails with it: then the kernel log or libata.force says so",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("queue_depth").iodepth(64)),
    contrast: None,
    knob: Some("queue_depth"),
    explains: &[TimePlace::Request, TimePlace::Scheduler],
    yields_to: &[],
    judge,
};

/// Depth has to give so many times the I/Os of depth 1 to count.
const FASTER: f64 = 1.2;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let is_one = disk.setting("queue_depth")?.number()? == 1.0;
    // usb-storage has one command by its protocol, which another rule tells.
    if !is_one || disk.fact("usb_driver") == Some("usb-storage") {
        return None;
    }
    let name = &disk.name;
    let deepest = scene
        .curve()
        .into_iter()
        .rev()
        .find(|(depth, _)| *depth > 1);
    let claim = match (scene.probe(Role::Latency), deepest) {
        (Some(one), Some((depth, probe))) => {
            if probe.iops() > one.iops() * FASTER {
                return depth_helps(disk, probe.iops() / one.iops());
            }
            format!(
                "{name} takes one command at a time: at depth {depth} its reads come no faster than one by one."
            )
        }
        _ if disk.number("host_can_queue").is_some_and(|most| most > 1.0) => {
            format!(
                "{name} takes one command at a time, though its host adapter could have more in flight."
            )
        }
        _ => return None,
    };
    let found = warning(name, claim)
        .shows("queue_depth", 1)
        .refuted_by("a depth of 32 gives no more I/Os a second")
        .advise("Give it the driver's depth again, unless it was taken away because the disk failed with it.")
        .gains(1.0);
    Some(found)
}

/// A switched-off queue that did not keep depth from helping.
fn depth_helps(disk: &Layer, times: f64) -> Option<Finding> {
    disk.number("host_can_queue").filter(|most| *most > 1.0)?;
    let name = &disk.name;
    let claim = format!(
        "{name} takes one command at a time; more reads in flight still gave {times} times as many.",
        times = units::decimals(times, 1)
    );
    let found = note(name, claim)
        .shows("queue_depth", 1)
        .refuted_by("a depth of 32 gives no more I/Os a second")
        .advise("Give it the driver's depth again, and see whether that gives more.")
        .gains(0.2);
    Some(found)
}
