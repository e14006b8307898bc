//! # Large I/O cut into small requests
//!
//! ## What it finds
//! Requests that are as large as `max_sectors_kb` allows and no larger, under a load whose I/Os are larger, where the hardware
//! would take more. It is a warning where somebody made the limit smaller than 128 KiB.
//!
//! ## Why it matters
//! Each piece costs a request, an interrupt and, on disks of the cloud, an operation that is counted. Arrays of parity want
//! whole stripes.
//!
//! ## What to try
//! A larger `max_sectors_kb`, up to `max_hw_sectors_kb`. Smaller requests are smoother for small reads beside them.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: max_sectors_kb = 512
//! setting: max_hw_sectors_kb = 32767
//! probe: stream read=500@2ms bs=1m
//! field: disk.size_read_bytes sda 524288
//! expect: note says "cut into pieces of 512 KiB" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: max_sectors_kb = 64
//! setting: max_hw_sectors_kb = 32767
//! probe: stream read=200@5ms bs=1m
//! field: disk.size_read_bytes sda 65000
//! expect: warning says "cut into pieces of 64 KiB" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: vda transport=virtio
//! setting: max_sectors_kb = 1280
//! setting: max_hw_sectors_kb = 2147483647
//! probe: stream read=500@2ms bs=1m
//! field: disk.size_read_bytes vda 1048576
//! ```
//! The hardware takes no more:
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: max_sectors_kb = 128
//! setting: max_hw_sectors_kb = 128
//! probe: stream read=2000@500us bs=1m
//! field: disk.size_read_bytes nvme0n1 131072
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: max_sectors_kb = 64
//! setting: max_hw_sectors_kb = 32767
//! ```
//!
//! ## Seen
//! On a live kernel: a loop device with `max_sectors_kb` 64 (Linux 6.18), streamed in I/Os of 1 MiB that arrived as 64 KiB.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `max_sectors_kb`; `block/blk-merge.c`, `bio_split_rw`
//! - Amazon EBS, "I/O characteristics": SSD volumes count I/O in units of 256 KiB
//! - 128 KiB is half of the smallest default that kernels had (512 KiB, then 1,280) and less: a proposal of this project.

use crate::causes_help_queue::number;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "requests_split",
    since: "0.1.0",
    summary: "large I/O that is cut at a limit below the hardware's",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "a layer above cuts it (chunks of an array, extents of a file): then a larger limit leaves the size as it is",
        "scattered memory limits the segments of a request: then the size lies below the limit and huge pages raise it",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("max_sectors_kb").rw("read").bs("1m")),
    contrast: None,
    knob: Some("max_sectors_kb"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// How near to the limit the mean size lies when requests are cut at it.
const AT_LIMIT: f64 = 0.9;
/// Limits below this were made by hand, KiB.
const SMALL_KIB: f64 = 128.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .queues()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let (limit, hardware) = (
        number(disk, "max_sectors_kb")?,
        number(disk, "max_hw_sectors_kb")?,
    );
    if hardware <= limit {
        return None;
    }
    let streams = [Role::Stream, Role::Streams, Role::WriteStream]
        .into_iter()
        .flat_map(|role| scene.all(role));
    let (asked, size) = streams
        .filter(|probe| probe.job.bs as f64 > limit * 1024.0)
        .find_map(|probe| {
            let of = |id: &str| probe.frame.get(id, &disk.name);
            let id = if probe.load.read.ios > 0 {
                "disk.size_read_bytes"
            } else {
                "disk.size_write_bytes"
            };
            let size =
                of(id).filter(|size| (AT_LIMIT..=1.01).contains(&(size / (limit * 1024.0))))?;
            Some((probe.job.bs as f64, size))
        })?;
    let level = if limit < SMALL_KIB {
        Level::Warning
    } else {
        Level::Note
    };
    let pieces = units::bytes(asked);
    let claim = format!(
        "I/O of {pieces} to {} is cut into pieces of {limit} KiB; the hardware takes more.",
        disk.name,
        limit = units::whole(limit)
    );
    let finding = found(level, &disk.name, claim)
        .shows("max_sectors_kb", limit)
        .shows("max_hw_sectors_kb", hardware)
        .shows("mean request", units::bytes(size))
        .refuted_by("the stream is no faster with a larger max_sectors_kb")
        .advise("Raise max_sectors_kb and look at the latency of small reads beside the stream.")
        .gains(if level == Level::Warning { 0.3 } else { 0.05 });
    Some(finding)
}
