//! From the slow design's blocks to its verdict: one look, no sequential test.

use model::verdict::{Outcome, Reason};

use super::after::{done, equal, select};
use super::conclude::{self, Effect, Finding};
use super::holdout::Holdout;
use super::phase::{Claim, Phase};
use super::run::ExperimentRun;
use super::slow::{Lasting, Slow};

/// The memory that lies within a run, in milliseconds: what fades by a third of it, as long as the run before may act, is
/// in the run's own value.
fn within_a_run_ms(run: &ExperimentRun) -> u64 {
    match run.plan.metric.is_of_runs {
        true => run.plan.memory_ms.min(run.window_ms / 3),
        false => 0,
    }
}

/// Concludes, or asks for a hold-out where the best of several arms was chosen.
pub(super) fn of(run: &mut ExperimentRun, slow: &Slow) -> Phase {
    let arms = slow.results(run);
    if !run.level.is_known() {
        return done(run, arms, Finding::refused(Reason::NoIo, ""));
    }
    let arm = slow.best();
    let (low_ln, high_ln) = slow.interval(run, arm);
    let centre_ln = slow.estimate(arm).centre;
    let effect = Effect {
        arm,
        centre_ln,
        low_ln,
        high_ln,
        stage: slow.stage(),
    };
    match slow.lasting(run, arm) {
        Lasting::Carries { tau_ms } => {
            let tau = conclude::tau(tau_ms);
            let detail =
                format!("carry-over near {tau} outlives the windows; give them more length");
            return done(
                run,
                arms,
                Finding::refused(Reason::CarryOver, detail).with(effect),
            );
        }
        Lasting::Excluded { horizon_ms } => run.horizon_ms = horizon_ms.max(within_a_run_ms(run)),
    }
    let differs = slow.differs(run, arm);
    if run.plan.only_selects && (differs || slow.is_equal(run, arm) || slow.loses(run, arm)) {
        let claim = Claim {
            arm,
            short: slow.estimate(arm),
            interval_ln: (low_ln, high_ln),
            stage: slow.stage(),
            equal: (!differs).then_some(Reason::WithinRope),
            arms,
        };
        return select(run, &claim);
    }
    if differs && arms.len() > 1 {
        let claim = Claim {
            arm,
            short: slow.estimate(arm),
            interval_ln: (low_ln, high_ln),
            stage: slow.stage(),
            equal: None,
            arms,
        };
        return Phase::Holdout(Holdout::new(run, arm, claim.short), claim);
    }
    let others_lose =
        (1..run.plan.arms.len()).all(|arm| slow.is_equal(run, arm) || slow.loses(run, arm));
    let finding = match () {
        () if differs && centre_ln > 0.0 => Finding {
            arm,
            ..Finding::new(Outcome::Better, Reason::Confirmed)
        },
        () if differs => Finding::new(Outcome::Better, Reason::DefaultWins),
        () if slow.is_equal(run, arm) && run.plan.arms.len() == 2 => equal(run, Reason::WithinRope),
        () if others_lose => equal(run, Reason::DefaultIsBest),
        () => Finding::new(Outcome::Inconclusive, Reason::BudgetSpent),
    };
    done(run, arms, finding.with(effect))
}
