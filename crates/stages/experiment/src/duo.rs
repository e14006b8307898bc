//! Two adjacent windows, the default's and an arm's, in an order decided by a coin.

use model::histogram::Histogram;
use model::verdict::PairRow;

use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;

/// The pair being measured.
#[derive(Clone, Debug)]
pub(super) struct Duo {
    arm: usize,
    default_first: bool,
    first: Option<WindowSample>,
}

impl Duo {
    /// Tosses the coin for the first pair.
    pub(super) fn new(run: &mut ExperimentRun, arm: usize) -> Self {
        Duo {
            arm,
            default_first: run.heads(),
            first: None,
        }
    }

    /// The arm whose window is due.
    pub(super) fn due(&self) -> usize {
        if self.default_first == self.first.is_none() {
            0
        } else {
            self.arm
        }
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Want {
        Want::new(self.due(), run.window_ms, run.washout_ms)
    }

    /// Takes a window; after the second one logs the pair, tosses the coin anew and returns the log ratio.
    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) -> Option<f64> {
        let Some(first) = self.first.take() else {
            self.first = Some(sample.clone());
            return None;
        };
        let (default, other) = if self.default_first {
            (&first, sample)
        } else {
            (sample, &first)
        };
        let effect_ln = run.level.of(other.kept()) - run.level.of(default.kept());
        run.rows.push(PairRow {
            stage: sample.stage,
            arm: run.plan.arms[self.arm].clone(),
            default_first: self.default_first,
            rate_default: stats::mean(default.kept()),
            rate_arm: stats::mean(other.kept()),
            effect_ln,
        });
        run.foreign.pair(run.plan.metric.better, [default, other]);
        if let Some(histograms) = both(default, other) {
            run.latencies.push(histograms);
        }
        self.default_first = run.heads();
        Some(effect_ln)
    }
}

fn both(default: &WindowSample, other: &WindowSample) -> Option<[Histogram; 2]> {
    Some([default.latency.clone()?, other.latency.clone()?])
}
