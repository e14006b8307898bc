//! # A USB disk that uas has to reset
//!
//! ## What it finds
//! Lines of the kernel's log in which uas aborts commands or resets a USB disk.
//!
//! ## Why it matters
//! Each abort costs half a minute of waiting and then everything again: single I/Os of 30 s, a mean of some KB/s. Some
//! bridges announce UASP and get it wrong under load; a hub without enough power does the same.
//!
//! ## What to try
//! A port with enough power first. Then keep uas away from this bridge: `usb-storage.quirks=VENDOR:PRODUCT:u` on the
//! kernel's command line. It costs the queue and gains a disk that works.
//!
//! ## Example
//! ```scene
//! disk: sda transport=usb usb_driver=uas
//! log: sd 2:0:0:0: [sda] tag#3 uas_eh_abort_handler 0 uas-tag 4 inflight: CMD OUT
//! log: scsi host2: uas_eh_device_reset_handler start
//! expect: warning says "2 times" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=usb usb_driver=uas
//! ```
//! ```scene
//! disk: sda transport=usb usb_driver=usb-storage
//! log: usb 2-1: reset SuperSpeed USB device number 2 using xhci_hcd
//! ```
//! ```scene
//! disk: vda transport=virtio
//! log: sd 2:0:0:0: [sda] tag#3 uas_eh_abort_handler 0 uas-tag 4 inflight: CMD
//! ```
//!
//! ## Seen
//! In the lab: `uas_aborts`, a UAS disk that QEMU holds at one I/O a second while the kernel waits two for each command.
//!
//! ## Sources
//! - Linux `drivers/usb/storage/uas.c`: the messages; `Documentation/admin-guide/kernel-parameters.txt`, `usb-storage.quirks`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "uas_resets",
    since: "0.1.0",
    summary: "a USB disk whose commands uas aborts",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "too little power for the disk: then it happens with usb-storage too, as `reset SuperSpeed USB device`",
        "a disk that fails: then its own log (smartctl -d sat -x) has errors",
    ],
    experiment: Experiment::Line(
        "iodyno check {target} # after a boot with usb-storage.quirks=VENDOR:PRODUCT:u; lsusb names both",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const WORDS: &[&str] = &["uas_eh_abort", "uas_eh_device_reset", "uas_eh_bus_reset"];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let lines = scene.log_with(WORDS);
    let disks: Vec<&Layer> = scene
        .disks()
        .into_iter()
        .filter(|disk| disk.fact("usb_driver") == Some("uas"))
        .collect();
    let about = |disk: &Layer| -> Vec<&str> {
        // The reset names a host adapter; with one disk on uas it is that disk's.
        let named = format!("[{}]", disk.name);
        lines
            .iter()
            .copied()
            .filter(|line| disks.len() == 1 || line.contains(&named))
            .collect()
    };
    disks
        .iter()
        .map(|disk| (*disk, about(disk)))
        .filter(|(_, lines)| !lines.is_empty())
        .map(finding)
        .collect()
}

fn finding((disk, lines): (&Layer, Vec<&str>)) -> Finding {
    let times = if lines.len() == 1 {
        "once".to_string()
    } else {
        format!("{} times", lines.len())
    };
    warning(
        &disk.name,
        format!(
            "{}: uas had to abort or reset it {times} since boot.",
            disk.name
        ),
    )
    .shows("kernel log", lines.last().copied().unwrap_or_default())
    .refuted_by("the same load runs for an hour without a new line")
    .advise("Give it enough power; if it goes on, keep uas away from this bridge with a quirk.")
    .gains(0.5)
}
