//! One knob's experiment as a person is shown it: how it ended, the sentence, what that rests on, and the values.

mod words;

use crate::effect::Effect;
use crate::tradeoffs::TradeOffs;
use model::record::Trial;
use model::units;
use model::verdict::{ForeignArm, Outcome, Reason, Verdict, VerdictStage};
use serde::Serialize;
pub use words::{sentence, set_sentence, tune_sentence};

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Another value is proved to be better than the one that was set.
    Won,
    /// The value that was set is proved to be the best.
    Best,
    /// All values are equal within the margin.
    Equal,
    /// A value is ahead of the one that was set, and goes into the set that is proved.
    Ahead,
    /// No value is ahead of the one that was set.
    NoneAhead,
    /// Nothing is claimed; so ends a control without writes (`--aa`) that finds a difference, too.
    Undecided,
    /// The knob was not tried.
    Untried,
}

/// A value that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueRow {
    /// The value with its letter: `A mq-deadline`; A is what was set.
    pub value: String,
    /// Against the one that was set: `+5.1 %`.
    pub change: String,
    /// `+3.8 % to +6.3 %`.
    pub interval: String,
    /// Whether the figures are claimed, and if not, why.
    pub remark: &'static str,
    /// Whether they are claimed.
    pub is_claimed: bool,
}

/// What a claim rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// `152 fresh pairs after the choice was made`.
    pub pairs: String,
    /// Seed of the order of all windows.
    pub seed: u64,
    /// Error probability that the design keeps.
    pub alpha: f64,
    /// `2 min 24 s of device time`.
    pub cost: String,
}

/// A trial, ready to be printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialView {
    /// Knob id.
    pub knob: String,
    /// Kernel name of the device.
    pub device: String,
    /// How it ended.
    pub standing: Standing,
    /// The same in a few words: `none is better`, `equal`, `not tried: direct I/O`.
    pub ending: String,
    /// The whole sentence, with its full stop.
    pub sentence: String,
    /// The estimate that is claimed: `+5.1 % (+3.8 % to +6.3 %)`.
    pub claim: Option<String>,
    /// What the claim rests on; none where nothing is claimed.
    pub proof: Option<Proof>,
    /// How far the experiment could see an effect that fades.
    pub horizon: Option<String>,
    /// What other programs did on the device meanwhile, where it was enough to be told.
    pub others: Option<String>,
    /// The values, the one that was set first.
    pub values: Vec<ValueRow>,
    /// The values by other goals than the one they were judged by, where one wins and another loses.
    pub trade_offs: Option<TradeOffs>,
}

impl TrialView {
    /// Everything that is shown of a trial.
    pub fn of(trial: &Trial) -> TrialView {
        let standing = standing(trial);
        let verdict = trial.verdict.as_ref();
        TrialView {
            knob: trial.knob.clone(),
            device: trial.device.clone(),
            standing,
            ending: ending(trial, standing),
            sentence: words::whole(trial),
            claim: verdict
                .filter(|verdict| verdict.is_decided())
                .and_then(Effect::of)
                .map(|effect| effect.words()),
            proof: verdict.and_then(proof),
            horizon: verdict.map(horizon),
            others: verdict.and_then(|verdict| others(&verdict.foreign)),
            values: verdict.map_or_else(Vec::new, |verdict| values(trial, verdict)),
            trade_offs: verdict.and_then(|_| TradeOffs::of(trial)),
        }
    }
}

/// A share of others from which a verdict tells of them.
const OTHERS_TOLD: f64 = 0.05;

/// The letter of a value: A is what was set.
pub fn letter(index: usize) -> char {
    char::from(b'A' + index.min(25) as u8)
}

fn standing(trial: &Trial) -> Standing {
    match &trial.verdict {
        _ if trial.skipped.is_some() => Standing::Untried,
        None => Standing::Undecided,
        Some(verdict) if verdict.reason == Reason::Selected => match trial.selection() {
            Some(_) => Standing::Ahead,
            None => Standing::NoneAhead,
        },
        Some(verdict) => match verdict.outcome {
            Outcome::Better if trial.win().is_some() => Standing::Won,
            Outcome::Better if trial.aa => Standing::Undecided,
            Outcome::Better => Standing::Best,
            Outcome::Equal => Standing::Equal,
            Outcome::Inconclusive | Outcome::Refused => Standing::Undecided,
        },
    }
}

fn ending(trial: &Trial, standing: Standing) -> String {
    let arm = trial.verdict.as_ref().map_or("", |verdict| &verdict.arm);
    match standing {
        Standing::Won => format!("{arm} is better"),
        Standing::Best => "what is set is best".into(),
        Standing::Equal => "equal".into(),
        Standing::Ahead => format!("{arm} is ahead"),
        Standing::NoneAhead => "none is ahead".into(),
        Standing::Undecided if trial.aa => "none, nothing was switched (--aa)".into(),
        Standing::Undecided => "none".into(),
        Standing::Untried => format!("not tried: {}", trial.skipped.as_deref().unwrap_or("?")),
    }
}

