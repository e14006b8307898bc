//! The design for settings that borrow from the future: few long blocks, a fixed number of them, one look.
//!
//! Windows of 15 s and more are too few for a sequential test, so the number of blocks is fixed before the first one
//! and the decision is an exact sign-flip test with a t interval (Bojinov, Simchi-Levi and Zhao 2023 on switchback
//! designs). The same windows also show whether carry-over outlives them.

use model::verdict::{ArmResult, PairRow, VerdictStage};

use super::carry::{self, Bin, Carried, Exposure, Short, TAUS_MS, age};
use super::conclude::ratio;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use super::window::BIN_MS;
use stats::Estimate;

/// Fewer than eight signs cannot reach a probability of one in a hundred.
pub(super) const BLOCKS_MIN: usize = 8;
pub(super) const BLOCKS_MAX: usize = 16;
const SLICE_MS: u64 = 1_000;
/// With two arms no hold-out follows, so the sign flips alone must be as strict as a test and its confirmation.
const STRICTER: f64 = 0.2;
/// Log likelihood ratio of the best-fitting carry-over against none that refuses the claim.
const FAIL_LN: f64 = 5.0;
/// Errors by which carry-over of a given size is excluded.
const EXCLUDE_SCORE: f64 = 2.0;

/// One kept stretch, before its exposure is worked out for a particular arm.
#[derive(Clone, Copy, Debug)]
struct Slice {
    window: usize,
    arm: usize,
    offset_ms: f64,
    start_ms: f64,
    level_ln: f64,
}

/// Carry-over left inside the windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lasting {
    Excluded { horizon_ms: u64 },
    Carries { tau_ms: u64 },
}

/// Progress of the slow design.
#[derive(Clone, Debug)]
pub(super) struct Slow {
    blocks: usize,
    done: usize,
    order: Vec<usize>,
    stage: VerdictStage,
    block: Vec<(f64, f64)>,
    slices: Vec<Slice>,
    pub differences_ln: Vec<Vec<f64>>,
}

impl Slow {
    /// As many blocks of the run's windows as fit into this time, in milliseconds.
    pub(super) fn new(run: &mut ExperimentRun, within_ms: u64) -> Self {
        let arms = run.plan.arms.len();
        let block_ms = run.window_ms * arms as u64;
        let blocks = ((within_ms / block_ms) as usize).clamp(BLOCKS_MIN, BLOCKS_MAX);
        Slow {
            blocks,
            done: 0,
            order: run.shuffled(arms),
            stage: if arms == 2 {
                VerdictStage::Pairs
            } else {
                VerdictStage::Race
            },
            block: vec![(0.0, 0.0); arms],
            slices: Vec::new(),
            differences_ln: vec![Vec::new(); arms],
        }
    }

    pub(super) fn stage(&self) -> VerdictStage {
        self.stage
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        let arm = *self.order.last().filter(|_| self.done < self.blocks)?;
        Some(Want::new(arm, run.window_ms, run.washout_ms))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        self.order.pop();
        self.slice(run, sample);
        self.block[sample.arm] = (run.level.of(sample.kept()), stats::mean(sample.kept()));
        if !self.order.is_empty() {
            return;
        }
        for arm in 1..self.block.len() {
            let effect_ln = self.block[arm].0 - self.block[0].0;
            self.differences_ln[arm].push(effect_ln);
            run.rows.push(PairRow {
                stage: self.stage,
                arm: run.plan.arms[arm].clone(),
                default_first: false,
                rate_default: self.block[0].1,
                rate_arm: self.block[arm].1,
                effect_ln,
            });
        }
        self.done += 1;
        self.order = run.shuffled(self.block.len());
    }

    fn slice(&mut self, run: &ExperimentRun, sample: &WindowSample) {
        // A run tells one value, however long it takes.
        let bins = match run.plan.metric.is_of_runs {
            true => sample.kept().len().max(1),
            false => (SLICE_MS / BIN_MS) as usize,
        };
        let slice_ms = (bins as u64 * BIN_MS) as f64;
        for (i, part) in sample.kept().chunks(bins).enumerate() {
            self.slices.push(Slice {
                window: run.residences.len().saturating_sub(1),
                arm: sample.arm,
                offset_ms: sample.discard_ms as f64 + (i as f64 + 0.5) * slice_ms,
                start_ms: sample.start_ms as f64,
                level_ln: run.level.robust(part),
            });
        }
    }

    /// Robust estimate of an arm against the default.
    pub(super) fn estimate(&self, arm: usize) -> Estimate {
        Estimate::of(&self.differences_ln[arm])
    }

    /// Each comparison's share of the error probability.
    fn alpha(&self, run: &ExperimentRun) -> f64 {
        run.alpha / (self.differences_ln.len() - 1).max(1) as f64
    }

    pub(super) fn interval(&self, run: &ExperimentRun, arm: usize) -> (f64, f64) {
        self.estimate(arm).interval(self.alpha(run))
    }

