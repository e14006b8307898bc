//! # Flushes that are faster than any disk
//!
//! ## What it finds
//! Small writes with fsync that took less than 30 us in the median on a virtual disk, or less than 1 ms on a rotating
//! one. A suspicion, as a note: memory that survives a loss of power (a controller's battery, a disk's capacitors) is
//! as fast.
//!
//! ## Why it matters
//! A flush that does not wait is no flush. With a host that answers from its page cache (`cache=unsafe`, or `writeback`
//! without a flush) everything that was committed in the last half minute is lost with the host, and the figures are
//! those of its memory.
//!
//! ## What to try
//! Ask who runs the host which cache mode the disk has. For a controller, ask it for the state of its battery.
//!
//! ## Example
//! ```scene
//! disk: vda transport=virtio
//! probe: fsync bs=4k write=20000@20us sync=20000@12us elapsed=1s
//! expect: note says "12.0 µs" about vda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: fsync bs=4k write=5000@30us sync=5000@150us elapsed=1s
//! expect: note says "a rotating disk" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: vda transport=virtio
//! probe: fsync bs=4k write=900@200us sync=900@900us elapsed=1s
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: fsync bs=4k write=90@30us sync=90@11ms elapsed=1s
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! probe: fsync bs=4k write=20000@20us sync=20000@12us elapsed=1s
//! ```
//! ```scene
//! disk: vda transport=virtio
//! ```
//!
//! ## Seen
//! In the lab: `flush_from_memory`, a scsi_debug disk that says that it turns: 72 us. The virtual disk's half was not produced: an
//! emulated CPU takes longer than 30 us for the fsync itself.
//!
//! ## Sources
//! - QEMU documentation, Block device options, cache=unsafe and cache=writeback
//! - That no virtual disk flushes to anything durable in 30 us is a proposal of this project: a round trip to another machine takes more, and so does a disk without protected memory.

use crate::Medium;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "flush_too_fast",
    since: "0.1.0",
    summary: "flushes faster than the medium can be",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "memory with a battery or capacitors: then its owner can say so, and the figures are right",
        "a file system that leaves flushes out (nobarrier): then another rule says so",
    ],
    experiment: Experiment::Line(
        "# pull the plug of a test machine while fio writes with -verify, or ask the host for the cache mode of {device}",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

/// No flush to such a medium is faster, ns; none where some are.
fn floor_ns(medium: Medium) -> Option<u64> {
    match medium {
        Medium::Virtual => Some(30_000),
        Medium::Rotational => Some(1_000_000),
        _ => None,
    }
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let disk = scene.disks().into_iter().next()?;
    let medium = scene.medium_of(disk)?;
    let median = scene
        .probe(Role::Fsync)?
        .load
        .sync
        .latency
        .quantile_ns(0.5)?;
    let floor = floor_ns(medium)?;
    (median < floor).then(|| {
        let time = units::duration_ns(median as f64);
        let claim = format!(
            "{}: an fsync takes {time}, on {}: something may answer before the data is safe.",
            disk.name,
            medium.phrase()
        );
        note(&disk.name, claim)
            .shows("fsync p50", &time)
            .shows(
                "write_cache",
                disk.setting("write_cache")
                    .and_then(|one| one.chosen())
                    .unwrap_or("unknown"),
            )
            .refuted_by("memory that outlives a loss of power stands between")
            .advise("Find out which cache answers before data that matters lies there.")
    })
}
