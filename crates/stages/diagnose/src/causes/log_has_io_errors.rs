//! # I/O errors in the kernel's log
//!
//! ## What it finds
//! Timeouts, aborted commands, resets and I/O errors of a disk of the path, since boot. What uas aborts has a rule of
//! its own, and so have paths that multipath lost.
//!
//! ## Why it matters
//! Each of them is an I/O that took 30 s and more, or failed and was tried again. They look like a slow disk in every
//! average.
//!
//! ## What to try
//! Look at the times: errors that go on are a cable, a controller, a path or a dying disk. Old single ones at boot are
//! mostly harmless.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme
//! log: nvme nvme0: I/O 12 QID 3 timeout, aborting
//! log: nvme nvme0: Abort status: 0x0
//! expect: warning says "timeout, aborting" about nvme0n1
//! ```
//! ```scene
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! log: blk_update_request: I/O error, dev sdb, sector 20480 op 0x0:(READ) flags 0x0
//! log: Buffer I/O error on dev sdb, logical block 2560, async page read
//! expect: warning says "2 errors" about sdb
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! log: ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)
//! log: sd 0:0:0:0: [sda] Attached SCSI disk
//! ```
//! ```scene
//! disk: sda transport=sata
//! log: blk_update_request: I/O error, dev sdq, sector 20480 op 0x0:(READ) flags 0x0
//! ```
//! ```scene
//! disk: sdb transport=usb usb_driver=uas
//! log: sd 2:0:0:0: [sdb] tag#3 uas_eh_abort_handler 0 uas-tag 4 inflight: CMD OUT
//! ```
//!
//! ## Seen
//! In the lab: `failing_reads`.
//!
//! ## Sources
//! - Linux `block/blk-core.c` (I/O error, dev …), `drivers/nvme/host/pci.c` (timeout), `drivers/scsi/scsi_error.c`
//! - dmesg(1)

use crate::finding::{With, warning};
use crate::seen::log_of;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "log_has_io_errors",
    since: "0.1.0",
    summary: "timeouts, aborts and I/O errors since boot",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "an error that was put right long ago: then there are no new lines under load",
        "a single medium error on a disk that is well: then its SMART log counts one pending sector",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randread -bs=4k -iodepth=32 -direct=1 -runtime=60 # with dmesg -w beside it: are there new lines?",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What the kernel says when an I/O failed or had to be given up.
const WORDS: &[&str] = &[
    "I/O error, dev",
    "Buffer I/O error",
    "critical medium error",
    "critical target error",
    "timeout, aborting",
    "timeout, reset controller",
    "timeout, completion polled",
    "timeout, disable controller",
    "controller is down",
    "Device not ready; aborting",
    "attempting task abort",
    "task abort: SUCCESS",
    "rejecting I/O to offline device",
    "timing out command",
    "failed command:",
];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let about = |disk| (disk, log_of(scene, disk, WORDS));
    scene
        .queues()
        .map(about)
        .filter(|(_, lines)| !lines.is_empty())
        .map(finding)
        .collect()
}

fn finding((disk, lines): (&Layer, Vec<&str>)) -> Finding {
    let count = if lines.len() == 1 {
        "an error".into()
    } else {
        format!("{} errors", lines.len())
    };
    let last = lines.last().copied().unwrap_or_default();
    warning(&disk.name, format!("{}: the kernel logged {count} since boot, the last one: {last}.", disk.name))
        .shows("kernel log", last)
        .refuted_by("no new line comes under a load of some minutes")
        .advise("Find out when they came (dmesg -T), then look at cable, controller, path and the disk's own log.")
        .gains(0.5)
}
