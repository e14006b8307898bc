//! # Flushes take the time
//!
//! ## What it finds
//! A disk of which flushes keep half of each second and more in production (a warning), or whose flushes take more than 2 ms on a
//! device that reads in less than 1 (a note).
//!
//! ## Why it matters
//! Every commit of a database waits for a flush of the disk's cache. Flash without protection against power loss really writes then,
//! in milliseconds; with protection it answers at once.
//!
//! ## What to try
//! Fewer commits at a time (group commit, larger transactions), or a disk with protection against power loss. Not `nobarrier` and
//! not "write through" in `write_cache`: they take the flushes away and with them what was promised to be safe.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0
//! field: disk.flushes_per_s sda 150
//! field: disk.await_flush_ms sda 5
//! expect: warning says "75 % of the time" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! probe: latency read=9000@100us
//! probe: fsync write=100@1ms sync=100@6ms
//! field: disk.flushes_per_s sda 150
//! field: disk.await_flush_ms sda 5
//! expect: note says "5.00 ms" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! probe: latency read=9000@100us
//! probe: fsync write=100@1ms sync=100@100us
//! field: disk.flushes_per_s nvme0n1 5000
//! field: disk.await_flush_ms nvme0n1 0.03
//! ```
//! A platter has to turn:
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: latency read=100@9ms
//! probe: fsync write=100@1ms sync=100@30ms
//! field: disk.flushes_per_s sda 30
//! field: disk.await_flush_ms sda 20
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.flushes_per_s sda 2
//! field: disk.await_flush_ms sda 20
//! ```
//!
//! ## Seen
//! In the lab: `hdd_ext4`, `nvme_ext4`.
//!
//! ## Sources
//! - Linux `Documentation/block/writeback_cache_control.rst`; `Documentation/admin-guide/iostats.rst`, fields 16 and 17 (5.5)
//! - iostat(1), `f_await`
//! - Half of the time and 2 ms are proposals of this project: disks with protection flush in well below 1 ms.

use crate::causes_help_queue::is_fast;
use crate::finding::{With, note, warning};
use crate::seen::BEFORE;
use crate::{Cause, Contrast, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "flushes_take_the_time",
    since: "0.1.0",
    summary: "a disk whose flushes take so long that syncing programs wait for them",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "a flush waits for writes before it: then disk.await_write_ms is as high",
        "the file system writes much for each commit: then syncs that overwrite are far quicker at the same flush time",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -fdatasync=1 -overwrite=1 -size=64m # again with -fdatasync=32 in place of -fdatasync=1",
    ),
    contrast: Some(Contrast {
        with: "-rw=write -bs=4k -fdatasync=1 -overwrite=1 -size=64m",
        without: "-rw=write -bs=4k -fdatasync=32 -overwrite=1 -size=64m",
        words: "that syncs every 32nd write",
    }),
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Time in flushes, from which they are what the disk does, ms in a second.
const BUSY_MS: f64 = 500.0;
/// A flush of fast flash with protection takes less, ms.
const SLOW_MS: f64 = 2.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let disks = scene.disks().into_iter();
    disks
        .filter_map(|disk| production(scene, disk).or_else(|| slow(scene, disk)))
        .collect()
}

fn flushes(frame: &Frame, disk: &Layer) -> Option<(f64, f64)> {
    let of = |id: &str| frame.get(id, &disk.name);
    Some((of("disk.flushes_per_s")?, of("disk.await_flush_ms")?))
}

fn production(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let (rate, await_ms) = flushes(scene.idle()?, disk)?;
    let busy = rate * await_ms;
    if busy < BUSY_MS {
        return None;
    }
    let claim = format!(
        "{} is flushed {rate} times a second, {} each: that is {} of the time.",
        disk.name,
        units::duration_ns(await_ms * 1e6),
        units::percent_whole((busy / 10.0).min(100.0)),
        rate = units::whole(rate)
    );
    let finding = warning(&disk.name, claim)
        .shows("disk.flushes_per_s", units::whole(rate))
        .shows("disk.await_flush_ms", units::decimals(await_ms, 2))
        .refuted_by("the program is no faster when it commits less often")
        .advise("Commit in groups, or use a disk with protection against power loss; do not take the flushes away.")
        .costs(BEFORE, busy / 1000.0)
        .gains((busy / 1000.0).min(1.0));
    Some(finding)
}

fn slow(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let probe = scene.probe(Role::Fsync)?;
    let (_, await_ms) = flushes(&probe.frame, disk)?;
    if !is_fast(scene, disk) || await_ms < SLOW_MS {
        return None;
    }
    let took = units::duration_ns(await_ms * 1e6);
    let claim = format!(
        "A flush of {} takes {took}: each commit waits for it.",
        disk.name
    );
    let finding = note(&disk.name, claim)
        .shows("disk.await_flush_ms", units::decimals(await_ms, 2))
        .shows("fsyncs a second", units::whole(probe.load.sync.ios as f64 / probe.load.elapsed_ms * 1e3))
        .refuted_by("fsync is as quick as a write of the same size")
        .advise("Commit in groups, or use a disk with protection against power loss; do not take the flushes away.")
        .gains(0.1);
    Some(finding)
}
