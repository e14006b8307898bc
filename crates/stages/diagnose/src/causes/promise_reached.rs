//! # The rate that was paid for
//!
//! ## What it finds
//! A check whose I/Os or bytes a second are what the storage is sold with, for ever or in a burst: nine tenths of it and more, and
//! no more than what a bucket had in stock when the load began can add.
//!
//! ## Why it matters
//! It gives what it promises. No setting of the kernel gives more.
//!
//! ## What to try
//! More size, more provisioned IOPS, or another type: `iodyno cloud --iops N` lists those that carry a load.
//!
//! ## Example
//! ```scene
//! promise: aws gp3 iops=3000 bytes_per_s=125m
//! disk: nvme1n1 transport=nvme model=Amazon_Elastic_Block_Store
//! probe: depth read=3020@10ms depth=32 elapsed=1s
//! expect: note says "3.02 k IOPS" says "aws gp3" about nvme1n1
//! ```
//! ```scene
//! promise: aws gp3 iops=16000 bytes_per_s=125m
//! disk: nvme1n1 transport=nvme
//! probe: stream bs=1m direct=1 read=124@8ms elapsed=1s
//! expect: note says "124 MiB/s" about nvme1n1
//! ```
//! The stock of the first moment is left aside:
//! ```scene
//! promise: iops=500
//! disk: vda transport=virtio
//! probe: depth read=333@16ms depth=8 elapsed=500ms
//! bins: 133 50 50 50 50 50
//! expect: note says "500 IOPS: what it is sold with" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! promise: aws gp3 iops=3000 bytes_per_s=125m
//! disk: nvme1n1 transport=nvme
//! probe: depth read=1800@10ms depth=32 elapsed=1s
//! ```
//! ```scene
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3020@10ms depth=32 elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `promise_kept`.
//!
//! ## Sources
//! - The source that the promise names
//! - AWS, Amazon EBS User Guide: volumes deliver at least 90 % of their provisioned rate 99 % of the time
//! - That a stock adds a tenth at most to a load of a second is a proposal of this project.

use crate::cloud::is_kept;
use crate::finding::{With, note};
use crate::seen::settled_best;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "promise_reached",
    since: "0.1.0",
    summary: "storage that gives what it was sold with",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &["a disk that happens to be that fast: then the rate is not flat over time"],
    experiment: Experiment::Line(
        "iodyno cloud # what this machine's types are, and which carry more",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &["burst_used_up"],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let promise = scene.promise?;
    let iops = settled_best(scene);
    let streams = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Stream | Role::Streams));
    let bytes = streams
        .map(|probe| probe.bytes_per_s())
        .max_by(f64::total_cmp);
    let is = |measured: Option<f64>, promised: Option<f64>| {
        measured
            .zip(promised)
            .is_some_and(|(measured, promised)| is_kept(measured, promised))
    };
    let asked_iops = || iops.map(|iops| format!("--iops {} --bs 4k", units::whole(iops)));
    let (got, is_burst, asked) = if is(iops, promise.iops) {
        (
            format!("{} IOPS", units::count(iops?)),
            false,
            asked_iops()?,
        )
    } else if is(bytes, promise.bytes_per_s) {
        let asked = format!("--bandwidth {}", units::whole(bytes?));
        (units::bytes_per_s(bytes?), false, asked)
    } else if is(iops, promise.burst_iops) {
        (format!("{} IOPS", units::count(iops?)), true, asked_iops()?)
    } else {
        return None;
    };
    let device = scene
        .path
        .queue_device()
        .map_or("", |layer| layer.name.as_str());
    let kind = promise.name().unwrap_or_else(|| "it".into());
    let while_it_lasts = if is_burst {
        ", as long as its credits last"
    } else {
        ""
    };
    let claim = format!("{device} gives {got}: what {kind} is sold with{while_it_lasts}.");
    Some(
        note(device, claim)
            .shows("measured", &got)
            .shows(
                "promised",
                promise
                    .iops
                    .map_or_else(String::new, |iops| format!("{} IOPS", units::count(iops))),
            )
            .shows("source", &promise.source)
            .refuted_by("another moment gives a tenth more")
            .experiment(format!(
                "iodyno cloud {asked} # which types carry as much and more"
            ))
            .advise("Stop tuning the rate: only a larger or another type gives more."),
    )
}
