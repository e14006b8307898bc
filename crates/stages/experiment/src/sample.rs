//! One measured window, and how a stretch of rates becomes one level.

use model::histogram::Histogram;
use model::verdict::Stage;

use super::window::BIN_MS;

/// A measured window with its place on the experiment's own time axis.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub stage: Stage,
    pub arm: usize,
    pub start_ms: u64,
    pub duration_ms: u64,
    pub discard_ms: u64,
    pub rates: Vec<f64>,
    pub latency: Option<Histogram>,
    pub half_depth: bool,
}

impl Sample {
    /// The rates after the washout.
    pub(super) fn kept(&self) -> &[f64] {
        &self.rates[((self.discard_ms / BIN_MS) as usize).min(self.rates.len())..]
    }
}

/// Turns rates into logarithms. A stretch without a single completion is a real observation, so it gets a floor
/// instead of minus infinity: a thousandth of the first rate seen, far below any clip.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    floor: Option<f64>,
}

impl Level {
    /// Learns the floor from the first window that moved anything.
    pub(super) fn learn(&mut self, rates: &[f64]) {
        let mean = stats::mean(rates);
        if self.floor.is_none() && mean > 0.0 {
            self.floor = Some(mean * 1e-3);
        }
    }

    /// Whether any window has moved anything yet.
    pub(super) fn is_known(&self) -> bool {
        self.floor.is_some()
    }

    /// Logarithm of a rate.
    pub(super) fn ln(&self, rate: f64) -> f64 {
        rate.max(self.floor.unwrap_or(1.0)).ln()
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
