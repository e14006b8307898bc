//! What an experiment concluded: the outcome, the reason, the interval, and every pair it rests on.
//!
//! All effects are gains against the default arm, ratios minus one in which more is better: 0.05 means five per cent
//! faster, −0.5 half as fast. For a metric that is better when lower, `ExperimentMetric::change` gives its own change.

use crate::metric::ExperimentMetric;
use serde::{Deserialize, Serialize};

/// The four things an experiment can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// One arm is better, and a fresh hold-out confirmed it.
    Better,
    /// No arm differs from the default by more than the region of practical equivalence.
    Equal,
    /// The budget ended, or the hold-out disagreed, before anything was proved.
    Inconclusive,
    /// Something about the device, the host or the load makes any claim unsafe.
    Refused,
}

/// Why the outcome is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The hold-out confirmed that an arm beats the default.
    Confirmed,
    /// The hold-out confirmed that the default beats every other arm.
    DefaultWins,
    /// The difference was proved to lie inside the region of practical equivalence.
    WithinRope,
    /// No other arm beats the default by more than the region of practical equivalence.
    DefaultIsBest,
    /// The budget ended with the interval still open.
    BudgetSpent,
    /// The comparison alone was asked for: `arm` is what was ahead, and the default where nothing was. Nothing is claimed.
    Selected,
    /// The hold-out did not confirm the difference found before.
    NotConfirmed,
    /// The faster arm may have a p99 latency more than a tenth worse; the data cannot exclude it.
    P99NotProven,
    /// The faster arm has a p99 latency more than a tenth worse.
    P99Worse,
    /// The effect is not the same in all thirds of the run.
    PhaseDependent,
    /// The mean and the robust estimate point in opposite directions: rare events decide.
    TailEffect,
    /// The device stepped down to a cap in mid-run, or its rate is pinned at a constant.
    Throttled,
    /// The load saturates the device at half its depth already; throughput cannot show a knob's effect.
    Saturated,
    /// The noise is too large for the budget.
    TooNoisy,
    /// More than two in five pairs were outliers of the calibrated noise.
    OutlierHost,
    /// The effect changes with the time an arm stays in place, and no affordable washout ends that.
    CarryOver,
    /// A switch takes longer to settle than short windows can wait for.
    SlowToSettle,
    /// What one arm gains, other programs on the device lose. Up to version 0.1: others did over 5 % of the I/O.
    ForeignIo,
    /// The knob read back another value than was written.
    ApplyFailed,
    /// A bound of the user's on what the device does was crossed; everything was put back at once.
    BoundCrossed,
    /// The driver could not measure several windows in a row.
    WindowFailed,
    /// Most windows completed no I/O at all.
    NoIo,
}

/// A part of the experiment; every window belongs to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VerdictStage {
    /// Full depth against half depth, under the default.
    Headroom,
    /// Forced switches that show how long a switch disturbs the rate.
    Settle,
    /// The default alone, to learn the scale of the noise.
    Calibrate,
    /// Randomised pairs of the default and one arm.
    Pairs,
    /// Randomised complete blocks of all arms still in the race.
    Race,
    /// Long residences that show whether the effect lasts.
    Audit,
    /// Fresh pairs after the decision; the only source of a winner's estimate.
    Holdout,
    /// Traced windows after the verdict, which show where a difference comes from and prove nothing.
    Explain,
}

impl VerdictStage {
    /// Whether its windows stand side by side with those of other arms, so that drift is no difference.
    pub fn compares(self) -> bool {
        matches!(self, Self::Pairs | Self::Race | Self::Holdout)
    }
}

/// One pair of windows: the default's and an arm's, next to each other in random order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairRow {
    /// The stage the pair belongs to.
    pub stage: VerdictStage,
    /// The arm compared with the default.
    pub arm: String,
    /// Whether the default's window came first; always false in a race, where blocks hold more than two windows.
    pub default_first: bool,
    /// Mean of the default's kept part, in the metric's unit.
    pub rate_default: f64,
    /// Mean of the arm's kept part, in the metric's unit.
    pub rate_arm: f64,
    /// Natural logarithm of the gain: of the two rates' ratio, arm over default; turned round where lower is better.
    pub effect_ln: f64,
}

/// What other programs did on the device while an arm was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignArm {
    /// The arm's name.
    pub arm: String,
    /// Their share of the device's I/O, 0 to 1.
    pub share: f64,
    /// How much they did, ratio minus one against the default; absent where it was not counted, and for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
}

/// One arm against the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmResult {
    /// The arm's name.
    pub arm: String,
    /// Robust estimate, ratio minus one against the default; absent when never compared.
    pub effect: Option<f64>,
    /// Lower end of the interval that holds at every stopping time.
    pub low: Option<f64>,
    /// Upper end of that interval.
    pub high: Option<f64>,
    /// Whether the race dropped the arm because another one beat it.
    pub dropped: bool,
}

