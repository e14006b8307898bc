//! What each stage's result leads to: the next stage, another attempt, or the verdict.

use model::verdict::{ArmResult, Outcome, Reason, VerdictStage};

use super::audit::{Audit, Audited};
use super::calibrate::Calibrate;
use super::conclude::{self, Detectable, Effect, Finding, ratio};
use super::evidence::EvidenceScale;
use super::holdout::Holdout;
use super::pairs::{FoundPairs, Pairs};
use super::phase::{Claim, Phase};
use super::plan::whole_for_ms;
use super::race::{Race, Raced};
use super::retry;
use super::run::ExperimentRun;
use super::settle::Settled;
use model::units;

/// Pairs or blocks from which an ordinary interval is worth a look.
const AT_THE_END_MIN: usize = 3;
/// The longest budget, minutes.
const A_DAY_MIN: u64 = 1_440;

/// Ends the experiment where the driver's time does. What made the pairs or the race stop is no estimate without a
/// hold-out, so the conclusion has none from then on.
pub(super) fn out_of_time(run: &ExperimentRun, phase: &Phase) -> Phase {
    if let Some(claim) = ahead_by_now(run, phase) {
        return select(run, &claim);
    }
    let undecided = Finding::new(Outcome::Inconclusive, Reason::BudgetSpent);
    let during = |stage: &str| Finding {
        detail: stage.into(),
        ..undecided.clone()
    };
    let finding = match phase {
        Phase::Headroom(_) | Phase::Settle(_) | Phase::Calibrate(_) => {
            during("before the first comparison")
        }
        Phase::Pairs(pairs) if !pairs.differences_ln.is_empty() => {
            conclude::undecided(run, pairs, 1)
        }
        Phase::Pairs(_) | Phase::Race(_) | Phase::Slow(_) | Phase::Done(_) => undecided,
        Phase::Audit(..) => during("during the audit for carry-over"),
        Phase::Holdout(..) => during("during the hold-out"),
    };
    done(run, phase.arms(run), finding)
}

/// What can be taken along where only that is asked for, though the comparison did not decide.
fn ahead_by_now(run: &ExperimentRun, phase: &Phase) -> Option<Claim> {
    match phase {
        Phase::Pairs(pairs) => ahead_in_pairs(run, pairs),
        Phase::Race(race) => ahead_in_race(run, race, race.leading()),
        _ => None,
    }
}

fn ahead_in_pairs(run: &ExperimentRun, pairs: &Pairs) -> Option<Claim> {
    let claim = Claim {
        arm: 1,
        short: pairs.estimate(),
        interval_ln: pairs.interval(run),
        stage: VerdictStage::Pairs,
        equal: None,
        arms: vec![arm_of_pairs(run, pairs)],
    };
    ahead_at_the_end(run, claim)
}

fn ahead_in_race(run: &ExperimentRun, race: &Race, arm: usize) -> Option<Claim> {
    let claim = Claim {
        arm,
        short: race.estimate(arm),
        interval_ln: race.interval(arm),
        stage: VerdictStage::Race,
        equal: None,
        arms: race.results(&run.plan.arms),
    };
    ahead_at_the_end(run, claim)
}

/// A claim that can be taken along when the time is over. An interval that is valid at any moment pays for every look, and
/// is open while there are few pairs, however large the effect. Here there is one look more and the proof is still to come,
/// so the ordinary interval does.
fn ahead_at_the_end(run: &ExperimentRun, mut claim: Claim) -> Option<Claim> {
    let count = claim.short.count;
    if !run.plan.only_selects || count == 0 {
        return None;
    }
    if claim.interval_ln.0 <= 0.0 && count >= AT_THE_END_MIN {
        let claims = run.plan.arms.len().saturating_sub(1).max(1) as f64;
        claim.interval_ln = claim.short.interval(run.alpha / claims);
    }
    (claim.interval_ln.0 > 0.0).then_some(claim)
}

/// Ends the experiment.
pub(super) fn done(run: &ExperimentRun, arms: Vec<ArmResult>, finding: Finding) -> Phase {
    Phase::Done(Box::new(conclude::verdict(run, arms, finding)))
}

pub(super) fn settle(run: &mut ExperimentRun, settled: Settled) -> Phase {
    if !run.level.is_known() {
        return done(run, Vec::new(), Finding::refused(Reason::NoIo, ""));
    }
    match (settled, run.carried.take()) {
        (Settled::Within { washout_ms }, None) => retry::calibrate(run, washout_ms),
        (Settled::Within { washout_ms }, Some(_)) if washout_ms > run.washout_ms => {
            retry::again(run, washout_ms)
        }
        (_, Some(carried)) => retry::outlast(run, &carried),
        (Settled::Not { length_ms }, None) => retry::unsettled(run, length_ms),
    }
}

