//! # A limit that buffered writes pass by
//!
//! ## What it finds
//! A write limit of control groups of version 1 on a device of the path. Where the check wrote through the page cache
//! faster than the limit it is a warning, else a note.
//!
//! ## Why it matters
//! Version 1 throttles who submits the I/O. Buffered writes are submitted by the kernel's flusher, which belongs to the
//! root group: the limit holds for direct and synchronous writes only, and neighbours suffer from what it was meant to
//! hold back.
//!
//! ## What to try
//! Control groups of version 2, which charge write-back to the group that dirtied the page (ext4, xfs, btrfs, f2fs,
//! ext2); or direct I/O; or a limit on memory, which bounds the dirty pages.
//!
//! ## Example
//! ```scene
//! machine: cgroup_version=1 io_limits=vda_wbps_20971520
//! filesystem: ext4 mount=/srv
//! disk: vda transport=virtio
//! probe: buffered-write bs=128k write=4000@200us elapsed=1s
//! expect: warning says "500 MiB/s" says "20.0 MiB/s" about vda
//! ```
//! ```scene
//! machine: cgroup_version=hybrid io_limits=vda_wiops_500
//! disk: vda transport=virtio
//! expect: note says "buffered writes pass it by" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cgroup_version=2 io_limits=vda_wbps_20971520
//! filesystem: ext4 mount=/srv
//! disk: vda transport=virtio
//! ```
//! ```scene
//! machine: cgroup_version=1 io_limits=vda_rbps_20971520
//! disk: vda transport=virtio
//! ```
//! ```scene
//! machine: cgroup_version=1 io_limits=vdb_wbps_20971520
//! disk: vda transport=virtio
//! ```
//! ```scene
//! machine: cgroup_version=1 io_limits=vda_wbps_20971520
//! disk: vda transport=virtio
//! probe: buffered-write bs=128k write=150@200us elapsed=1s
//! ```
//!
//! ## Seen
//! On a live kernel: a loop device (Linux 6.18, control groups of version 1), written through the page cache at 3.0 GiB/s past a
//! limit of 20 MiB/s. In the lab: `limit_of_version_1`, as a note.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`: only direct and synchronous I/O is throttled below the root group
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, Writeback

use crate::CgroupLimit;
use crate::finding::{With, found};
use crate::seen::{limited, limits};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "limit_misses_buffered",
    since: "0.1.0",
    summary: "a write limit of cgroup v1, which buffered writes pass by",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the writes fit below the dirty limits and were never written meanwhile: then the device moved fewer bytes than were written",
    ],
    experiment: Experiment::Line("iodyno limit {target} --group self"),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// So much above the limit is no measuring error.
const ABOVE: f64 = 1.2;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let writes = limits(scene)
        .into_iter()
        .filter(|limit| limit.version == 1 && !limit.is_on_reads());
    writes.filter_map(|limit| finding(scene, &limit)).collect()
}

/// The rate that the limit is about.
fn rate(probe: &Probe, limit: &CgroupLimit) -> f64 {
    if limit.is_in_bytes() {
        probe.bytes_per_s()
    } else {
        probe.iops()
    }
}

fn finding(scene: &Scene<'_>, limit: &CgroupLimit) -> Option<Finding> {
    let device = limited(scene, limit)?;
    let most = limit.limit as f64;
    let limit_words = limit.words();
    let buffered = scene
        .probe(Role::BufferedWrite)
        .map(|probe| rate(probe, limit));
    let (level, claim) = match buffered {
        Some(rate) if rate > most * ABOVE => {
            let rate = limit.rate_words(rate);
            (
                Level::Warning,
                format!(
                    "Buffered writes went at {rate} past the limit of {limit_words} on {}.",
                    device.name
                ),
            )
        }
        // Measured below the limit: it holds, or there is nothing to hold back.
        Some(_) => return None,
        None => (
            Level::Note,
            format!(
                "The limit of {limit_words} on {} is of cgroup v1: buffered writes pass it by.",
                device.name
            ),
        ),
    };
    Some(
        found(level, &device.name, claim)
            .shows("cgroup_version", limit.version)
            .shows(&limit.what, limit.limit)
            .refuted_by("buffered writes with an fsync at the end stay below the limit")
            .advise("Use cgroup v2 for the limit, direct I/O, or a memory limit beside it."),
    )
}
