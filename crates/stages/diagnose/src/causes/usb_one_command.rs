//! # A USB disk that takes one command at a time
//!
//! ## What it finds
//! A USB disk that can do UASP and is driven by usb-storage all the same. A disk that can do nothing else is a note
//! once the check has seen that depth does not help.
//!
//! ## Why it matters
//! Bulk-Only Transport, which usb-storage speaks, has one command under way. Random reads do not gain from depth, and
//! two streams disturb each other as on a platter. UASP queues.
//!
//! ## What to try
//! Look for a quirk that keeps uas away (`usb-storage.quirks` on the command line or in modprobe.d, or in the kernel's
//! list for this bridge) and for a missing uas module. A quirk is there because of crashes with some firmware: try
//! without data that matters.
//!
//! ## Example
//! ```scene
//! disk: sda transport=usb usb_driver=usb-storage uas_capable=yes usb_speed_mbit=5000
//! expect: warning says "usb-storage though it can do UASP" about sda
//! ```
//! ```scene
//! disk: sda transport=usb usb_driver=usb-storage uas_capable=yes usb_quirks=152d:0578:u
//! expect: warning says "152d:0578:u" about sda
//! ```
//! ```scene
//! disk: sda transport=usb usb_driver=usb-storage uas_capable=no
//! probe: latency read=500@2ms depth=1 elapsed=1s
//! probe: depth read=510@62ms depth=32 elapsed=1s
//! expect: note says "one command at a time" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=usb usb_driver=uas uas_capable=yes
//! ```
//! ```scene
//! disk: sda transport=usb usb_driver=usb-storage uas_capable=no
//! ```
//! ```scene
//! disk: sda transport=usb usb_driver=usb-storage uas_capable=yes
//! probe: latency read=500@2ms depth=1 elapsed=1s
//! probe: depth read=4000@8ms depth=32 elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `stick_without_queue`, as a note. The warning takes a disk that can do UASP and is kept from it; QEMU's can do
//! either the one or the other.
//!
//! ## Sources
//! - USB Mass Storage Class Bulk-Only Transport 1.0; USB Attached SCSI Protocol (UASP) 1.0, interface protocol 62h
//! - Linux `Documentation/admin-guide/kernel-parameters.txt`, `usb-storage.quirks`
//! - A field report: one reader 102 MiB/s, three readers 17.5 MiB/s over usb-storage; 180 and 385 MiB/s over uas

use crate::finding::{With, found};
use crate::seen::gain_by_depth;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "usb_one_command",
    since: "0.1.0",
    summary: "a USB disk without a queue",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "a bridge whose UASP is broken and that the kernel keeps away from uas for that: its list and the quirks say so",
        "a slow flash stick that gains nothing from a queue: then two readers are as slow over uas",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep iodepth=1..32 -- -rw=randread -bs=4k -direct=1 # before and after the quirk is taken away and the disk plugged in anew",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Request, TimePlace::Scheduler],
    yields_to: &[],
    judge,
};

/// A queue shows as a gain of this much from depth 1 to depth 8 and more. A proposal of this project.
const GAIN_MIN: f64 = 1.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let disks = scene
        .disks()
        .into_iter()
        .filter(|disk| disk.fact("usb_driver") == Some("usb-storage"));
    disks.filter_map(|disk| finding(scene, disk)).collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let can = disk.fact("uas_capable") == Some("yes");
    let gain = gain_by_depth(scene);
    let is_flat = gain.is_some_and(|gain| gain < GAIN_MIN);
    let has_queue = gain.is_some() && !is_flat;
    let (level, claim) = match (can, is_flat) {
        _ if has_queue => return None,
        (true, _) => {
            let quirk = disk
                .fact("usb_quirks")
                .map(|quirk| format!(" because of the quirk {quirk}"));
            let quirk = quirk.unwrap_or_default();
            (
                Level::Warning,
                format!(
                    "{} is driven by usb-storage though it can do UASP{quirk}: it takes one command at a time.",
                    disk.name
                ),
            )
        }
        (false, true) => (
            Level::Note,
            format!(
                "{} takes one command at a time: depth and several streams do not help.",
                disk.name
            ),
        ),
        (false, false) => return None,
    };
    let finding = found(level, &disk.name, claim)
        .shows("usb_driver", "usb-storage")
        .shows("uas_capable", disk.fact("uas_capable").unwrap_or("unknown"))
        .refuted_by("more depth gives more I/Os a second")
        .advise(match can {
            true => "Take the quirk away or load uas, plug the disk in anew, and measure again.",
            false => "Use one stream at a time, or a bridge that can do UASP.",
        })
        .gains(if can { 1.0 } else { 0.0 });
    Some(match gain {
        Some(gain) => finding.shows("I/Os at the deepest over depth 1", units::decimals(gain, 2)),
        None => finding,
    })
}