pub(super) fn calibrate(run: &mut ExperimentRun, stage: &Calibrate) -> Phase {
    if stage.is_empty() {
        return done(run, Vec::new(), Finding::refused(Reason::NoIo, ""));
    }
    let scale = EvidenceScale::from_deviation(stage.scale_ln());
    if run.plan.arms.len() == 2 {
        Phase::Pairs(Pairs::new(run, 1, scale))
    } else {
        Phase::Race(Box::new(Race::new(run, scale)))
    }
}

/// The arm of a pairs stage, with its interval.
pub(super) fn arm_of_pairs(run: &ExperimentRun, pairs: &Pairs) -> ArmResult {
    let (low, high) = pairs.interval(run);
    let effect = ratio(pairs.estimate().centre).filter(|_| !pairs.differences_ln.is_empty());
    ArmResult {
        arm: run.plan.arms[1].clone(),
        effect,
        low: ratio(low),
        high: ratio(high),
        dropped: false,
    }
}

pub(super) fn pairs(run: &mut ExperimentRun, pairs: &Pairs) -> Phase {
    let arms = vec![arm_of_pairs(run, pairs)];
    let found = pairs.found();
    let outliers = pairs.outlier_share();
    match found {
        FoundPairs::Open | FoundPairs::TooNoisy if outliers > 0.4 => {
            let detail = format!(
                "{} of the pairs are outliers of the calibrated noise",
                units::share(outliers)
            );
            let effect = conclude::undecided(run, pairs, 1).effect;
            let finding = Finding {
                effect,
                ..Finding::refused(Reason::OutlierHost, detail)
            };
            done(run, arms, finding)
        }
        FoundPairs::Open => match ahead_in_pairs(run, pairs) {
            Some(claim) => select(run, &claim),
            None => done(run, arms, conclude::undecided(run, pairs, 1)),
        },
        FoundPairs::TooNoisy => {
            let effect = conclude::undecided(run, pairs, 1).effect;
            let (detectable, enough_ms) = (pairs.detectable(run), pairs.enough_ms(run));
            done(run, arms, too_noisy(run, effect, detectable, enough_ms))
        }
        FoundPairs::Differs | FoundPairs::Equal => {
            let is_equal = found == FoundPairs::Equal;
            let interval_ln = if is_equal {
                pairs.interval_equal(run)
            } else {
                pairs.interval(run)
            };
            let equal = is_equal.then_some(Reason::WithinRope);
            let claim = Claim {
                arm: 1,
                short: pairs.estimate(),
                interval_ln,
                stage: VerdictStage::Pairs,
                equal,
                arms,
            };
            prove(run, claim)
        }
    }
}

/// Says what the budget could have shown, and which would show an effect as large as the region.
fn too_noisy(
    run: &ExperimentRun,
    effect: Option<Effect>,
    detectable: Detectable,
    enough_ms: u64,
) -> Finding {
    let minutes = whole_for_ms(&run.plan, enough_ms).div_ceil(60_000);
    let detail = match minutes {
        0..=A_DAY_MIN => format!("--budget {minutes}m would show one of"),
        _ => "not even a day would show one of".into(),
    };
    Finding {
        effect,
        detectable: Some(detectable),
        ..Finding::refused(Reason::TooNoisy, detail)
    }
}

pub(super) fn race(run: &mut ExperimentRun, race: &Race) -> Phase {
    let arms = race.results(&run.plan.arms);
    let Some(raced) = race.found() else {
        return done(
            run,
            arms,
            Finding::new(Outcome::Inconclusive, Reason::BudgetSpent),
        );
    };
    let (Raced::Leads(arm) | Raced::DefaultBest(arm) | Raced::Open(arm) | Raced::TooNoisy(arm)) =
        raced;
    let short = race.estimate(arm);
    let interval_ln = race.interval(arm);
    if let Raced::Open(_) | Raced::TooNoisy(_) = raced {
        return no_winner(run, race, raced, arm);
    }
    note_level(run, race);
    let equal = matches!(raced, Raced::DefaultBest(_)).then_some(Reason::DefaultIsBest);
    prove(
        run,
        Claim {
            arm,
            short,
            interval_ln,
            stage: VerdictStage::Race,
            equal,
            arms,
        },
    )
}

