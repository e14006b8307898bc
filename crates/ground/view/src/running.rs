//! A comparison that still runs: what may be said of each value so far.

use model::metric::ExperimentMetric;
use model::units;
use model::verdict::ArmResult;
use serde::Serialize;

/// A value against the one that was set, as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunningArm {
    /// The figures.
    #[serde(flatten)]
    pub figures: ArmResult,
    /// The estimate: `+5.1 %`; none before the first comparison.
    pub change: Option<String>,
    /// The interval so far: `+3.8 % to open`.
    pub interval: Option<String>,
    /// Where that puts the value: `leading`.
    pub standing: &'static str,
    /// All of it: `none +5.1 % (+3.8 % to open), leading`.
    pub words: String,
}

impl RunningArm {
    /// Words for the figures.
    pub fn of(arm: &ArmResult, metric: &ExperimentMetric) -> RunningArm {
        let standing = standing(arm);
        let (change, interval) = interval(arm, metric).unzip();
        let words = match (&change, &interval) {
            (Some(change), Some(interval)) => {
                format!("{} {change} ({interval}), {standing}", arm.arm)
            }
            _ => format!("{} is {standing}", arm.arm),
        };
        RunningArm {
            figures: arm.clone(),
            change,
            interval,
            standing,
            words,
        }
    }
}

/// The estimate and its interval so far: `+5.1 %` and `+3.8 % to open`; none before the first comparison.
pub fn interval(arm: &ArmResult, metric: &ExperimentMetric) -> Option<(String, String)> {
    let (low, high) = metric.change_interval(arm.low?, arm.high?);
    Some((
        units::percent_signed(metric.change(arm.effect?)),
        format!(
            "{} to {}",
            units::percent_or_open(low),
            units::percent_or_open(high)
        ),
    ))
}

fn standing(arm: &ArmResult) -> &'static str {
    match (arm.dropped, arm.low, arm.high) {
        _ if arm.effect.is_none() => "not compared yet",
        (true, ..) => "out of the race",
        (false, Some(low), _) if low > 0.0 => "leading",
        (false, _, Some(high)) if high < 0.0 => "behind",
        _ => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(effect: Option<f64>, low: f64, high: f64) -> ArmResult {
        ArmResult {
            arm: "none".into(),
            effect,
            low: effect.map(|_| low),
            high: effect.map(|_| high),
            dropped: false,
        }
    }

    #[test]
    fn an_interval_says_who_leads_and_which_side_is_open() {
        let words = |arm: ArmResult| RunningArm::of(&arm, &ExperimentMetric::iops()).words;
        assert_eq!(
            words(arm(Some(0.051), 0.038, f64::INFINITY)),
            "none +5.1 % (+3.8 % to open), leading"
        );
        assert_eq!(
            words(arm(Some(0.01), -0.02, 0.03)),
            "none +1.0 % (−2.0 % to +3.0 %), undecided"
        );
        assert_eq!(
            words(arm(Some(-0.2), -1.0, -0.1)),
            "none −20 % (open to −10 %), behind"
        );
        assert_eq!(words(arm(None, 0.0, 0.0)), "none is not compared yet");
        let dropped = ArmResult {
            dropped: true,
            ..arm(Some(-0.2), -0.3, -0.1)
        };
        assert_eq!(
            words(dropped),
            "none −20 % (−30 % to −10 %), out of the race"
        );
    }
}
