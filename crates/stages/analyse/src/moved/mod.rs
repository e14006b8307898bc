//! What moved between two arms of an experiment, and what stayed.
//!
//! A figure counts as moved when its change is larger than what windows of the same arm differ by (Welch's t interval,
//! its error probability shared by everything that is compared) and large enough to matter. Layers are compared by their
//! means, because the means of the parts of an I/O add up to the mean of the whole and medians do not. A layer that grew
//! many times over varies by as much as it grew, so such a change is judged by ratio as well.

mod counters;
mod layers;

use model::figures::ArmFigures;
use model::layers::ArmSpan;
use model::moved::{Change, Moved, MovedKind};
use stats::t_quantile;

/// Probability that anything among the layers, or anything among the counters' figures, is called moved by chance.
const ALPHA: f64 = 0.001;

/// From this ratio of the means on, a layer is judged by ratio as well as by difference.
const TIMES_OVER: f64 = 3.0;
/// Windows of each arm that it takes: with fewer, a few stalls in one arm look the same as a layer that grew.
const TIMES_OVER_WINDOWS: u64 = 8;

/// Two arms, and what was measured under them.
#[derive(Clone, Copy, Debug)]
pub struct Arms<'a> {
    /// The arm that was found.
    pub from: &'a str,
    /// The arm it is compared with.
    pub to: &'a str,
    /// Kernel name of the tuned device.
    pub device: &'a str,
    /// Times by layer and arm.
    pub layers: &'a [ArmSpan],
    /// Figures of the counters.
    pub figures: &'a [ArmFigures],
}

/// Compares the two arms. What the layers come from, or why there are none, is for the caller to fill in.
pub fn between(arms: &Arms<'_>) -> Moved {
    let mut changes = layers::changes(arms);
    changes.extend(counters::changes(arms));
    // A stable sort: of the same weight, the order of an I/O's life stays.
    let slower = slower(arms);
    changes.sort_by(|a, b| rank(b, slower).total_cmp(&rank(a, slower)));
    let windows = arms
        .layers
        .iter()
        .filter(|span| span.arm == arms.from || span.arm == arms.to);
    Moved {
        from: arms.from.to_string(),
        to: arms.to.to_string(),
        traced_windows: windows.map(|span| span.windows).max().unwrap_or(0),
        changes,
        interrupts: counters::interrupts(arms),
        ..Moved::default()
    }
}

/// Whether the load got less done under the second arm; none where its rate was not read or is the same.
fn slower(arms: &Arms<'_>) -> Option<bool> {
    let load = arms
        .figures
        .iter()
        .find(|figure| figure.name == "load.per_s")?;
    let (from, to) = (load.of(arms.from)?.value, load.of(arms.to)?.value);
    (from != to).then_some(to < from)
}

/// What moved comes first: the layers that moved the way the rate did, the part of the whole that explains most at the
/// head; then those that moved against it; then what stayed.
fn rank(change: &Change, slower: Option<bool>) -> f64 {
    let kind = match change.kind {
        MovedKind::Layer if slower == Some(change.to > change.from) => 50.0,
        MovedKind::Layer => 40.0,
        MovedKind::Whole => 30.0,
        MovedKind::Cpu => 20.0,
        MovedKind::Device => 10.0,
    };
    let weight = change.share.map_or(0.0, |share| share.abs().min(9.0));
    match (change.moved, change.kind) {
        (true, _) => 100.0 + kind + weight,
        // What stayed explains nothing: layers keep the order of an I/O's life.
        (false, MovedKind::Layer) => 40.0,
        (false, _) => kind,
    }
}

/// A figure under one arm: the mean of its windows and how they differ.
#[derive(Clone, Copy, Debug)]
struct MovedSample {
    mean: f64,
    spread: f64,
    windows: u64,
}

/// A change that is not judged yet.
struct Candidate {
    change: Change,
    samples: [MovedSample; 2],
    /// The least change that matters, in the unit of the figure.
    least: f64,
}

/// Judges changes that are looked at together.
fn judged(candidates: Vec<Candidate>) -> Vec<Change> {
    let comparisons = candidates.len();
    let judge = |Candidate {
                     change,
                     samples: [from, to],
                     least,
                 }: Candidate| {
        let noise = noise(&from, &to, comparisons);
        let by = (to.mean - from.mean).abs();
        let is_time = matches!(change.kind, MovedKind::Layer | MovedKind::Whole);
        let is_sure = noise.is_some_and(|noise| by > noise)
            || (is_time && is_times_over(&from, &to, comparisons));
        let moved = by > 0.0 && by >= least && is_sure;
        Change {
            noise,
            moved,
            ..change
        }
    };
    candidates.into_iter().map(judge).collect()
}

/// The largest difference of two means that chance alone makes, when so many are looked at; none when an arm has
/// fewer than two windows.
fn noise(from: &MovedSample, to: &MovedSample, comparisons: usize) -> Option<f64> {
    chance(from, to, [1.0, 1.0], comparisons)
}

/// Whether the means are a multiple of each other by more than chance, each arm's spread taken as a share of its mean.
///
/// Only where more than two thirds of the larger arm's windows must have carried the change: by Cauchy and Schwarz at
/// least 1 in 1 + (deviation / mean)² of them are above zero. A few stalls are no layer that grew.
fn is_times_over(from: &MovedSample, to: &MovedSample, comparisons: usize) -> bool {
    let (small, large) = if from.mean < to.mean {
        (from, to)
    } else {
        (to, from)
    };
    if small.windows.min(large.windows) < TIMES_OVER_WINDOWS || small.mean <= 0.0 {
        return false;
    }
    let windows = large.windows as f64;
    let is_carried = 2.0 * large.spread.powi(2) * (windows - 1.0) / windows < large.mean.powi(2);
    let ratio = large.mean / small.mean;
    let chance = chance(small, large, [small.mean, large.mean], comparisons);
    is_carried && ratio >= TIMES_OVER && chance.is_some_and(|chance| ratio.ln() > chance)
}

/// Welch's interval for the difference of two arms whose spreads are taken in these units.
fn chance(
    from: &MovedSample,
    to: &MovedSample,
    units: [f64; 2],
    comparisons: usize,
) -> Option<f64> {
    if from.windows < 2 || to.windows < 2 {
        return None;
    }
    let variance =
        |sample: &MovedSample, unit: f64| (sample.spread / unit).powi(2) / sample.windows as f64;
    let (a, b) = (variance(from, units[0]), variance(to, units[1]));
    if a + b <= 0.0 {
        return Some(0.0);
    }
    let parts = a * a / (from.windows - 1) as f64 + b * b / (to.windows - 1) as f64;
    let freedom = ((a + b) * (a + b) / parts).floor().max(1.0) as usize;
    let t = t_quantile(1.0 - ALPHA / 2.0 / comparisons.max(1) as f64, freedom);
    Some(t * (a + b).sqrt())
}

#[cfg(test)]
mod tests;
