//! # A mapped device that waits longer than its disks
//!
//! ## What it finds
//! A device mapper or md device whose reads take at least three times as long as those of the slowest disk below it, and at least
//! 0.5 ms more, in a load of small random reads: a warning. Under the load of others alone it is a note, since their reads may
//! be split. dm-delay, which waits on purpose, is told as such. The figures are proposals of this project.
//!
//! ## Why it matters
//! The time is spent above the disks: in encryption, in a thin pool's or cache's metadata, in a suspended or delaying target,
//! in multipath that has no path. Tuning the disk's queue does nothing for it.
//!
//! ## What to try
//! `dmsetup status` and `dmsetup table` of the device; `iodyno run --layers` shows the span above the disk.
//!
//! ## Example
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! stacked: dm-1 stack=device_mapper mapping=delay delay_ms=16
//! disk: sda transport=sata
//! probe: latency read=60@16ms
//! field: disk.reads_per_s dm-1 60
//! field: disk.await_read_ms dm-1 16
//! field: disk.reads_per_s sda 60
//! field: disk.await_read_ms sda 0.1
//! expect: warning says "delays every read by 16 ms" about dm-1
//! ```
//! ```scene
//! stacked: dm-1 stack=encrypted mapping=crypt
//! disk: sda transport=sata
//! probe: depth read=900@8ms depth=8
//! field: disk.reads_per_s dm-1 900
//! field: disk.await_read_ms dm-1 8
//! field: disk.reads_per_s sda 900
//! field: disk.await_read_ms sda 1
//! expect: warning says "7.00 ms" says "above the disks" about dm-1
//! ```
//! ```scene
//! stacked: dm-1 stack=LVM mapping=thin
//! disk: sda transport=sata
//! field: disk.reads_per_s dm-1 900
//! field: disk.await_read_ms dm-1 8
//! field: disk.reads_per_s sda 900
//! field: disk.await_read_ms sda 1
//! expect: note says "above the disks" about dm-1
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: dm-1 stack=encrypted mapping=crypt
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=7000@140us
//! field: disk.reads_per_s dm-1 7000
//! field: disk.await_read_ms dm-1 0.14
//! field: disk.reads_per_s nvme0n1 7000
//! field: disk.await_read_ms nvme0n1 0.09
//! ```
//! ```scene
//! stacked: dm-1 stack=LVM mapping=striped
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=900@8ms depth=8
//! field: disk.reads_per_s dm-1 900
//! field: disk.await_read_ms dm-1 8
//! field: disk.reads_per_s sda 450
//! field: disk.await_read_ms sda 7
//! field: disk.reads_per_s sdb 450
//! field: disk.await_read_ms sdb 9
//! ```
//! ```scene
//! stacked: dm-1 stack=LVM mapping=linear
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! In the lab: dm-delay of 16 ms on a slow, emulated disk: 65.6 ms above, 12.2 ms below, at 87 reads a second.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/iostats.rst`; `Documentation/admin-guide/device-mapper/delay.rst`
//! - netdata, issue 2646: backlog of dm devices far above that of their disks

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::text::shell_word;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "mapped_device_waits",
    since: "0.1.0",
    summary: "a mapped device whose reads take far longer than those of the disks below",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "large reads were split over many disks: then the mapped device has fewer and larger reads than its disks",
        "the kernel counts the mapped device's time wrongly: then the programs see the disks' latency, not its",
    ],
    experiment: Experiment::Line(
        "sudo dmsetup table; sudo dmsetup status; iodyno run {target} --layers full -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=1 -direct=1",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Mapping],
    yields_to: &[],
    judge,
};

const TIMES_MIN: f64 = 3.0;
const MORE_MS_MIN: f64 = 0.5;
const READS_MIN: f64 = 10.0;
/// Reads that are split show as more below than above.
const SPLIT_MAX: f64 = 1.2;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::Stacked)
        .filter_map(|volume| finding(scene, volume))
        .collect()
}

fn finding(scene: &Scene<'_>, volume: &Layer) -> Option<Finding> {
    let small = [Role::Latency, Role::Depth]
        .into_iter()
        .flat_map(|role| scene.all(role));
    let ours = small.map(|probe| (Level::Warning, &probe.frame));
    let others = scene.idle().map(|frame| (Level::Note, frame));
    let (level, above, below) = ours.chain(others).find_map(|(level, frame)| {
        waits(frame, volume).map(|(above, below)| (level, above, below))
    })?;
    let (name, more) = (&volume.name, above - below);
    let mapping = volume.fact("mapping").unwrap_or("unknown");
    let (claim, advice) = match (mapping, volume.fact("delay_ms")) {
        ("delay", ms) => (
            format!(
                "{name} delays every read by {} ms on purpose (dm-delay).",
                ms.unwrap_or("some")
            ),
            "Take dm-delay out of the path: it is made for tests.",
        ),
        _ => (
            format!(
                "A read of {name} takes {more} ms more than one of the disks below: the time passes above the disks.",
                more = units::decimals(more, 2)
            ),
            "Look at what the device mapper does there (dmsetup table, dmsetup status) before the disk's queue.",
        ),
    };
    let finding = found(level, name, claim);
    let finding = if mapping == "delay" {
        finding.experiment(format!("sudo dmsetup table /dev/{}", shell_word(name)))
    } else {
        finding
    };
    Some(
        finding
            .shows("mapping", mapping)
            .shows(
                "disk.await_read_ms",
                format!(
                    "{name} {above}, below {below}",
                    above = units::decimals(above, 2),
                    below = units::decimals(below, 2)
                ),
            )
            .refuted_by("direct reads of the disk itself take as long")
            .advise(advice)
            .costs("random reads", 1.0 - below / above)
            .gains((above / below.max(0.01) - 1.0).min(10.0)),
    )
}

/// Times of a read above and below, where they are far apart.
fn waits(frame: &Frame, volume: &Layer) -> Option<(f64, f64)> {
    let reads = |layer: &Layer| frame.get("disk.reads_per_s", &layer.name).unwrap_or(0.0);
    let wait = |layer: &Layer| frame.get("disk.await_read_ms", &layer.name);
    let members = parts::members(volume);
    let is_split =
        members.iter().map(|member| reads(member)).sum::<f64>() > reads(volume) * SPLIT_MAX;
    let below = members
        .into_iter()
        .filter_map(wait)
        .max_by(f64::total_cmp)?;
    let above = wait(volume)?;
    let is_far = above > below * TIMES_MIN && above - below > MORE_MS_MIN;
    (reads(volume) > READS_MIN && !is_split && is_far).then_some((above, below))
}
