//! Placebo windows of the default alone: the scale of a pair before any other arm is compared.
//!
//! Clip and mixing weight of the test must not depend on the data they judge, so they are frozen here.

use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;

const WINDOWS: usize = 10;
/// Below this a pair's noise is taken as this: a scale of nothing would clip everything.
const SCALE_MIN_LN: f64 = 0.004;

/// Progress of the calibration.
#[derive(Clone, Debug, Default)]
pub(super) struct Calibrate {
    levels: Vec<f64>,
    /// Windows in which nothing was completed.
    idle: usize,
}

impl Calibrate {
    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        (self.levels.len() < WINDOWS).then(|| Want::new(0, run.window_ms, run.washout_ms))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        self.levels.push(run.level.of(sample.kept()));
        self.idle += usize::from(run.level.is_nothing(sample.kept()));
    }

    /// Standard deviation of a pair's log ratio under no difference.
    pub(super) fn scale_ln(&self) -> f64 {
        let steps: Vec<f64> = self
            .levels
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).abs())
            .collect();
        stats::robust_sd(&steps).max(SCALE_MIN_LN)
    }

    /// Whether most windows completed nothing.
    pub(super) fn is_empty(&self) -> bool {
        2 * self.idle > self.levels.len()
    }

    pub(super) fn left_ms(&self, run: &ExperimentRun) -> u64 {
        (WINDOWS - self.levels.len().min(WINDOWS)) as u64 * run.window_ms
    }
}
