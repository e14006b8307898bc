//! The order of the stages, and what each one's result leads to.

use model::verdict::{ArmResult, Outcome, Reason, Stage, Verdict};

use super::audit::{Audit, Audited};
use super::calibrate::Calibrate;
use super::conclude::{self, Effect, Finding};
use super::evidence::Scale;
use super::headroom::Headroom;
use super::holdout::Holdout;
use super::pairs::{Found, Pairs};
use super::plan::{Class, class_washout_ms, class_window_ms};
use super::race::{Race, Raced};
use super::run::{Carryover, Run, Want};
use super::sample::Sample;
use super::settle::{Reach, Settle, Settled};
use super::slow::{Lasting, Slow};
use super::stats::Estimate;

/// Data may be dropped and gathered with a longer washout this often.
const ATTEMPTS_MAX: usize = 3;
/// Blocks without which no sequential decision falls.
const BLOCKS_LEAST: u64 = 12;
/// Windows of the second settle probe, and the longest time constant for which it is worth its time.
const PROBE_MS: u64 = 1_280;
const PROBE_TAU_MS: u64 = 1_000;

/// What pairs or race found, on its way through audit and hold-out.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub arm: usize,
    pub short: Estimate,
    pub interval_ln: (f64, f64),
    pub stage: Stage,
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

impl Phase {
    pub(super) fn first(run: &mut Run) -> Self {
        if run.plan.can_halve_depth { Phase::Headroom(Headroom::default()) } else { Phase::settle(run) }
    }

    fn settle(run: &mut Run) -> Self {
        let (first_ms, longest_ms) = match run.plan.class {
            Class::Fast => (320, 6_000),
            Class::Learned => (1_280, 6_000),
            Class::Slow => {
                run.window_ms = class_window_ms(Class::Slow).max(run.plan.min_window_ms);
                run.washout_ms = run.window_ms * 4 / 5;
                return Phase::Slow(Slow::new(run));
            }
        };
        let tolerance_ln = run.plan.rope_ln() / 4.0;
        let washout_min_ms = class_washout_ms(run.plan.class);
        Phase::Settle(Settle::new(run, Reach { first_ms, longest_ms, washout_min_ms, tolerance_ln }))
    }

