//! # A disk that gives less than it is sold with
//!
//! ## What it finds
//! Where the figures that the storage is sold with are known (`--disk-spec`), random reads at depth that reach less than seven tenths of
//! the promised I/Os a second, although the depth would allow for them.
//!
//! ## Why it matters
//! Either something between the program and the disk holds it back, or the disk is another than was ordered, or the instance
//! has a limit of its own.
//!
//! ## What to try
//! Compare what was ordered with what is attached, then the limits of the instance (`iodyno cloud`), then the other findings.
//!
//! ## Example
//! ```scene
//! disk: vda transport=virtio
//! promise: aws gp3 iops=3000
//! probe: latency read=574@1700us elapsed=1s depth=1
//! probe: depth read=540@60ms elapsed=1s depth=32
//! expect: warning says "574 of 3.00 k" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: vda transport=virtio
//! promise: aws gp3 iops=3000
//! probe: latency read=574@1700us elapsed=1s depth=1
//! probe: depth read=2990@10ms elapsed=1s depth=32
//! ```
//! So few in flight cannot reach it:
//! ```scene
//! disk: vda transport=virtio
//! promise: aws gp3 iops=16000
//! probe: latency read=1000@1ms elapsed=1s depth=1
//! probe: depth read=4000@1ms elapsed=1s depth=4
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=540@60ms elapsed=1s depth=32
//! ```
//!
//! ## Seen
//! In the lab: `promise_not_kept`.
//!
//! ## Sources
//! - Seven tenths is a proposal of this project: short loads of a healthy disk come closer.

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "below_promise",
    since: "0.1.0",
    summary: "random reads reach less than the disk is sold with",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "others use the disk: then its counters show more than the load's own I/Os",
        "the instance has a lower limit than the disk: then several disks together reach no more",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=64 -direct=1 -runtime=60",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Less than this share of the promise is worth a word.
const SHARE: f64 = 0.7;
/// With a knee, more in flight brings no more: then it is the storage that is at its end, not the load.
const KNEE: f64 = 1.2;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let promised = scene.promise?.iops?;
    let disk = scene.path.queue_device()?;
    let (depth, deepest) = scene.curve().last().copied()?;
    let one = scene.probe(model::check::Role::Latency)?;
    let best = scene.iops_best()?;
    // A depth that gives in proportion has not met any limit yet.
    let has_met_limit = deepest.iops() * KNEE < one.iops() * f64::from(depth);
    if best >= promised * SHARE || !has_met_limit {
        return None;
    }
    let (given, sold) = (units::count(best.round()), units::count(promised));
    let found = warning(
        &disk.name,
        format!("{} gives {given} of {sold} I/Os a second that it is sold with.", disk.name),
    )
    .shows("random reads a second", &given)
    .shows("promised", &sold)
    .refuted_by("a longer load at the same depth reaches the promise")
    .advise(
        "Compare what was ordered with what is attached, and the limits of the instance with `iodyno cloud`.",
    )
    .costs(deepest.phrase(), 1.0 - best / promised)
    .gains((promised / best.max(1.0) - 1.0).min(3.0));
    Some(found)
}
