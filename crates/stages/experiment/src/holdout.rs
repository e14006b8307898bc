//! Fresh pairs after the decision, on a restarted load: the only source of a winner's estimate.
//!
//! The pairs that made an experiment stop are biased towards stopping; a fixed number of new pairs is not.

use super::conclude::{self, Effect};
use super::duo::Duo;
use super::foreign;
use super::latency;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use model::verdict::{Guard, P99, VerdictStage};
use stats::Estimate;

/// Pairs are planned so that the effect stands this many errors from nothing.
const PLANNED_SCORE: f64 = 6.0;
const PAIRS_MIN: usize = 10;
const PAIRS_MAX: usize = 250;
/// Windows of the shortest hold-out, the one that warms up included.
pub(super) const WINDOWS_MIN: u64 = 2 * PAIRS_MIN as u64 + 1;
const WARM_UP_MS: u64 = 500;
/// How often the pairs may be doubled to decide about latency, rare stalls or what others lose; the effect itself gets no
/// second look.
const EXTENSIONS_MAX: usize = 2;

/// Device time of the shortest hold-out, in milliseconds.
pub(super) fn least_ms(run: &ExperimentRun) -> u64 {
    WARM_UP_MS + 2 * PAIRS_MIN as u64 * run.window_ms
}

/// Device time that the hold-out of an estimate wants, in milliseconds.
pub(super) fn wanted_ms(run: &ExperimentRun, short: Estimate) -> u64 {
    WARM_UP_MS.max(run.window_ms) + 2 * planned_pairs(short) as u64 * run.window_ms
}

/// As many pairs as put the effect far enough from nothing.
fn planned_pairs(short: Estimate) -> usize {
    let deviation = short.error * (short.count.max(1) as f64).sqrt();
    let planned = (PLANNED_SCORE * deviation / short.centre.abs().max(1e-6))
        .powi(2)
        .ceil();
    (planned as usize)
        .min(2 * short.count)
        .clamp(PAIRS_MIN, PAIRS_MAX)
}

/// Pairs that fit into what is left after so much, in milliseconds. A hold-out counts whole or not at all, so that a
/// sixteenth stays for what the driver cannot foresee.
fn pairs_that_fit(run: &ExperimentRun, before_ms: u64) -> usize {
    let left_ms = run.left_ms().saturating_sub(before_ms) / 16 * 15;
    (left_ms / (2 * run.window_ms).max(1)) as usize
}

/// Progress of the hold-out.
#[derive(Clone, Debug)]
pub(super) struct Holdout {
    arm: usize,
    duo: Duo,
    warm: bool,
    wanted: usize,
    extensions: usize,
    pub differences_ln: Vec<f64>,
    p99: Option<P99>,
}

impl Holdout {
    /// Plans the pairs from the estimate that is to be confirmed.
    pub(super) fn new(run: &mut ExperimentRun, arm: usize, short: Estimate) -> Self {
        Holdout {
            arm,
            duo: Duo::new(run, arm),
            warm: false,
            wanted: planned_pairs(short)
                .min(pairs_that_fit(run, WARM_UP_MS.max(run.window_ms)))
                .max(PAIRS_MIN),
            extensions: 0,
            differences_ln: Vec::new(),
            p99: None,
        }
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        if !self.warm {
            let warm_up_ms = WARM_UP_MS.max(run.window_ms);
            return Some(Want {
                fresh: true,
                ..Want::new(0, warm_up_ms, warm_up_ms)
            });
        }
        (self.differences_ln.len() < self.wanted).then(|| self.duo.want(run))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        if !self.warm {
            self.warm = true;
            return;
        }
        let Some(difference_ln) = self.duo.accept(run, sample) else {
            return;
        };
        self.differences_ln.push(difference_ln);
        if self.differences_ln.len() == self.wanted {
            self.judge_tail(run);
        }
    }

    /// Asks for more pairs where the typical window is faster but the slow ones may undo it.
    fn judge_tail(&mut self, run: &mut ExperimentRun) {
        let pairs = std::mem::take(&mut run.latencies);
        self.p99 = latency::p99(&pairs, || run.random());
        run.latencies = pairs;
        let is_open = self
            .p99
            .as_ref()
            .is_some_and(|p99| p99.guard == Guard::Open);
        let effect = self.effect(run);
        let is_contradicted = conclude::contradiction(run, &effect).is_some();
        let may_be_taken = foreign::is_open(run, &effect);
        if (is_open || is_contradicted || may_be_taken) && self.extensions < EXTENSIONS_MAX {
            self.extensions += 1;
            self.wanted += self.wanted.min(pairs_that_fit(run, 0));
        }
    }

    /// The estimate with its interval.
    pub(super) fn effect(&self, run: &ExperimentRun) -> Effect {
        let estimate = Estimate::of(&self.differences_ln);
        let (low_ln, high_ln) = estimate.interval(run.plan.alpha);
        Effect {
            arm: self.arm,
            centre_ln: estimate.centre,
            low_ln,
            high_ln,
            stage: VerdictStage::Holdout,
        }
    }

    pub(super) fn p99(&self) -> Option<&P99> {
        self.p99.as_ref()
    }

    /// Device time still to go, in milliseconds.
    pub(super) fn left_ms(&self, run: &ExperimentRun) -> u64 {
        self.wanted.saturating_sub(self.differences_ln.len()) as u64 * 2 * run.window_ms
    }
}