/// The end of a race in which nothing is proved of the best of the others.
fn no_winner(run: &mut ExperimentRun, race: &Race, raced: Raced, arm: usize) -> Phase {
    // Which of the better ones is the best may stay open where one of them is only taken along.
    if let Some(claim) = ahead_in_race(run, race, arm) {
        note_level(run, race);
        return select(run, &claim);
    }
    let (low_ln, high_ln) = race.interval(arm);
    let effect = Effect {
        arm,
        centre_ln: race.estimate(arm).centre,
        low_ln,
        high_ln,
        stage: VerdictStage::Race,
    };
    let finding = match raced {
        Raced::TooNoisy(_) => {
            let (detectable, enough_ms) = (race.detectable(run, arm), race.enough_ms(run, arm));
            too_noisy(run, Some(effect), detectable, enough_ms)
        }
        _ => Finding::new(Outcome::Inconclusive, Reason::BudgetSpent).with(effect),
    };
    done(run, race.results(&run.plan.arms), finding)
}

/// That the best of several was not found out.
fn note_level(run: &mut ExperimentRun, race: &Race) {
    if race.racing() > 1 {
        run.notes.push(format!(
            "{} arms were still level when the race ended.",
            race.racing()
        ));
    }
}

/// Goes on to the stages that prove a claim, where it is to be proved.
fn prove(run: &mut ExperimentRun, claim: Claim) -> Phase {
    if run.plan.only_selects {
        return select(run, &claim);
    }
    Phase::Audit(
        Audit::new(run, claim.arm, claim.short, claim.equal.is_none()),
        claim,
    )
}

/// Ends with the arm that is ahead. Whoever looks at every pair and stops at the best moment sees too large an effect, so
/// that nothing is claimed.
pub(super) fn select(run: &ExperimentRun, claim: &Claim) -> Phase {
    let (low_ln, high_ln) = claim.interval_ln;
    let effect = Effect {
        arm: claim.arm,
        centre_ln: claim.short.centre,
        low_ln,
        high_ln,
        stage: claim.stage,
    };
    let is_ahead = claim.equal.is_none() && effect.centre_ln > 0.0;
    let finding = Finding {
        arm: if is_ahead { claim.arm } else { 0 },
        ..Finding::new(Outcome::Inconclusive, Reason::Selected)
    };
    done(run, claim.arms.clone(), finding.with(effect))
}

pub(super) fn audit(run: &mut ExperimentRun, audited: Audited, claim: &Claim) -> Phase {
    match audited {
        Audited::Carries { tau_ms, lasting_ln } => retry::carried(run, claim, tau_ms, lasting_ln),
        Audited::Clean { horizon_ms } => {
            run.horizon_ms = horizon_ms;
            match claim.equal {
                Some(reason) => conclude_equal(run, claim, reason),
                None => Phase::Holdout(Holdout::new(run, claim.arm, claim.short), claim.clone()),
            }
        }
    }
}

fn conclude_equal(run: &mut ExperimentRun, claim: &Claim, reason: Reason) -> Phase {
    let (low_ln, high_ln) = claim.interval_ln;
    let effect = Effect {
        arm: claim.arm,
        centre_ln: claim.short.centre,
        low_ln,
        high_ln,
        stage: claim.stage,
    };
    done(run, claim.arms.clone(), equal(run, reason).with(effect))
}

/// Equality, unless something else than the setting may have made the arms equal.
pub(super) fn equal(run: &ExperimentRun, reason: Reason) -> Finding {
    if run.saturated {
        Finding::refused(Reason::Saturated, "")
    } else if run.cap.is_pinned() {
        Finding::refused(
            Reason::Throttled,
            "the rate is pinned at a constant, as only a limiter does",
        )
    } else {
        Finding::new(Outcome::Equal, reason)
    }
}

pub(super) fn holdout(run: &mut ExperimentRun, stage: &Holdout, claim: &Claim) -> Phase {
    let effect = stage.effect(run);
    let same_sign = effect.centre_ln * claim.short.centre > 0.0;
    let finding = if !same_sign || (effect.low_ln <= 0.0 && effect.high_ln >= 0.0) {
        let before = Finding {
            detail: conclude::change(&run.plan.metric, claim.short.centre),
            ..Finding::new(Outcome::Inconclusive, Reason::NotConfirmed)
        };
        before.with(effect)
    } else {
        win(run, stage, effect)
    };
    done(
        run,
        claim.arms.clone(),
        Finding {
            p99: stage.p99().cloned(),
            ..finding
        },
    )
}

fn win(run: &ExperimentRun, holdout: &Holdout, effect: Effect) -> Finding {
    conclude::objection(run, &effect, holdout.p99()).unwrap_or_else(|| {
        let (arm, reason) = match effect.centre_ln > 0.0 {
            true => (effect.arm, Reason::Confirmed),
            false => (0, Reason::DefaultWins),
        };
        Finding {
            arm,
            ..Finding::new(Outcome::Better, reason)
        }
        .with(effect)
    })
}
