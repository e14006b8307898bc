//! What moved between two arms of an experiment, and what stayed.
//!
//! A figure counts as moved when its change is larger than what windows of the same arm differ by (Welch's t interval,
//! its error probability shared by everything that is compared) and large enough to matter. Layers are compared by their
//! means, because the means of the parts of an I/O add up to the mean of the whole and medians do not.

mod counters;
mod layers;

use super::spread::t_quantile;
use model::figures::ArmFigures;
use model::layers::ArmSpan;
use model::moved::{Change, Kind, Moved};

/// Probability that anything among the layers, or anything among the counters' figures, is called moved by chance.
const ALPHA: f64 = 0.001;

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
    changes.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    let windows = arms.layers.iter().filter(|span| span.arm == arms.from || span.arm == arms.to);
    Moved {
        from: arms.from.to_string(),
        to: arms.to.to_string(),
        traced_windows: windows.map(|span| span.windows).max().unwrap_or(0),
        changes,
        interrupts: counters::interrupts(arms),
        ..Moved::default()
    }
}

/// What moved comes first, the part of the whole that explains most at the head; then what stayed.
fn rank(change: &Change) -> f64 {
    let kind = match change.kind {
        Kind::Layer => 40.0,
        Kind::Whole => 30.0,
        Kind::Cpu => 20.0,
        Kind::Device => 10.0,
    };
    let weight = change.share.map_or(0.0, |share| share.abs().min(9.0));
    if change.moved { 100.0 + kind + weight } else { kind }
}

/// A figure under one arm: the mean of its windows and how they differ.
#[derive(Clone, Copy, Debug)]
struct Sample {
    mean: f64,
    spread: f64,
    windows: u64,
}

/// A change that is not judged yet.
struct Candidate {
    change: Change,
    samples: [Sample; 2],
    /// The least change that matters, in the unit of the figure.
    least: f64,
}

/// Judges changes that are looked at together.
fn judged(candidates: Vec<Candidate>) -> Vec<Change> {
    let comparisons = candidates.len();
    let judge = |Candidate { change, samples: [from, to], least }: Candidate| {
        let noise = noise(&from, &to, comparisons);
        let by = (to.mean - from.mean).abs();
        let moved = by > 0.0 && by >= least && noise.is_some_and(|noise| by > noise);
        Change { noise, moved, ..change }
    };
    candidates.into_iter().map(judge).collect()
}

/// The largest difference of two means that chance alone makes, when so many are looked at; none when an arm has
/// fewer than two windows.
fn noise(from: &Sample, to: &Sample, comparisons: usize) -> Option<f64> {
    if from.windows < 2 || to.windows < 2 {
        return None;
    }
    let variance = |sample: &Sample| sample.spread * sample.spread / sample.windows as f64;
    let (a, b) = (variance(from), variance(to));
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