/// What a guard found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// The interval excludes a loss beyond the margin.
    Passed,
    /// The interval proves a loss beyond the margin.
    Failed,
    /// The interval holds both.
    Open,
    /// Too few completions, or no histograms at all.
    NotJudged,
}

/// The 99th percentile of latency, arm over default, from merged histograms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct P99 {
    /// Ratio of the two percentiles; above one the arm is slower.
    pub ratio: f64,
    /// Lower end of its 95 % bootstrap interval; absent when not judged.
    pub low: Option<f64>,
    /// Upper end of its 95 % bootstrap interval; absent when not judged.
    pub high: Option<f64>,
    /// Non-inferiority with a margin of ten per cent.
    pub guard: Guard,
}

/// Windows and device time spent in one stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageCost {
    /// The stage.
    pub stage: VerdictStage,
    /// Windows measured.
    pub windows: u64,
    /// Device time in milliseconds, discarded parts included.
    pub device_ms: u64,
}

/// The whole conclusion of an experiment, with everything needed to check it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// What was concluded.
    #[serde(rename = "verdict")]
    pub outcome: Outcome,
    /// The arm to use: the best for `better`, otherwise the default.
    pub arm: String,
    /// Why, as a stable code.
    pub reason: Reason,
    /// Why, as a sentence for people.
    pub sentence: String,
    /// What the arms were judged by. Verdicts recorded before this field judged by [`ExperimentMetric::iops`].
    #[serde(default = "ExperimentMetric::iops")]
    pub metric: ExperimentMetric,
    /// Estimated effect of the compared arm, ratio minus one against the default.
    pub effect: Option<f64>,
    /// Lower end of the effect's interval.
    pub low: Option<f64>,
    /// Upper end of the effect's interval.
    pub high: Option<f64>,
    /// The stage whose pairs gave effect, low and high.
    pub estimated_in: Option<VerdictStage>,
    /// The arm that effect, low and high compare with the default.
    pub compared: Option<String>,
    /// Windows measured in all.
    pub windows: u64,
    /// Device time in milliseconds, discarded parts included.
    pub device_ms: u64,
    /// Seed of the order of all windows.
    pub seed: u64,
    /// Error probability the design was asked to keep.
    pub alpha: f64,
    /// Region of practical equivalence, ratio minus one.
    pub rope: f64,
    /// Length of a paired window in milliseconds, washout included.
    pub window_ms: u64,
    /// Washout dropped at the start of every window, in milliseconds.
    pub washout_ms: u64,
    /// Longest time constant of carry-over that the run excluded, in milliseconds. Slower debt could hide.
    pub horizon_ms: u64,
    /// How long a switch may plausibly go on acting, in milliseconds: the knob's memory. 0 in verdicts recorded before
    /// this field.
    #[serde(default)]
    pub memory_ms: u64,
    /// Raw total ratio minus one of the stage the estimate comes from.
    pub raw_effect: Option<f64>,
    /// Whether raw ratio and robust estimate differ by more than three per cent: the effect lives in the tail.
    pub lives_in_tail: bool,
    /// Smallest effect the budget could have shown; set when the verdict is `too-noisy`.
    pub smallest_detectable: Option<f64>,
    /// Latency guard; absent without histograms.
    pub p99: Option<P99>,
    /// Every other arm against the default.
    pub arms: Vec<ArmResult>,
    /// What other programs did under each arm, the default first; empty when not told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<ForeignArm>,
    /// Device time by stage.
    pub stages: Vec<StageCost>,
    /// Every pair, in the order measured.
    pub pairs: Vec<PairRow>,
    /// What else a reader should know, one sentence each.
    pub notes: Vec<String>,
}

impl Verdict {
    /// Whether anything is claimed.
    pub fn is_decided(&self) -> bool {
        matches!(self.outcome, Outcome::Better | Outcome::Equal)
    }

    /// Whether carry-over was excluded as far as the knob's memory reaches. Otherwise what is claimed holds for
    /// residences as long as the windows, and whether it lasts is not known.
    pub fn is_lasting(&self) -> bool {
        self.horizon_ms >= self.memory_ms
    }

    /// Whether the estimate of this arm against the default is claimed.
    pub fn claims(&self, arm: &str) -> bool {
        self.is_decided() && self.compared.as_deref() == Some(arm) && self.effect.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_kebab_case() {
        assert_eq!(
            serde_json::to_string(&Reason::P99NotProven).unwrap(),
            "\"p99-not-proven\""
        );
        assert_eq!(
            serde_json::to_string(&Outcome::Better).unwrap(),
            "\"better\""
        );
        assert_eq!(
            serde_json::to_string(&VerdictStage::Holdout).unwrap(),
            "\"holdout\""
        );
    }
}
