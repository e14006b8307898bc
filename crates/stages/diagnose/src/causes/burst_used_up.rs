//! # Burst credits that are used up
//!
//! ## What it finds
//! A disk that is sold with a burst and gives its base rate, or fell to it during the check.
//!
//! ## Why it matters
//! It was fast yesterday and will be again after some idle hours. Everything that was measured in the burst does not
//! hold, and a load that is always there never sees it.
//!
//! ## What to try
//! A type without credits (gp3, premium-v2), or more size, so that the base carries the load. The provider shows the
//! balance of credits (BurstBalance).
//!
//! ## Example
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000 burst_s=2000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=302@100ms depth=32 elapsed=1s
//! expect: warning says "are used up" about nvme1n1
//! ```
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000 burst_s=2000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3000@10ms depth=32 elapsed=3s
//! bins: 300 300 300 300 300 300 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30
//! expect: warning says "fell from 3.00 k to 300 IOPS" about nvme1n1
//! ```
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000 burst_s=2000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=5200@1ms depth=2 elapsed=2s
//! probe: depth read=604@100ms depth=32 elapsed=2s
//! expect: warning says "fell from 2.60 k to 302 IOPS" about nvme1n1
//! ```
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000 burst_s=2000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=2990@10ms depth=32 elapsed=1s
//! expect: note says "after 33 min 20 s" about nvme1n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=1400@10ms depth=32 elapsed=1s
//! ```
//! ```scene
//! promise: aws gp3 iops=3000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=3000@10ms depth=32 elapsed=1s
//! ```
//! Never faster than now, and neither figure is near:
//! ```scene
//! promise: aws gp2 iops=300 burst_iops=3000
//! disk: nvme1n1 transport=nvme
//! probe: depth read=760@2ms depth=2 elapsed=2s
//! probe: depth read=780@80ms depth=32 elapsed=2s
//! ```
//!
//! ## Seen
//! In the lab: `burst_spent`, a disk that QEMU lets burst at 3,000 for four seconds and then holds at 300.
//!
//! ## Sources
//! - AWS, Amazon EBS User Guide, General Purpose SSD volumes: I/O credits and burst performance
//! - Microsoft, Azure disk bursting: credit-based bursting of P20 and smaller

use crate::cloud;
use crate::finding::{With, found};
use crate::seen::{settled_best, settled_iops};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Promise, Role};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "burst_used_up",
    since: "0.1.0",
    summary: "a disk that has used up its burst credits",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "a limit of the instance that happens to be the same figure: then all disks together reach it",
        "a smaller type than was said: then it never bursts, after idle hours neither",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randread -bs=4k -iodepth=32 -direct=1 -runtime=60 # after an idle hour: credits come back at the base rate",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What a token bucket's stock adds at the least, as in `rate_capped_outside`.
const FASTER: f64 = 1.3;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(promise) = scene.promise else {
        return Vec::new();
    };
    let rates = promise
        .iops
        .zip(promise.burst_iops)
        .filter(|(base, burst)| *burst > base * 1.1);
    rates
        .and_then(|rates| finding(scene, promise, rates))
        .into_iter()
        .collect()
}

/// A shallower load that was faster than the base by far, and a deepest one that settled at it: more depth never gives less by
/// itself, and not just that figure.
fn fallen_between(scene: &Scene<'_>, base: f64) -> Option<(f64, f64)> {
    let curve = scene.curve();
    let ((_, last), before) = curve.split_last()?;
    let shallower = before
        .iter()
        .map(|(_, probe)| *probe)
        .chain(scene.probe(Role::Latency));
    let highest = shallower.map(settled_iops).max_by(f64::total_cmp)?;
    let now = settled_iops(last);
    (cloud::is_kept(now, base) && highest > base * FASTER).then_some((highest, now))
}

fn finding(scene: &Scene<'_>, promise: &Promise, (base, burst): (f64, f64)) -> Option<Finding> {
    let probe = crate::seen::deepest(scene)?;
    let (rates, step_s) = cloud::series_of_bins(&probe.load, 40);
    let fall = cloud::fall_of(&rates, step_s, &probe.load.latency());
    let fallen = fall
        .and_then(|fall| Some((fall.highest?, fall.settled)))
        .filter(|(_, now)| cloud::is_kept(*now, base))
        .or_else(|| fallen_between(scene, base));
    let count = |rate: f64| units::count(rate.round());
    let best = settled_best(scene).unwrap_or_default();
    let device = scene
        .path
        .queue_device()
        .map_or("", |layer| layer.name.as_str());
    let lost = fallen.map(|(before, now)| 1.0 - now / before);
    let lost = lost.or_else(|| cloud::is_kept(best, base).then_some(1.0 - base / burst));
    let (level, claim) = if let Some((before, now)) = fallen {
        let claim = format!(
            "{device} fell from {} to {} IOPS during the check: its burst credits are used up.",
            count(before),
            count(now)
        );
        (Level::Warning, claim)
    } else if cloud::is_kept(best, base) {
        let (base, burst) = (count(base), count(burst));
        (
            Level::Warning,
            format!(
                "{device} gives its base of {base} IOPS, not the burst of {burst}: its credits are used up."
            ),
        )
    } else if cloud::is_kept(best, burst) {
        let lasts = promise
            .burst_s
            .map(|s| format!(" after {} at the latest", units::span_ms((s * 1e3) as u64)));
        let claim = format!(
            "{device} runs on burst credits: under this load it falls from {} to {} IOPS{}.",
            count(burst),
            count(base),
            lasts.unwrap_or_default()
        );
        (Level::Note, claim)
    } else {
        return None;
    };
    Some(
        found(level, device, claim)
            .shows("base", format!("{} IOPS", count(base)))
            .shows("burst", format!("{} IOPS", count(burst)))
            .shows("source", &promise.source)
            .refuted_by("after hours without a load it is no faster")
            .advise(
                "Choose a type or a size whose base carries the load; `iodyno cloud --iops N` lists them.",
            )
            .costs(probe.phrase(), lost.unwrap_or(0.0))
            .gains(if level == Level::Warning { burst / base - 1.0 } else { 0.0 }),
    )
}
