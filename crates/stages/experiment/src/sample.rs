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

    /// Logarithm of the median rate of a stretch, which a short stall does not move. Where bins are so sparse that
    /// the median would jump between whole completions, the mean.
    pub(super) fn robust(&self, rates: &[f64]) -> f64 {
        let empty = rates.iter().filter(|rate| **rate == 0.0).count();
        if empty * 10 > rates.len() {
            self.of(rates)
        } else {
            self.ln(stats::median(rates))
        }
    }
}
