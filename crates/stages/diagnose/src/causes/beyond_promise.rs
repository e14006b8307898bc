//! # More than the disk was sold with
//!
//! ## What it finds
//! Random reads, or a stream, at one and a half times and more of what the disk is sold with, bursts included.
//!
//! ## Why it matters
//! Then the table that everything is judged by is not this disk's: another type or size is attached than was named, or a cache
//! answers. "As it should be" means nothing beside it.
//!
//! ## What to try
//! Say what is attached (`--disk-spec`), or leave the option out where the disk names itself. A range of many times the cache shows the
//! disk itself.
//!
//! ## Example
//! ```scene
//! promise: alibaba essd-pl1 iops=20000 bytes_per_s=250m
//! disk: vda transport=virtio
//! probe: depth read=86000@400us depth=32 elapsed=1s
//! expect: warning says "86.0 k of 20.0 k I/Os a second" about vda
//! ```
//! ```scene
//! promise: iops=50000 bytes_per_s=125m
//! disk: vda transport=virtio
//! probe: stream bs=1m direct=1 read=1200@1ms elapsed=1s
//! expect: warning says "1.17 GiB/s of 125 MiB/s" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000 bytes_per_s=128m
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3010@10ms depth=32 elapsed=1s
//! ```
//! ```scene
//! promise: aws gp3 iops=3000 bytes_per_s=125m
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3900@8ms depth=32 elapsed=1s
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=86000@400us depth=32 elapsed=1s
//! ```
//!
//! ## Seen
//! On a live kernel: a virtual disk of another provider, named as an ESSD PL1 (Linux 6.18).
//!
//! ## Sources
//! - The source that the promise names
//! - One and a half is a proposal of this project: beyond what a bucket adds to a load of a second, and below the next size.

use crate::finding::{With, warning};
use crate::seen::settled_best;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "beyond_promise",
    since: "0.1.0",
    summary: "storage that gives far more than it was sold with: the promise is of another disk, or a cache answers",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "a burst that the provider's table does not tell: then the rate falls after a while",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=64 -direct=1 -size=32g -runtime=60",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// From this many times what was sold on.
const TIMES: f64 = 1.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let promise = scene.promise?;
    let disk = scene.path.queue_device()?;
    let most = |steady: Option<f64>, burst: Option<f64>| Some(steady?.max(burst.unwrap_or(0.0)));
    let sold_iops = most(promise.iops, promise.burst_iops);
    let sold_bytes = most(promise.bytes_per_s, promise.burst_bytes_per_s);
    let is_beyond = |(given, sold): &(f64, f64)| *given > TIMES * *sold;
    let iops = settled_best(scene).zip(sold_iops).filter(is_beyond);
    let streams = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Stream | Role::Streams))
        .map(|probe| probe.bytes_per_s());
    let bytes = streams
        .max_by(f64::total_cmp)
        .zip(sold_bytes)
        .filter(is_beyond);
    let (given, sold) = match (iops, bytes) {
        (Some((given, sold)), _) => (
            units::count(given.round()),
            format!("{} I/Os a second", units::count(sold)),
        ),
        (None, Some((given, sold))) => (units::bytes_per_s(given), units::bytes_per_s(sold)),
        (None, None) => return None,
    };
    let kind = promise.name().unwrap_or_else(|| "it".into());
    let claim = format!(
        "{} gives {given} of {sold} that {kind} is sold with: it is another disk than that, or a cache answers.",
        disk.name
    );
    let found = warning(&disk.name, claim)
        .shows("measured", &given)
        .shows("promised", &sold)
        .shows("source", &promise.source)
        .refuted_by("a load of minutes over a range of many times the cache falls to the promise")
        .advise(
            "Say with --disk-spec what is attached, or leave it out where the disk names itself.",
        );
    Some(found)
}