    /// Whether the arm differs from the default by more than the region, by exact sign flips and the t interval.
    pub(super) fn differs(&self, run: &ExperimentRun, arm: usize) -> bool {
        let (low, high) = self.interval(run, arm);
        let excludes_none = low > 0.0 || high < 0.0;
        let flipped = stats::sign_flip(&self.differences_ln[arm]);
        let strictness = if self.differences_ln.len() == 2 {
            STRICTER
        } else {
            1.0
        };
        let is_material = self.estimate(arm).centre.abs() > run.plan.rope_ln();
        excludes_none && flipped <= strictness * self.alpha(run) && is_material
    }

    /// Whether the arm is proved to lie inside the region: two one-sided tests.
    pub(super) fn is_equal(&self, run: &ExperimentRun, arm: usize) -> bool {
        let (low, high) = self.estimate(arm).interval(2.0 * self.alpha(run));
        low > -run.plan.rope_ln() && high < run.plan.rope_ln()
    }

    /// Whether the arm is proved slower than the default.
    pub(super) fn loses(&self, run: &ExperimentRun, arm: usize) -> bool {
        self.differs(run, arm) && self.estimate(arm).centre < 0.0
    }

    /// The arm with the greatest estimate.
    pub(super) fn best(&self) -> usize {
        (1..self.differences_ln.len())
            .max_by(|a, b| {
                self.estimate(*a)
                    .centre
                    .total_cmp(&self.estimate(*b).centre)
            })
            .unwrap_or(1)
    }

    /// How far carry-over, fitted on all windows, would move the estimate if an arm stayed for good.
    pub(super) fn lasting(&self, run: &ExperimentRun, arm: usize) -> Lasting {
        let bins = self.bins(run, arm);
        let limit_ln = run
            .plan
            .rope_ln()
            .max(0.25 * self.estimate(arm).centre.abs());
        let fits = carry::fit(&bins, Short::Unknown);
        let missing = |fit: &Carried| 1.0 - exposure_contrast(&bins, fit.tau_ms);
        let carries = fits.iter().find(|fit| {
            (fit.centre_ln * missing(fit)).abs() > limit_ln
                && fit.evidence_ln(fit.centre_ln) > FAIL_LN
        });
        if let Some(fit) = carries {
            return Lasting::Carries { tau_ms: fit.tau_ms };
        }
        let excluded = |fit: &&Carried| {
            (fit.centre_ln.abs() + EXCLUDE_SCORE * fit.error_ln) * missing(fit).abs()
                < 2.0 * limit_ln
        };
        let horizon_ms = fits
            .iter()
            .take_while(excluded)
            .last()
            .map_or(0, |fit| fit.tau_ms);
        Lasting::Excluded { horizon_ms }
    }

    fn bins(&self, run: &ExperimentRun, arm: usize) -> Vec<Bin> {
        let mut exposures: Vec<Exposure> = Vec::with_capacity(run.residences.len());
        let mut exposure = [0.0; TAUS_MS.len()];
        for residence in &run.residences {
            exposures.push(exposure);
            let acting = if residence.arm == arm { 1.0 } else { 0.0 };
            exposure = age(&exposure, acting, residence.duration_ms as f64);
        }
        let compared = self
            .slices
            .iter()
            .filter(|slice| slice.arm == 0 || slice.arm == arm);
        compared
            .map(|slice| {
                let acting = if slice.arm == arm { 1.0 } else { 0.0 };
                Bin {
                    at_s: (slice.start_ms + slice.offset_ms) / 1e3,
                    level_ln: slice.level_ln,
                    acting,
                    variance: 1.0,
                    exposure: age(&exposures[slice.window], acting, slice.offset_ms),
                }
            })
            .collect()
    }

    /// Every arm but the default, with its interval.
    pub(super) fn results(&self, run: &ExperimentRun) -> Vec<ArmResult> {
        (1..self.differences_ln.len())
            .map(|arm| {
                let known = self.done > 1;
                let (low, high) = self.interval(run, arm);
                ArmResult {
                    arm: run.plan.arms[arm].clone(),
                    effect: known.then(|| self.estimate(arm).centre.exp_m1()),
                    low: ratio(low).filter(|_| known),
                    high: ratio(high).filter(|_| known),
                    dropped: false,
                }
            })
            .collect()
    }

    /// Blocks done.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// Device time still to go, in milliseconds.
    pub(super) fn left_ms(&self, run: &ExperimentRun) -> u64 {
        (self.blocks - self.done) as u64 * self.block.len() as u64 * run.window_ms
    }
}

/// Mean past share of the arm under the arm, less that under the default: 1 when windows outlast all carry-over.
fn exposure_contrast(bins: &[Bin], tau_ms: u64) -> f64 {
    let tau = TAUS_MS.iter().position(|tau| *tau == tau_ms).unwrap_or(0);
    let mean_of = |acting: f64| {
        let shares: Vec<f64> = bins
            .iter()
            .filter(|bin| bin.acting == acting)
            .map(|bin| bin.exposure[tau])
            .collect();
        stats::mean(&shares)
    };
    mean_of(1.0) - mean_of(0.0)
}
