//! # The limit of the instance
//!
//! ## What it finds
//! All disks of the machine together at the I/Os or bytes a second that its instance type allows, while the disk itself
//! could give more. The limit comes from the promise, or from the instance type that the firmware names.
//!
//! ## Why it matters
//! A disk of 16,000 IOPS on an instance of 3,600 gives 3,600. A larger disk changes nothing.
//!
//! ## What to try
//! A larger instance, or one of a family with more bandwidth to its disks. `iodyno cloud TYPE SIZE --instance NAME`
//! shows which limit binds at which block size.
//!
//! ## Example
//! ```scene
//! promise: aws gp3 iops=16000 instance_iops=3600
//! disk: nvme1n1 transport=nvme
//! probe: depth read=2400@10ms depth=32 elapsed=1s
//! field: disk.reads_per_s nvme1n1 2400
//! field: disk.reads_per_s nvme2n1 1180
//! expect: warning says "3.58 k IOPS" says "not this disk" about nvme1n1
//! ```
//! ```scene
//! machine: provider=aws instance=m5.large
//! disk: nvme1n1 transport=nvme
//! probe: stream bs=1m direct=1 read=78@10ms elapsed=1s
//! field: disk.reads_per_s nvme1n1 320
//! field: disk.read_bytes_per_s nvme1n1 81000000
//! expect: warning says "m5.large" about nvme1n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! promise: aws gp3 iops=3000 instance_iops=3600
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3000@10ms depth=32 elapsed=1s
//! field: disk.reads_per_s nvme1n1 3000
//! ```
//! ```scene
//! promise: aws gp3 iops=3600 instance_iops=3600
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3600@10ms depth=32 elapsed=1s
//! field: disk.reads_per_s nvme1n1 3600
//! ```
//! ```scene
//! machine: instance=m5.large
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3600@10ms depth=32 elapsed=1s
//! field: disk.reads_per_s nvme1n1 3600
//! ```
//!
//! ## Seen
//! In the lab: `instance_cap`, a disk that QEMU holds at what the instance allows.
//!
//! ## Sources
//! - AWS, Amazon EC2 User Guide, EBS-optimized instances: baseline and maximum by instance type
//! - Microsoft, Virtual machine and disk performance
//! - The 3 % are a proposal of this project.

use crate::cloud::{builtin, is_near};
use crate::finding::{With, warning};
use crate::seen::all_disks;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "instance_limit_reached",
    since: "0.1.0",
    summary: "all disks together at the limit of the instance",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the disk reaches its own limit, which is about the same: then other disks are fast at the same time",
        "the network of the instance is full of other traffic: then the rate falls as that rises",
    ],
    experiment: Experiment::Line(
        "# load two disks at once, each by an iodyno run of its own: together they give what one gives alone",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// The limits of the instance: I/Os and bytes a second, and its name.
struct Limits {
    iops: Option<f64>,
    bytes_per_s: Option<f64>,
    name: String,
}

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    limits(scene)
        .and_then(|limits| finding(scene, &limits))
        .into_iter()
        .collect()
}

fn limits(scene: &Scene<'_>) -> Option<Limits> {
    let promised = scene
        .promise
        .filter(|one| one.instance_iops.or(one.instance_bytes_per_s).is_some());
    if let Some(promise) = promised {
        let (iops, bytes_per_s) = (promise.instance_iops, promise.instance_bytes_per_s);
        return Some(Limits {
            iops,
            bytes_per_s,
            name: "the instance".into(),
        });
    }
    let provider = scene.path.machine_fact("provider")?;
    let instance = builtin().instance(scene.path.machine_fact("instance")?)?;
    let (iops, bytes_per_s) = (Some(instance.iops), Some(instance.mbps * 1e6));
    (instance.provider == provider).then(|| Limits {
        iops,
        bytes_per_s,
        name: instance.name.clone(),
    })
}

fn finding(scene: &Scene<'_>, limits: &Limits) -> Option<Finding> {
    let promise = |of: fn(&model::check::Promise) -> Option<f64>| scene.promise.and_then(of);
    // A disk that is sold with no more than the instance allows is at its own limit.
    let is_own = |own: Option<f64>, limit: f64| own.is_some_and(|own| own <= limit * 1.03);
    let reached = scene
        .frames()
        .filter_map(|(_, frame)| all_disks(frame))
        .find_map(|(ios, bytes)| {
            let by_ios = limits
                .iops
                .filter(|limit| is_near(ios, *limit) && !is_own(promise(|one| one.iops), *limit));
            let by_bytes = limits.bytes_per_s.filter(|limit| {
                is_near(bytes, *limit) && !is_own(promise(|one| one.bytes_per_s), *limit)
            });
            let words = |limit: f64, is_ios: bool| match is_ios {
                true => (
                    format!("{} IOPS", units::count(ios)),
                    format!("{} IOPS", units::count(limit)),
                ),
                false => (units::bytes_per_s(bytes), units::bytes_per_s(limit)),
            };
            by_ios
                .map(|limit| words(limit, true))
                .or_else(|| by_bytes.map(|limit| words(limit, false)))
        });
    let (got, limit) = reached?;
    let device = scene
        .path
        .queue_device()
        .map_or("", |layer| layer.name.as_str());
    let name = &limits.name;
    let claim =
        format!("All disks together give {got}, the limit of {name}: it binds, not this disk.");
    Some(
        warning(device, claim)
            .shows("all disks", &got)
            .shows("limit of the instance", &limit)
            .refuted_by("two disks at once give more than one alone")
            .advise("Use a larger instance; a larger disk changes nothing here.")
            .gains(0.5),
    )
}
