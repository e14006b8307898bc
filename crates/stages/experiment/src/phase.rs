//! The stage that is running: one interface over all of them, and the order they come in.

use model::metric::ExperimentMetric;
use model::verdict::{ArmResult, Reason, Verdict, VerdictStage};

use super::after;
use super::audit::Audit;
use super::calibrate::Calibrate;
use super::headroom::Headroom;
use super::holdout::Holdout;
use super::pairs::Pairs;
use super::plan::{self, Class};
use super::race::Race;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use super::settle::{Reach, Settle};
use super::slow::Slow;
use super::slow_verdict;
use stats::Estimate;

/// Values of a coarse metric that a window of the settle probe has at least.
const SETTLE_VALUES_MIN: u64 = 8;
/// The longest windows of the settle probe that a metric with many values a second gets, in milliseconds.
const SETTLE_MAX_MS: u64 = 6_000;

/// What pairs or race found, on its way through audit and hold-out.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub arm: usize,
    pub short: Estimate,
    pub interval_ln: (f64, f64),
    pub stage: VerdictStage,
    /// The reason that stands if nothing is to be confirmed; none when a hold-out must confirm a difference.
    pub equal: Option<Reason>,
    pub arms: Vec<ArmResult>,
}

/// The stage that is running, with what it has so far.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    Headroom(Headroom),
    Settle(Settle),
    Calibrate(Calibrate),
    Pairs(Pairs),
    Race(Box<Race>),
    Slow(Slow),
    Audit(Audit, Claim),
    Holdout(Holdout, Claim),
    Done(Box<Verdict>),
}

/// The first windows of the settle probe, in milliseconds. The first values of a coarse metric must be few among those of
/// a window.
pub(super) fn settle_window_ms(class: Class, metric: &ExperimentMetric) -> u64 {
    let usual_ms = match class {
        Class::Fast => 320,
        Class::Learned | Class::Slow => 1_280,
    };
    match plan::is_coarse(metric) {
        true => usual_ms.max(SETTLE_VALUES_MIN * metric.grain_ms),
        false => usual_ms,
    }
}

impl Phase {
    pub(super) fn first(run: &mut ExperimentRun) -> Self {
        if run.plan.can_halve_depth {
            Phase::Headroom(Headroom::default())
        } else {
            Phase::settle(run)
        }
    }

    fn settle(run: &mut ExperimentRun) -> Self {
        if run.plan.class == Class::Slow {
            run.window_ms = run.plan.window_min_ms();
            // A run has its start in it.
            run.washout_ms = match run.plan.metric.is_of_runs {
                true => 0,
                false => run.plan.metric.whole_grains_ms(run.window_ms * 4 / 5),
            };
            return Phase::Slow(Slow::new(run, run.plan.budget_ms));
        }
        let first_ms = settle_window_ms(run.plan.class, &run.plan.metric);
        let tolerance_ln = run.plan.rope_ln() / 4.0;
        let washout_min_ms = run.plan.washout_min_ms();
        Phase::Settle(Settle::new(
            run,
            Reach {
                first_ms,
                longest_ms: first_ms.max(SETTLE_MAX_MS),
                washout_min_ms,
                tolerance_ln,
            },
        ))
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        match self {
            Phase::Headroom(stage) => stage.want(),
            Phase::Settle(stage) => stage.want(run),
            Phase::Calibrate(stage) => stage.want(run),
            Phase::Pairs(stage) => stage.want(run),
            Phase::Race(stage) => stage.want(run),
            Phase::Slow(stage) => stage.want(run),
            Phase::Audit(stage, _) => stage.want(run),
            Phase::Holdout(stage, _) => stage.want(run),
            Phase::Done(_) => None,
        }
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        match self {
            Phase::Headroom(stage) => stage.accept(&run.level, sample),
            Phase::Settle(stage) => stage.accept(run, sample),
            Phase::Calibrate(stage) => stage.accept(run, sample),
            Phase::Pairs(stage) => stage.accept(run, sample),
            Phase::Race(stage) => stage.accept(run, sample),
            Phase::Slow(stage) => stage.accept(run, sample),
            Phase::Audit(stage, _) => stage.accept(run, sample),
            Phase::Holdout(stage, _) => stage.accept(run, sample),
            Phase::Done(_) => {}
        }
    }

    pub(super) fn stage(&self) -> VerdictStage {
        match self {
            Phase::Headroom(_) => VerdictStage::Headroom,
            Phase::Settle(_) => VerdictStage::Settle,
            Phase::Calibrate(_) => VerdictStage::Calibrate,
            Phase::Pairs(_) => VerdictStage::Pairs,
            Phase::Race(_) => VerdictStage::Race,
            Phase::Slow(stage) => stage.stage(),
            Phase::Audit(..) => VerdictStage::Audit,
            Phase::Holdout(..) | Phase::Done(_) => VerdictStage::Holdout,
        }
    }

    /// The stage that follows a finished one.
    pub(super) fn next(&mut self, run: &mut ExperimentRun) -> Self {
        match self {
            Phase::Headroom(stage) => {
                run.saturated = stage.is_saturated();
                Phase::settle(run)
            }
            Phase::Settle(stage) => after::settle(run, stage.found()),
            Phase::Calibrate(stage) => after::calibrate(run, stage),
            Phase::Pairs(stage) => after::pairs(run, stage),
            Phase::Race(stage) => after::race(run, stage),
            Phase::Slow(stage) => slow_verdict::of(run, stage),
            Phase::Audit(stage, claim) => after::audit(run, stage.found(), claim),
            Phase::Holdout(stage, claim) => after::holdout(run, stage, claim),
            Phase::Done(verdict) => Phase::Done(verdict.clone()),
        }
    }

    /// Every arm but the default, as far as known.
    pub(super) fn arms(&self, run: &ExperimentRun) -> Vec<ArmResult> {
        match self {
            Phase::Pairs(pairs) => vec![after::arm_of_pairs(run, pairs)],
            Phase::Race(race) => race.results(&run.plan.arms),
            Phase::Slow(slow) => slow.results(run),
            Phase::Audit(_, claim) | Phase::Holdout(_, claim) => claim.arms.clone(),
            Phase::Done(verdict) => verdict.arms.clone(),
            Phase::Headroom(_) | Phase::Settle(_) | Phase::Calibrate(_) => Vec::new(),
        }
    }
}
