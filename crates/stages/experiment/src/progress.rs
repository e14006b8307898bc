//! What a live display shows of a running experiment.

use model::verdict::{ArmResult, VerdictStage};

use super::audit;
use super::phase::Phase;
use super::run::ExperimentRun;

/// A snapshot of a running experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The stage that is running; none when done.
    pub stage: Option<VerdictStage>,
    /// Pairs, or blocks of a race, measured in this stage.
    pub pairs: usize,
    /// Running estimate and interval of every arm but the default; empty before the first comparison.
    pub arms: Vec<ArmResult>,
    /// Index of the arm ahead at the moment; the default while nothing else leads.
    pub leader: usize,
    /// Windows measured.
    pub windows: u64,
    /// Device time spent, in milliseconds.
    pub spent_ms: u64,
    /// Guess of the device time still to go, in milliseconds.
    pub left_ms: u64,
    /// Mean of the last window, in the metric's unit.
    pub rate: f64,
}

/// Rough lengths of the stages to come, for the guess of the time left.
const HOLDOUT_GUESS_WINDOWS: u64 = 40;
const PAIRS_GUESS_WINDOWS: u64 = 40;

pub(super) fn of(run: &ExperimentRun, phase: &Phase) -> Progress {
    let is_done = matches!(phase, Phase::Done(_));
    Progress {
        stage: (!is_done).then(|| phase.stage()),
        pairs: pairs(phase),
        arms: phase.arms(run),
        leader: leader(run, phase),
        windows: run.windows,
        spent_ms: run.clock_ms,
        // A stage may want more than there is.
        left_ms: left_ms(run, phase).min(run.left_ms()),
        rate: run.rate_now,
    }
}

fn pairs(phase: &Phase) -> usize {
    match phase {
        Phase::Pairs(pairs) => pairs.differences_ln.len(),
        Phase::Race(race) => race.blocks(),
        Phase::Slow(slow) => slow.done(),
        Phase::Holdout(holdout, _) => holdout.differences_ln.len(),
        _ => 0,
    }
}

fn leader(run: &ExperimentRun, phase: &Phase) -> usize {
    let ahead = |effect_ln: f64, arm: usize| if effect_ln > 0.0 { arm } else { 0 };
    match phase {
        Phase::Pairs(pairs) => ahead(pairs.estimate().centre, 1),
        Phase::Race(race) => race.leading(),
        Phase::Slow(slow) if slow.done() > 0 => {
            ahead(slow.estimate(slow.best()).centre, slow.best())
        }
        Phase::Audit(_, claim) | Phase::Holdout(_, claim) => ahead(claim.short.centre, claim.arm),
        Phase::Done(verdict) => run
            .plan
            .arms
            .iter()
            .position(|name| *name == verdict.arm)
            .unwrap_or(0),
        _ => 0,
    }
}

fn left_ms(run: &ExperimentRun, phase: &Phase) -> u64 {
    let holdout_ms = HOLDOUT_GUESS_WINDOWS * run.window_ms;
    let after_pairs_ms = audit::least_ms(&run.plan).max(10 * run.window_ms) + holdout_ms;
    let arms = run.plan.arms.len() as u64;
    let pairs_ms = (PAIRS_GUESS_WINDOWS / 2 * arms * run.window_ms).min(run.plan.budget_ms);
    let calibrate_ms = 10 * run.window_ms;
    match phase {
        Phase::Headroom(stage) => {
            stage.left_ms() + 4_000 + calibrate_ms + pairs_ms + after_pairs_ms
        }
        Phase::Settle(stage) => stage.left_ms() + calibrate_ms + pairs_ms + after_pairs_ms,
        Phase::Calibrate(stage) => stage.left_ms(run) + pairs_ms + after_pairs_ms,
        Phase::Pairs(stage) => stage.expected_left_ms(run) + after_pairs_ms,
        Phase::Race(stage) => stage.expected_left_ms(run) + after_pairs_ms,
        Phase::Slow(stage) => stage.left_ms(run),
        Phase::Audit(stage, claim) if claim.equal.is_some() => stage.left_ms(),
        Phase::Audit(stage, _) => stage.left_ms() + holdout_ms,
        Phase::Holdout(stage, _) => stage.left_ms(run),
        Phase::Done(_) => 0,
    }
}
