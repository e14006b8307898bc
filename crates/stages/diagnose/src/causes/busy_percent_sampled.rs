//! # %util that is counted in ticks
//!
//! ## What it finds
//! On Linux 5.0 and later, a disk whose %util is at least 40 and more than twice as high as it can be: requests and their
//! times give a mean queue (aqu-sz) that keeps the disk busy for less than half of that share, or %util passes 100.
//!
//! ## Why it matters
//! Since 5.0 the kernel does not look at the clock for every request: it adds a whole tick (1 to 10 ms) when a request starts or ends
//! in a new one, and what a long request took is booked when it ends. A fast disk with a few hundred short I/Os a second then looks half busy or worse, and an alarm on
//! %util fires for nothing.
//!
//! ## What to try
//! Take aqu-sz: with less than one request on average the disk is idle for at least the rest.
//!
//! ## Example
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.busy_percent nvme0n1 90
//! field: disk.queue_mean_ios nvme0n1 0.04
//! field: disk.reads_per_s nvme0n1 400
//! expect: note says "90 %" says "4 %" about nvme0n1
//! ```
//! ```scene
//! machine: kernel=5.15.0
//! disk: sda transport=sata
//! field: disk.busy_percent sda 111
//! field: disk.queue_mean_ios sda 3
//! field: disk.reads_per_s sda 400
//! expect: note says "more than it can be" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.busy_percent nvme0n1 95
//! field: disk.queue_mean_ios nvme0n1 0.9
//! field: disk.reads_per_s nvme0n1 9000
//! ```
//! ```scene
//! machine: kernel=4.18.0-553.el8.x86_64
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.busy_percent nvme0n1 90
//! field: disk.queue_mean_ios nvme0n1 0.04
//! field: disk.reads_per_s nvme0n1 400
//! ```
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.busy_percent nvme0n1 2
//! field: disk.queue_mean_ios nvme0n1 0.001
//! field: disk.reads_per_s nvme0n1 5
//! ```
//!
//! ## Seen
//! In the lab: %util of 115 on a SATA disk at 1,054 reads a second, Linux 6.1. On a live kernel 6.18 it was twice what aqu-sz allows
//! (11.6 and 5.3 at 311 reads a second), which is too low to alarm anybody.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/iostats.rst`, field 10: "Since 5.0 this field counts jiffies when at least one request was started
//!   or completed"; commit 5b18b5a73760 ("block: delete part_round_stats and switch to less precise counting")

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene, parts};
use kernel::release::Release;
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "busy_percent_sampled",
    since: "0.1.0",
    summary: "%util that counts ticks in which something happened, not time",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "requests that began before and end after the time looked at: then a longer look brings %util and aqu-sz together",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -direct=1 -rate_iops=200 -time_based -runtime=10 # with iostat -x 1 beside it: aqu-sz and %util / 100 differ",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Nobody is alarmed below. A proposal of this project.
const BUSY_PERCENT_MIN: f64 = 40.0;
const TIMES_MIN: f64 = 2.0;
/// Rounding of the counters alone gives a little more than 100.
const IMPOSSIBLE_PERCENT: f64 = 105.0;
/// Fewer I/Os a second may lie across the edges of the time looked at.
const RATE_MIN: f64 = 20.0;
const KERNEL: Release = Release(5, 0);

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let counts_ticks = scene.kernel().is_some_and(|kernel| kernel >= KERNEL);
    let one = |name: &str| scene.frames().find_map(|(_, frame)| finding(frame, name));
    scene
        .disks()
        .into_iter()
        .filter(|_| counts_ticks)
        .filter_map(|disk| one(&disk.name))
        .collect()
}

fn finding(frame: &Frame, name: &str) -> Option<Finding> {
    let busy = frame
        .get("disk.busy_percent", name)
        .filter(|busy| *busy >= BUSY_PERCENT_MIN)?;
    let queue = frame.get("disk.queue_mean_ios", name)?;
    let rate = parts::rate(frame, name).filter(|rate| *rate >= RATE_MIN)?;
    let most = queue * 100.0;
    let claim = if busy > IMPOSSIBLE_PERCENT {
        format!(
            "%util of {name} was {busy}: more than it can be, since the kernel books it when requests end.",
            busy = units::percent_whole(busy)
        )
    } else if busy > most * TIMES_MIN {
        format!(
            "%util of {name} was {busy}, but it was busy for {most} at most: the kernel counts ticks.",
            busy = units::percent_whole(busy),
            most = units::percent_whole(most)
        )
    } else {
        return None;
    };
    Some(
        note(name, claim)
            .shows("disk.busy_percent", units::whole(busy))
            .shows("disk.queue_mean_ios", units::decimals(queue, 3))
            .shows("I/Os a second", units::whole(rate))
            .refuted_by("aqu-sz over a minute is as high as %util says")
            .advise("Judge this disk by its queue (aqu-sz) and await, not by %util."),
    )
}
