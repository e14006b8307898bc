//! One measured window, and how a stretch of rates becomes one level.

use model::histogram::Histogram;
use model::metric::Better;
use model::verdict::VerdictStage;

use super::window::{BIN_MS, ForeignIo};

/// A measured window with its place on the experiment's own time axis.
#[derive(Clone, Debug)]
pub(super) struct WindowSample {
    pub stage: VerdictStage,
    pub arm: usize,
    pub start_ms: u64,
    pub duration_ms: u64,
    pub discard_ms: u64,
    pub rates: Vec<f64>,
    pub latency: Option<Histogram>,
    pub foreign: Option<ForeignIo>,
    pub half_depth: bool,
}

impl WindowSample {
    /// The rates after the washout.
    pub(super) fn kept(&self) -> &[f64] {
        &self.rates[((self.discard_ms / BIN_MS) as usize).min(self.rates.len())..]
    }
}

/// Turns rates into logarithms that rise where the metric gets better. A stretch without a single completion is a real
/// observation, so it gets a floor instead of minus infinity: a thousandth of the first rate seen, far below any clip, or of a
/// much slower one, where an arm is a limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    better: Better,
    floor: Option<f64>,
}

impl Level {
    pub(super) fn new(better: Better) -> Level {
        Level {
            better,
            floor: None,
        }
    }

    /// Learns the floor from a window that moved anything, if it is the first, or comes near the floor that there is.
    pub(super) fn learn(&mut self, rates: &[f64]) {
        let mean = stats::mean(rates);
        let is_far = self.floor.is_some_and(|floor| mean > 100.0 * floor);
        if mean > 0.0 && !is_far {
            self.floor = Some(mean * 1e-3);
        }
    }

    /// Whether any window has moved anything yet.
    pub(super) fn is_known(&self) -> bool {
        self.floor.is_some()
    }

    /// Logarithm of a rate.
    pub(super) fn ln(&self, rate: f64) -> f64 {
        self.gain_ln(rate.max(self.floor.unwrap_or(1.0)).ln())
    }

    /// A logarithm of the metric as one of its gain.
    pub(super) fn gain_ln(&self, metric_ln: f64) -> f64 {
        match self.better {
            Better::Higher => metric_ln,
            Better::Lower => -metric_ln,
        }
    }

    /// Whether nothing was completed in a stretch. Where lower is better nothing is no sign of a standstill.
    pub(super) fn is_nothing(&self, rates: &[f64]) -> bool {
        self.better == Better::Higher && rates.iter().all(|rate| *rate == 0.0)
    }

    /// Logarithm of the mean rate of a stretch.
    pub(super) fn of(&self, rates: &[f64]) -> f64 {
        self.ln(stats::mean(rates))
    }

    /// Logarithm of the median rate of a stretch, which a short stall does not move. A bin counts whole completions, so that the
    /// median of slow ones jumps from one count to the next and stands still between: those are taken together until a step is
    /// small, and where too few are left for a median, or many are empty, it is the mean.
    pub(super) fn robust(&self, rates: &[f64]) -> f64 {
        let groups = rates.len() / bins_a_group(rates).max(1);
        let empty = rates.iter().filter(|rate| **rate == 0.0).count();
        if groups < GROUPS_LEAST || empty * 10 > rates.len() {
            return self.of(rates);
        }
        let bound = |group: usize| group * rates.len() / groups;
        let means: Vec<f64> = (0..groups)
            .map(|group| stats::mean(&rates[bound(group)..bound(group + 1)]))
            .collect();
        self.ln(stats::median(&means))
    }
}

/// The largest step of a median that moves no verdict, as a part of the rate: a quarter of the usual rope.
const STEP_MOST: f64 = 0.005;
/// Fewer groups have no middle that one of them does not move.
const GROUPS_LEAST: usize = 3;
/// What two rates may differ by and be the same, as a part of their mean.
const SAME: f64 = 1e-6;

/// How many bins taken together move by at most [`STEP_MOST`] of their mean with one completion more.
fn bins_a_group(rates: &[f64]) -> usize {
    let mean = stats::mean(rates);
    match step(rates, mean) {
        Some(step) => (step / (STEP_MOST * mean)).ceil() as usize,
        None => 1,
    }
}

/// What all rates are whole multiples of, where that is more than [`STEP_MOST`] of their mean: what one completion adds.
fn step(rates: &[f64], mean: f64) -> Option<f64> {
    let mut step = 0.0;
    for rate in rates {
        step = common_measure(step, *rate, SAME * mean);
        if step > 0.0 && step <= STEP_MOST * mean {
            return None;
        }
    }
    (step > 0.0).then_some(step)
}

/// Euclid's, of two rates; what is left below `least` is nothing.
fn common_measure(one: f64, other: f64, least: f64) -> f64 {
    let (mut large, mut small) = (one.max(other), one.min(other));
    while small > least {
        let rest = large % small;
        let is_whole = rest <= least || small - rest <= least;
        (large, small) = (small, if is_whole { 0.0 } else { rest });
    }
    large
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many I/Os in each bin of 10 ms that their mean is `mean`, in turns.
    fn counted(mean: f64, bins: usize) -> Vec<f64> {
        let at = |bin: usize| (bin as f64 * mean).floor();
        (0..bins)
            .map(|bin| 100.0 * (at(bin + 1) - at(bin)))
            .collect()
    }

    #[test]
    fn a_level_follows_the_rate_also_where_bins_hold_few_completions() {
        let level = Level::new(Better::Higher);
        for mean in [0.3, 1.5, 5.3, 5.7, 5.95, 23.2, 91.4, 200.5] {
            for bins in [25, 100, 200] {
                let off = level.robust(&counted(mean, bins)) - (100.0 * mean).ln();
                // One completion more or less at the ends is part of any mean.
                let limit = 1.5 / (mean * bins as f64) + STEP_MOST;
                assert!(off.abs() < limit, "{mean} {bins}: {off}");
            }
        }
    }

    #[test]
    fn a_short_stall_moves_no_level_of_many_completions() {
        let level = Level::new(Better::Higher);
        for mean in [23.2, 200.5] {
            let mut rates = counted(mean, 200);
            rates[40..52].fill(0.0);
            let off = level.robust(&rates) - (100.0 * mean).ln();
            assert!(off.abs() < 0.01, "{mean}: {off}");
        }
    }

    #[test]
    fn rates_that_are_no_counts_are_taken_as_they_are() {
        let rates: Vec<f64> = (0..25u32)
            .map(|bin| 1.0 + 0.01 * f64::from(bin * bin % 17).sqrt())
            .collect();
        assert_eq!(bins_a_group(&rates), 1);
        let level = Level::new(Better::Higher);
        assert!((level.robust(&[1432.7; 100]) - 1432.7f64.ln()).abs() < 1e-12);
        assert_eq!(bins_a_group(&[0.0; 8]), 1);
    }
}