    pub(super) fn want(&self, run: &Run) -> Option<Want> {
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

    pub(super) fn accept(&mut self, run: &mut Run, sample: &Sample) {
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

    pub(super) fn stage(&self) -> Stage {
        match self {
            Phase::Headroom(_) => Stage::Headroom,
            Phase::Settle(_) => Stage::Settle,
            Phase::Calibrate(_) => Stage::Calibrate,
            Phase::Pairs(_) => Stage::Pairs,
            Phase::Race(_) => Stage::Race,
            Phase::Slow(stage) => stage.stage(),
            Phase::Audit(..) => Stage::Audit,
            Phase::Holdout(..) | Phase::Done(_) => Stage::Holdout,
        }
    }

    /// The stage that follows a finished one.
    pub(super) fn next(&mut self, run: &mut Run) -> Self {
        match self {
            Phase::Headroom(stage) => {
                run.saturated = stage.is_saturated();
                Phase::settle(run)
            }
            Phase::Settle(stage) => after_settle(run, stage.found()),
            Phase::Calibrate(stage) => after_calibrate(run, stage),
            Phase::Pairs(stage) => after_pairs(run, stage),
            Phase::Race(stage) => after_race(run, stage),
            Phase::Slow(stage) => after_slow(run, stage),
            Phase::Audit(stage, claim) => after_audit(run, stage.found(), claim),
            Phase::Holdout(stage, claim) => after_holdout(run, stage, claim),
            Phase::Done(verdict) => Phase::Done(verdict.clone()),
        }
    }

    /// Every arm but the default, as far as known.
    pub(super) fn arms(&self, run: &Run) -> Vec<ArmResult> {
        match self {
            Phase::Pairs(pairs) => vec![arm_of_pairs(run, pairs)],
            Phase::Race(race) => race.results(&run.plan.arms),
            Phase::Slow(slow) => slow.results(run),
            Phase::Audit(_, claim) | Phase::Holdout(_, claim) => claim.arms.clone(),
            Phase::Done(verdict) => verdict.arms.clone(),
            Phase::Headroom(_) | Phase::Settle(_) | Phase::Calibrate(_) => Vec::new(),
        }
    }
}

fn done(run: &Run, arms: Vec<ArmResult>, finding: Finding) -> Phase {
    Phase::Done(Box::new(conclude::verdict(run, arms, finding)))
}

fn after_settle(run: &mut Run, settled: Settled) -> Phase {
    if !run.level.is_known() {
        return done(run, Vec::new(), Finding::refused(Reason::NoIo, ""));
    }
    match (settled, run.carried.take()) {
        (Settled::Within { washout_ms }, None) => calibrate(run, washout_ms),
        (Settled::Within { washout_ms }, Some(_)) if washout_ms > run.washout_ms => retry(run, washout_ms),
        (_, Some(carried)) => outlast(run, &carried),
        (Settled::Never, None) => {
            let detail = "the rate still moves 3 s after it; declare the knob slow";
            done(run, Vec::new(), Finding::refused(Reason::SlowToSettle, detail))
        }
    }
}

/// Sets the windows for a washout and starts over with fresh data.
fn calibrate(run: &mut Run, washout_ms: u64) -> Phase {
    run.washout_ms = washout_ms.max(class_washout_ms(run.plan.class));
    let kept_ms = (run.plan.min_completions as f64 * 1e3 / run.rate_now.max(1e-3)).min(60_000.0) as u64;
    run.window_ms = class_window_ms(run.plan.class)
        .max(run.plan.min_window_ms)
        .max(run.washout_ms * 5 / 2)
        .max(run.washout_ms + kept_ms);
    run.attempt_row = run.rows.len();
    run.attempt_residence = run.residences.len();
    run.latencies.clear();
    Phase::Calibrate(Calibrate::default())
}

fn after_calibrate(run: &mut Run, calibrate: &Calibrate) -> Phase {
    if calibrate.is_empty(&run.level) {
        return done(run, Vec::new(), Finding::refused(Reason::NoIo, ""));
    }
    let scale = Scale::from_deviation(calibrate.scale_ln());
    if run.plan.arms.len() == 2 {
        Phase::Pairs(Pairs::new(run, 1, scale))
    } else {
        Phase::Race(Box::new(Race::new(run, scale)))
    }
}

fn arm_of_pairs(run: &Run, pairs: &Pairs) -> ArmResult {
    let (low, high) = pairs.interval(run);
    let ratio = |value_ln: f64| Some(value_ln.exp_m1()).filter(|ratio| ratio.is_finite());
    let effect = ratio(pairs.estimate().centre).filter(|_| !pairs.differences_ln.is_empty());
    ArmResult { arm: run.plan.arms[1].clone(), effect, low: ratio(low), high: ratio(high), dropped: false }
}

fn after_pairs(run: &mut Run, pairs: &Pairs) -> Phase {
    let arms = vec![arm_of_pairs(run, pairs)];
    let found = pairs.found();
    let outliers = pairs.outlier_share();
    match found {
        Found::Open | Found::TooNoisy if outliers > 0.4 => {
            let detail =
                format!("{:.0} % of the pairs are outliers of the calibrated noise", outliers * 100.0);
            let effect = conclude::undecided(run, pairs, 1).effect;
            let finding = Finding { effect, ..Finding::refused(Reason::OutlierHost, detail) };
            done(run, arms, finding)
        }
        Found::Open => done(run, arms, conclude::undecided(run, pairs, 1)),
        Found::TooNoisy => {
            let effect = conclude::undecided(run, pairs, 1).effect;
            let detectable_ln = Some(pairs.detectable_ln(run));
            let finding = Finding { effect, detectable_ln, ..Finding::refused(Reason::TooNoisy, "") };
            done(run, arms, finding)
        }
        Found::Differs | Found::Equal => {
            let is_equal = found == Found::Equal;
            let interval_ln = if is_equal { pairs.interval_equal(run) } else { pairs.interval(run) };
            let equal = is_equal.then_some(Reason::WithinRope);
            let claim =
                Claim { arm: 1, short: pairs.estimate(), interval_ln, stage: Stage::Pairs, equal, arms };
            audit(run, claim)
        }
    }
}

fn after_race(run: &mut Run, race: &Race) -> Phase {
    let arms = race.results(&run.plan.arms);
    let Some(raced) = race.found() else {
        return done(run, arms, Finding::new(Outcome::Inconclusive, Reason::BudgetSpent));
    };
    let (Raced::Leads(arm) | Raced::DefaultBest(arm) | Raced::Open(arm)) = raced;
    let short = race.estimate(arm);
    let interval_ln = race.interval(arm);
    if let Raced::Open(_) = raced {
        let (low_ln, high_ln) = interval_ln;
        let effect = Effect { arm, centre_ln: short.centre, low_ln, high_ln, stage: Stage::Race };
        let finding = Finding::new(Outcome::Inconclusive, Reason::BudgetSpent).with(effect);
        return done(run, arms, finding);
    }
    if race.racing() > 1 {
        run.notes.push(format!("{} arms were still level when the race ended.", race.racing()));
    }
    let equal = matches!(raced, Raced::DefaultBest(_)).then_some(Reason::DefaultIsBest);
    audit(run, Claim { arm, short, interval_ln, stage: Stage::Race, equal, arms })
}

fn audit(run: &mut Run, claim: Claim) -> Phase {
    Phase::Audit(Audit::new(run, claim.arm, claim.short, claim.equal.is_none()), claim)
}

fn after_audit(run: &mut Run, audited: Audited, claim: &Claim) -> Phase {
    match audited {
        Audited::Carries { tau_ms, lasting_ln } => carried(run, claim, tau_ms, lasting_ln),
        Audited::Clean { horizon_ms } => {
            run.horizon_ms = horizon_ms;
            match claim.equal {
                Some(reason) => conclude_equal(run, claim, reason),
                None => Phase::Holdout(Holdout::new(run, claim.arm, claim.short), claim.clone()),
            }
        }
    }
}

/// Carry-over spoils the data. If it is quick, it may be a drain longer than the settle probe's first windows, which
/// a longer probe measures better than the audit can.
fn carried(run: &mut Run, claim: &Claim, tau_ms: u64, lasting_ln: f64) -> Phase {
    let percent = model::units::percent_signed;
    let detail = format!(
        "{} in short windows, about {} once it has acted for a while (time constant near {}); declare the knob slow",
        percent(claim.short.centre.exp_m1()),
        percent(lasting_ln.exp_m1()),
        conclude::tau(tau_ms)
    );
    let carried = Carryover { tau_ms, detail };
    if run.attempts == 0 && tau_ms <= PROBE_TAU_MS {
        run.carried = Some(carried);
        let tolerance_ln = run.plan.rope_ln() / 4.0;
        let washout_min_ms = run.washout_ms;
        let reach = Reach { first_ms: PROBE_MS, longest_ms: PROBE_MS, washout_min_ms, tolerance_ln };
        return Phase::Settle(Settle::new(run, reach));
    }
    outlast(run, &carried)
}

/// Tries again with a washout that outlasts the carry-over, if the budget has room for such windows.
fn outlast(run: &mut Run, carried: &Carryover) -> Phase {
    let washout_ms = (4 * carried.tau_ms).max(2 * run.washout_ms);
    let block_ms = washout_ms * 5 / 2 * run.plan.arms.len() as u64;
    if run.attempts + 1 < ATTEMPTS_MAX && block_ms * BLOCKS_LEAST <= run.plan.budget_ms {
        return retry(run, washout_ms);
    }
    done(run, Vec::new(), Finding::refused(Reason::CarryOver, carried.detail.as_str()))
}

/// Drops the data and gathers them anew; the second look costs half the error probability.
fn retry(run: &mut Run, washout_ms: u64) -> Phase {
    run.attempts += 1;
    run.alpha /= 2.0;
    run.notes.push(format!("Carry-over was found; data dropped, washout lengthened to {washout_ms} ms."));
    calibrate(run, washout_ms)
}

fn conclude_equal(run: &mut Run, claim: &Claim, reason: Reason) -> Phase {
    let (low_ln, high_ln) = claim.interval_ln;
    let effect =
        Effect { arm: claim.arm, centre_ln: claim.short.centre, low_ln, high_ln, stage: claim.stage };
    let finding = if run.saturated {
        Finding::refused(Reason::Saturated, "")
    } else if run.cap.is_pinned() {
        Finding::refused(Reason::Throttled, "the rate is pinned at a constant, as only a limiter does")
    } else {
        Finding::new(Outcome::Equal, reason)
    };
    done(run, claim.arms.clone(), finding.with(effect))
}

fn after_holdout(run: &mut Run, holdout: &Holdout, claim: &Claim) -> Phase {
    let estimate = holdout.estimate();
    let (low_ln, high_ln) = estimate.interval(run.plan.alpha);
    let effect =
        Effect { arm: claim.arm, centre_ln: estimate.centre, low_ln, high_ln, stage: Stage::Holdout };
    let same_sign = estimate.centre * claim.short.centre > 0.0;
    let finding = if !same_sign || (low_ln <= 0.0 && high_ln >= 0.0) {
        Finding::new(Outcome::Inconclusive, Reason::NotConfirmed).with(effect)
    } else {
        win(run, holdout, effect)
    };
    done(run, claim.arms.clone(), Finding { p99: holdout.p99().cloned(), ..finding })
}

fn win(run: &Run, holdout: &Holdout, effect: Effect) -> Finding {
    conclude::objection(run, &effect, holdout.p99()).unwrap_or_else(|| {
        let (arm, reason) = match effect.centre_ln > 0.0 {
            true => (effect.arm, Reason::Confirmed),
            false => (0, Reason::DefaultWins),
        };
        Finding { arm, ..Finding::new(Outcome::Better, reason) }.with(effect)
    })
}

fn after_slow(run: &mut Run, slow: &Slow) -> Phase {
    let arms = slow.results(run);
    if !run.level.is_known() {
        return done(run, arms, Finding::refused(Reason::NoIo, ""));
    }
    let arm = slow.best();
    let (low_ln, high_ln) = slow.interval(run, arm);
    let centre_ln = slow.estimate(arm).centre;
    let effect = Effect { arm, centre_ln, low_ln, high_ln, stage: slow.stage() };
    match slow.lasting(run, arm) {
        Lasting::Carries { tau_ms } => {
            let tau = conclude::tau(tau_ms);
            let detail = format!("carry-over near {tau} outlives the windows; give them more length");
            return done(run, arms, Finding::refused(Reason::CarryOver, detail).with(effect));
        }
        Lasting::Excluded { horizon_ms } => run.horizon_ms = horizon_ms,
    }
    let differs = slow.differs(run, arm);
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
    let others_lose = (1..run.plan.arms.len()).all(|arm| slow.is_equal(run, arm) || slow.loses(run, arm));
    let finding = match () {
        () if differs && centre_ln > 0.0 => {
            Finding { arm, ..Finding::new(Outcome::Better, Reason::Confirmed) }
        }
        () if differs => Finding::new(Outcome::Better, Reason::DefaultWins),
        () if slow.is_equal(run, arm) && run.plan.arms.len() == 2 => {
            Finding::new(Outcome::Equal, Reason::WithinRope)
        }
        () if others_lose => Finding::new(Outcome::Equal, Reason::DefaultIsBest),
        () => Finding::new(Outcome::Inconclusive, Reason::BudgetSpent),
    };
    done(run, arms, finding.with(effect))
}