/// What a verdict rests on, where it has an estimate and proves anything by it.
pub fn proof(verdict: &Verdict) -> Option<Proof> {
    let stage = verdict.estimated_in?;
    if verdict.reason == Reason::Selected {
        return None;
    }
    let pairs = verdict.pairs.iter().filter(|pair| pair.stage == stage);
    let kind = if stage == VerdictStage::Holdout {
        "fresh pairs after the choice was made"
    } else {
        "pairs"
    };
    Some(Proof {
        pairs: format!("{} {kind}", pairs.count()),
        seed: verdict.seed,
        alpha: verdict.alpha,
        cost: format!("{} of device time", units::span_ms(verdict.device_ms)),
    })
}

/// How far the audit could see, against the knob's memory. In verdicts recorded before knobs had one, it saw nothing but
/// noise under a second.
fn horizon(verdict: &Verdict) -> String {
    let (horizon_ms, memory_ms) = (verdict.horizon_ms, verdict.memory_ms);
    match verdict.is_lasting() && horizon_ms >= memory_ms.max(1_000) {
        true => format!("no fading seen up to {}", units::span_ms(horizon_ms)),
        false if memory_ms > 0 => format!(
            "not known whether the effect lasts longer than {} (too noisy)",
            units::span_ms(memory_ms)
        ),
        false => "not known whether the effect lasts (too noisy)".to_string(),
    }
}

/// That a claim is one about short windows.
fn open(verdict: &Verdict) -> String {
    format!(
        "in windows of {}, whether it lasts is not known",
        units::span_ms(verdict.window_ms)
    )
}

/// Others' share under each arm, and what a value gives or takes them:
/// `others did 76 % of the device's I/O under none, 70 % under bfq; theirs changed by −26 %`.
fn others(foreign: &[ForeignArm]) -> Option<String> {
    let shares = || foreign.iter().map(|arm| arm.share);
    let (least, most) = (shares().reduce(f64::min)?, shares().reduce(f64::max)?);
    if most < OTHERS_TOLD {
        return None;
    }
    let share = |arm: &ForeignArm| format!("{} under {}", units::share(arm.share), arm.arm);
    Some(match foreign {
        [default, other] => format!(
            "others did {} of the device's I/O under {}, {}{}",
            units::share(default.share),
            default.arm,
            share(other),
            changes(&foreign[1..], false)
        ),
        _ => format!(
            "others did {} to {} of the device's I/O, by value{}",
            units::share(least),
            units::share(most),
            changes(foreign, true)
        ),
    })
}

/// How what others did changed with each value, where any of it is worth a word.
fn changes(foreign: &[ForeignArm], named: bool) -> String {
    let counted = || foreign.iter().filter_map(|arm| Some((arm, arm.change?)));
    if counted().all(|(_, change)| change.abs() < OTHERS_TOLD) {
        return String::new();
    }
    let word = |(arm, change): (&ForeignArm, f64)| match named {
        true => format!("{} under {}", units::percent_signed(change), arm.arm),
        false => units::percent_signed(change),
    };
    let words: Vec<String> = counted().map(word).collect();
    format!("; theirs changed by {}", words.join(", "))
}

fn values(trial: &Trial, verdict: &Verdict) -> Vec<ValueRow> {
    let set = |(index, arm): (usize, &String)| match index {
        0 => ValueRow {
            value: format!("{} {arm}", letter(0)),
            change: "–".into(),
            interval: "–".into(),
            remark: "set now",
            is_claimed: false,
        },
        _ => value(index, arm, verdict),
    };
    trial.arms.iter().enumerate().map(set).collect()
}

/// A value against the one that was set: the claimed estimate where there is one, else that of the race.
fn value(index: usize, arm: &str, verdict: &Verdict) -> ValueRow {
    let is_claimed = verdict.claims(arm);
    let raced = verdict.arms.iter().find(|one| one.arm == *arm);
    let (estimate, low, high) = match raced {
        _ if is_claimed => (verdict.effect, verdict.low, verdict.high),
        Some(one) => (one.effect, one.low, one.high),
        None => (None, None, None),
    };
    let interval = Effect::new(&verdict.metric, (estimate.or(Some(0.0)), low, high));
    ValueRow {
        value: format!("{} {arm}", letter(index)),
        change: estimate.map_or("never compared".into(), |gain| {
            units::percent_signed(verdict.metric.change(gain))
        }),
        interval: interval.map_or("–".into(), |effect| effect.interval()),
        remark: match (is_claimed, raced.is_some_and(|one| one.dropped)) {
            (true, _) => "the estimate that is claimed",
            (_, true) => "dropped: another arm beat it",
            _ => "not claimed",
        },
        is_claimed,
    }
}

#[cfg(test)]
mod tests;
