//! Other programs on the device. Their I/O is noise that the coin makes alike for both arms: it costs pairs and no
//! validity. Only where an arm takes from them what it gains is a better rate of the own load no better setting.

use model::metric::Better;
use model::units::percent_signed;
use model::verdict::{ForeignArm, Reason, VerdictStage};

use super::conclude::{Effect, Finding, totals_ratio};
use super::run::ExperimentRun;
use super::sample::WindowSample;
use super::window::OwnAndOthers;

/// A share at which the own load's rate says nothing of the others' any more.
const SHARE_MAX: f64 = 0.999;
/// Pairs from which on a shift of the others' I/O is judged.
const PAIRS_MIN: usize = 8;
/// Quantile of the t distribution beyond which a shift is no chance.
const CHANCE: f64 = 0.995;
/// The part of a gain that others must have lost before it counts as taken from them.
const TAKEN_SHARE: f64 = 0.5;

/// Their share under each arm, weighted by time.
#[derive(Clone, Debug, Default)]
pub(super) struct ForeignWatch {
    /// By arm.
    arms: Vec<ForeignTotal>,
    pairs: Vec<PairDone>,
}

/// What others did under an arm, over the kept time of its windows.
#[derive(Clone, Copy, Debug, Default)]
struct ForeignTotal {
    /// Share times time, ms.
    share_ms: f64,
    total_ms: f64,
    /// The same where it was counted: amount per second times time, and time, ms.
    amount_ms: f64,
    counted_ms: f64,
}

impl ForeignTotal {
    fn share(&self) -> Option<f64> {
        (self.total_ms > 0.0).then(|| self.share_ms / self.total_ms)
    }

    /// Amount per second.
    fn rate(&self) -> Option<f64> {
        (self.counted_ms > 0.0).then(|| self.amount_ms / self.counted_ms)
    }
}

/// What was done per second in the two windows of a pair.
#[derive(Clone, Copy, Debug)]
struct PairDone {
    stage: VerdictStage,
    arm: usize,
    default: OwnAndOthers,
    other: OwnAndOthers,
}

impl ForeignWatch {
    /// Books a window in which arms stand side by side.
    pub(super) fn observe(&mut self, sample: &WindowSample) {
        let Some(foreign) = sample.foreign.filter(|_| sample.stage.compares()) else {
            return;
        };
        if self.arms.len() <= sample.arm {
            self.arms.resize(sample.arm + 1, ForeignTotal::default());
        }
        let kept_ms = sample.duration_ms.saturating_sub(sample.discard_ms) as f64;
        let total = &mut self.arms[sample.arm];
        total.share_ms += foreign.share * kept_ms;
        total.total_ms += kept_ms;
        if let Some(done) = foreign.per_second {
            total.amount_ms += done.others * kept_ms;
            total.counted_ms += kept_ms;
        }
    }

    /// Books what was done in a pair of windows, the default's first.
    pub(super) fn pair(&mut self, better: Better, [default, other]: [&WindowSample; 2]) {
        let done = per_second(better, default).zip(per_second(better, other));
        self.pairs.extend(done.map(|(done, other_done)| PairDone {
            stage: other.stage,
            arm: other.arm,
            default: done,
            other: other_done,
        }));
    }

    /// Mean share under each arm that was compared, and how what they did differs from that under the default.
    pub(super) fn by_arm(&self, names: &[String]) -> Vec<ForeignArm> {
        let default = self.arms.first().and_then(ForeignTotal::rate);
        let change = |arm: usize, total: &ForeignTotal| {
            let (found, rate) = (default.filter(|found| *found > 0.0)?, total.rate()?);
            (arm > 0).then(|| rate / found - 1.0)
        };
        let arms = names.iter().zip(&self.arms).enumerate();
        arms.filter_map(|(arm, (name, total))| {
            Some(ForeignArm {
                arm: name.clone(),
                share: total.share()?,
                change: change(arm, total),
            })
        })
        .collect()
    }
}

/// What was done per second in a window's kept part: as told, or worked out from others' share of a rate.
fn per_second(better: Better, sample: &WindowSample) -> Option<OwnAndOthers> {
    let foreign = sample.foreign?;
    let worked_out = || {
        let own = stats::mean(sample.kept());
        let can_tell = better == Better::Higher && foreign.share <= SHARE_MAX;
        can_tell.then(|| OwnAndOthers {
            own,
            others: own * foreign.share / (1.0 - foreign.share),
        })
    };
    foreign.per_second.or_else(worked_out)
}

/// What others lost to the better arm.
#[derive(Clone, Copy, Debug)]
struct Shift {
    /// Change of their I/O, on the logarithmic scale.
    change_ln: f64,
    /// Whether chance makes as much.
    is_chance: bool,
}

/// At least half of what the better arm gains, if others lost so much.
fn shift(run: &ExperimentRun, effect: &Effect) -> Option<Shift> {
    if run.plan.may_take_from_others {
        return None;
    }
    let is_of = |pair: &&PairDone| pair.arm == effect.arm && pair.stage == effect.stage;
    let pairs: Vec<&PairDone> = run.foreign.pairs.iter().filter(is_of).collect();
    if pairs.len() < PAIRS_MIN {
        return None;
    }
    // From the slower arm to the faster one.
    let in_order = |of: fn(&OwnAndOthers) -> f64| -> Vec<(f64, f64)> {
        let both = pairs
            .iter()
            .map(|pair| (of(&pair.default), of(&pair.other)));
        match effect.centre_ln > 0.0 {
            true => both.collect(),
            false => both.map(|(default, other)| (other, default)).collect(),
        }
    };
    let (others, own) = (in_order(|done| done.others), in_order(|done| done.own));
    let (change_ln, error_ln) = totals_ratio(&others)?;
    let grown = |amounts: &[(f64, f64)]| amounts.iter().map(|(from, to)| to - from).sum::<f64>();
    let is_taken = change_ln < 0.0 && -grown(&others) >= TAKEN_SHARE * grown(&own);
    let chance_ln = stats::t_quantile(CHANCE, pairs.len() - 1) * error_ln;
    is_taken.then_some(Shift {
        change_ln,
        is_chance: -change_ln <= chance_ln,
    })
}

/// Whether others seem to lose what the better arm gains, and more pairs are needed to tell that from chance.
pub(super) fn is_open(run: &ExperimentRun, effect: &Effect) -> bool {
    shift(run, effect).is_some_and(|shift| shift.is_chance)
}

/// The refusal where the better arm takes from others at least half of what it gains.
pub(super) fn taken(run: &ExperimentRun, effect: &Effect) -> Option<Finding> {
    let shift = shift(run, effect).filter(|shift| !shift.is_chance)?;
    let change = percent_signed(shift.change_ln.exp_m1());
    let detail = format!("their I/O changes by {change}");
    Some(Finding::refused(Reason::ForeignIo, detail).with(*effect))
}
