//! # A limit that does not limit
//!
//! ## What it finds
//! An I/O limit of the control groups on a device of the path that a direct load of the check exceeded by a fifth and
//! more.
//!
//! ## Why it matters
//! Somebody relies on it. A limit on a partition, on the wrong device number after a reboot, or on a member of a volume
//! through which the I/O does not go, is accepted and does nothing.
//!
//! ## What to try
//! Name the whole disk by its number now (`lsblk -o NAME,MAJ:MIN`), and prefer names that systemd resolves
//! (`IOReadBandwidthMax=/dev/disk/by-id/…`).
//!
//! ## Example
//! ```scene
//! machine: cgroup_version=2 io_limits=sdb_riops_500
//! stacked: dm-0 mapping=linear
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=9000@3ms depth=32 elapsed=1s
//! expect: warning says "9.00 k reads per second" about sdb
//! ```
//! ```scene
//! machine: cgroup_version=1 io_limits=vda1_rbps_1048576
//! partition: vda1
//! disk: vda transport=virtio
//! probe: stream bs=1m direct=1 read=400@2ms elapsed=1s
//! expect: warning says "on a partition" about vda1
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cgroup_version=2 io_limits=vda_riops_500
//! disk: vda transport=virtio
//! probe: depth read=500@60ms depth=32 elapsed=1s
//! ```
//! ```scene
//! machine: cgroup_version=2 io_limits=vda_riops_500
//! disk: vda transport=virtio
//! ```
//! ```scene
//! machine: cgroup_version=2 io_limits=vda_riops_500
//! disk: vda transport=virtio
//! probe: buffered-random read=4000@200us elapsed=1s
//! ```
//!
//! A short load gets more, by what the kernel lets through in advance:
//! ```scene
//! machine: cgroup_version=1 io_limits=vda_riops_100
//! disk: vda transport=virtio
//! probe: depth read=70@60ms depth=32 elapsed=500ms
//! ```
//!
//! ## Seen
//! In the lab: `limit_beside_path`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, io.max
//! - moby issue 10004: a limit on a partition
//! - The fifth is a proposal of this project: throttling works in slices of 100 ms and lets a little more through.

use crate::CgroupLimit;
use crate::finding::{With, warning};
use crate::group_limits::ahead;
use crate::seen::{limited, limits};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::iopath::LayerKind;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "limit_without_effect",
    since: "0.1.0",
    summary: "an I/O limit that the check exceeded",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the limit was lifted or raised meanwhile: then the file says so now",
        "the reads were answered by a cache above the device: then the device's own counters show fewer",
    ],
    experiment: Experiment::Line(
        "iodyno check {target} --quick # again inside the group, once its file has the number that lsblk -o NAME,MAJ:MIN shows",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const ABOVE: f64 = 1.2;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    limits(scene)
        .iter()
        .filter_map(|limit| finding(scene, limit))
        .collect()
}

/// What a direct load did of that which is limited, per second: beyond what the kernel gives in advance, and in all; none for others.
fn rates(probe: &Probe, limit: &CgroupLimit) -> Option<(f64, f64)> {
    use Role::{Depth, Latency, Stream, Streams, Write, WriteStream};
    let is_direct = matches!(
        probe.role,
        Depth | Latency | Stream | Streams | Write | WriteStream
    );
    let seconds = probe.load.elapsed_ms / 1e3;
    let done = match limit.what.as_str() {
        "riops" => probe.load.read.ios,
        "wiops" => probe.load.write.ios,
        "rbps" => probe.load.read.bytes,
        _ => probe.load.write.bytes,
    };
    let one = if limit.is_in_bytes() {
        probe.job.max_bs()
    } else {
        1
    };
    let settled = done as f64 - ahead(limit, one);
    let is_meant = is_direct && probe.job.direct && seconds > 0.0;
    is_meant.then_some((settled / seconds, done as f64 / seconds))
}

fn finding(scene: &Scene<'_>, limit: &CgroupLimit) -> Option<Finding> {
    let device = limited(scene, limit)?;
    let most = limit.limit as f64;
    let probes = scene.probes.iter();
    let (settled, best) = probes
        .filter_map(|probe| rates(probe, limit))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (settled > most * ABOVE).then(|| {
        let place = if device.kind == LayerKind::Partition {
            ", which is set on a partition"
        } else {
            ""
        };
        let claim = format!(
            "The limit of {} on {}{place} does not hold: the check did {}.",
            limit.words(),
            device.name,
            limit.rate_words(best)
        );
        warning(&device.name, claim)
            .shows(&limit.what, limit.limit)
            .shows("measured", limit.rate_words(best))
            .refuted_by("a direct load of some seconds stays at the limit")
            .advise("Set the limit on the whole disk that the I/O goes through, by its number now.")
    })
}
