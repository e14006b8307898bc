//! # Writeback held back for readers
//!
//! ## What it finds
//! `wbt_lat_usec` above 0 and buffered writes that reach less than half of what direct writes reach, while dirty pages wait for
//! the disk and the disk is not busy. It is a warning where the writes were traced waiting for their
//! requests (Q2G). Without such a load it notes a target so small that it throttles always.
//!
//! ## Why it matters
//! The kernel lets few writeback requests into the queue as long as reads take longer than the target. On a device whose reads
//! always take longer the writes crawl for good.
//!
//! ## What to try
//! `wbt_lat_usec=0` in an experiment with readers beside the writers: it is what keeps the readers quick.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: wbt_lat_usec = 2000
//! probe: write-stream write=1000@1ms bs=1m
//! probe: buffered-write write=3000@300us bs=1m
//! field: disk.write_bytes_per_s nvme0n1 300000000
//! field: disk.busy_percent nvme0n1 40
//! field: memory.dirty_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1000000000
//! span: nvme0n1 write Q2G 8ms
//! span: nvme0n1 write Q2C 10ms
//! expect: warning says "29 %" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: wbt_lat_usec = 2000
//! probe: write-stream write=1000@1ms bs=1m
//! probe: buffered-write write=3000@300us bs=1m
//! field: disk.write_bytes_per_s nvme0n1 300000000
//! field: disk.busy_percent nvme0n1 40
//! field: memory.dirty_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1000000000
//! expect: note says "29 %" about nvme0n1
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: wbt_lat_usec = 500
//! expect: note says "500 µs" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: wbt_lat_usec = 2000
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: wbt_lat_usec = 75000
//! ```
//! A loop device that came to say later that it spins:
//! ```scene
//! loop: loop0 dio=1
//! setting: wbt_lat_usec = 2000
//! setting: rotational = 1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: wbt_lat_usec = 0
//! probe: write-stream write=1000@1ms bs=1m
//! probe: buffered-write write=3000@300us bs=1m
//! field: disk.write_bytes_per_s nvme0n1 300000000
//! field: memory.dirty_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1000000000
//! ```
//! The writes get their requests at once: something else is slow.
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: wbt_lat_usec = 2000
//! probe: write-stream write=1000@1ms bs=1m
//! probe: buffered-write write=3000@300us bs=1m
//! field: disk.write_bytes_per_s nvme0n1 300000000
//! field: disk.busy_percent nvme0n1 40
//! field: memory.dirty_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1000000000
//! span: nvme0n1 write Q2G 10us
//! span: nvme0n1 write Q2C 1ms
//! ```
//! Nothing waits: the writes just had no reason to go out yet.
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: wbt_lat_usec = 2000
//! probe: write-stream write=1000@1ms bs=1m
//! probe: buffered-write write=3000@300us bs=1m
//! field: disk.write_bytes_per_s nvme0n1 300000000
//! field: disk.busy_percent nvme0n1 40
//! field: memory.dirty_bytes 500000000
//! field: memory.dirty_background_threshold_bytes 1000000000
//! ```
//!
//! ## Seen
//! In the lab: a disk with `wbt_lat_usec` 500 (Linux 6.1), as a note; the warning needs readers beside the writers.
//!
//! ## Sources
//! - Linux `block/blk-wbt.c`, `wbt_default_latency_nsec`: 2 ms without rotation, 75 ms with; commit e34cbd307477
//! - Linux `Documentation/ABI/stable/sysfs-block`, `wbt_lat_usec`
//! - The half, 80 % busy, three tenths of the time and half of the smaller default as "small" are proposals of this project.

use crate::causes_help_queue::number;
use crate::finding::{With, found, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::layers::Span;
use model::proposal::TuneProposal;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "writeback_throttled",
    since: "0.1.0",
    summary: "buffered writes that writeback throttling holds far below what the disk could write",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the file system's journal or one flusher thread is the limit: then wbt_lat_usec=0 changes nothing",
        "a tiny dirty limit makes the writers wait: then few pages are dirty, and vm.dirty_bytes says so",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("wbt_lat_usec=0,2000")
            .rw("write")
            .buffered()
            .bs("1m")
    }),
    contrast: None,
    knob: Some("wbt_lat_usec"),
    explains: &[TimePlace::Request],
    yields_to: &[],
    judge,
};

/// Below this share of the direct rate.
const FALL: f64 = 0.5;
/// Below the smaller of the kernel's own targets by half, us.
const SMALL_US: f64 = 1000.0;
/// Waiting for a request from this share of the time on is being held back.
const HELD: f64 = 0.3;
/// A disk busier than this is the limit itself, percent.
const BUSY_PERCENT: f64 = 80.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let disks = scene.queues();
    disks
        .filter_map(|disk| measured(scene, disk).or_else(|| small_target(disk)))
        .collect()
}

fn measured(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let target = number(disk, "wbt_lat_usec").filter(|target| *target > 0.0)?;
    let direct = scene.probe(Role::WriteStream)?.bytes_per_s();
    let probe = scene.probe(Role::BufferedWrite)?;
    let frame = &probe.frame;
    let written = frame.get("disk.write_bytes_per_s", &disk.name)?;
    let busy = frame.get("disk.busy_percent", &disk.name)?;
    let dirty = frame.get("memory.dirty_bytes", "")?;
    let waits = dirty > frame.get("memory.dirty_background_threshold_bytes", "")?;
    // Throttling holds a write back before it has a request.
    let us = |span| probe.span_us(&disk.name, span);
    let held = us(Span::Q2G)
        .zip(us(Span::Q2C))
        .map(|(held, whole)| held / whole);
    let is_free = held.is_some_and(|share| share < HELD);
    if !waits || is_free || written >= FALL * direct || busy >= BUSY_PERCENT {
        return None;
    }
    let claim = format!(
        "Writeback to {} reaches {} of what direct writes reach, while {} wait and the disk is busy {busy} of the time.",
        disk.name,
        units::percent_whole(written / direct * 100.0),
        units::bytes(dirty),
        busy = units::percent_whole(busy)
    );
    let level = if held.is_some() {
        Level::Warning
    } else {
        Level::Note
    };
    let held = held.map_or("not traced".into(), |share| {
        format!("{} of Q2C", units::share(share))
    });
    let finding = found(level, &disk.name, claim)
        .shows("wbt_lat_usec", target)
        .shows("Q2G", held)
        .shows("writeback", units::bytes_per_s(written))
        .shows("direct writes", units::bytes_per_s(direct))
        .shows("dirty", units::bytes(dirty))
        .refuted_by("writeback is no faster with wbt_lat_usec 0")
        .advise("Compare wbt_lat_usec 0, with the readers that it protects beside the writers.")
        .costs(probe.phrase(), 1.0 - written / direct)
        .gains((direct / written.max(1.0) - 1.0).min(2.0));
    Some(finding)
}

/// A target far below the kernel's own, which no read of the medium meets.
fn small_target(disk: &Layer) -> Option<Finding> {
    let target =
        number(disk, "wbt_lat_usec").filter(|target| *target > 0.0 && *target < SMALL_US)?;
    let claim = format!(
        "Writeback to {} is held back when reads take more than {}; the kernel's own targets are 2 and 75 ms.",
        disk.name,
        units::duration_ns(target * 1e3)
    );
    let finding = note(&disk.name, claim)
        .shows("wbt_lat_usec", target)
        .refuted_by("buffered writes are no faster with wbt_lat_usec 0")
        .advise("Write -1 for the kernel's own target, or 0 for none, and compare.")
        .gains(0.1);
    Some(finding)
}
