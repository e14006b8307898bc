//! An estimated effect with its interval, in words.

use model::metric::ExperimentMetric;
use model::units;
use model::verdict::{Guard, P99, Verdict};
use serde::Serialize;

/// How far the metric is from that of the value that was set, and the interval around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// Ratio minus one.
    pub estimate: f64,
    /// Lower end of the interval, ratio minus one.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Effect {
    /// The effect that a verdict estimates; none where it has no estimate or no interval.
    pub fn of(verdict: &Verdict) -> Option<Effect> {
        Effect::new(&verdict.metric, (verdict.effect, verdict.low, verdict.high))
    }

    /// What a gain (estimate, lower and upper end) does to a metric; none where one of the three is not known.
    pub fn new(
        metric: &ExperimentMetric,
        (gain, low, high): (Option<f64>, Option<f64>, Option<f64>),
    ) -> Option<Effect> {
        let (low, high) = metric.change_interval(low?, high?);
        Some(Effect {
            estimate: metric.change(gain?),
            low,
            high,
        })
    }

    /// `+59 %`.
    pub fn change(&self) -> String {
        units::percent_signed(self.estimate)
    }

    /// `+57 % to +61 %`.
    pub fn interval(&self) -> String {
        format!(
            "{} to {}",
            units::percent_signed(self.low),
            units::percent_signed(self.high)
        )
    }

    /// `+59 % (+57 % to +61 %)`.
    pub fn words(&self) -> String {
        format!("{} ({})", self.change(), self.interval())
    }

    /// `+59 % IOPS (57 to 61)`: the metric behind the change, the bounds without sign and unit.
    pub fn claim(&self, metric: &str) -> String {
        format!(
            "{} {metric} ({} to {})",
            self.change(),
            units::percent_bare(self.low),
            units::percent_bare(self.high)
        )
    }
}

/// The guard of the tail, where it was judged.
fn judged(p99: Option<&P99>) -> Option<&P99> {
    p99.filter(|p99| p99.guard != Guard::NotJudged)
}

/// The change of the 99th percentile: `p99 −38 %`; none where it was not judged.
pub fn p99_change(p99: Option<&P99>) -> Option<String> {
    judged(p99).map(|p99| format!("p99 {}", units::percent_signed(p99.ratio - 1.0)))
}

/// The ratio of the 99th percentiles with its interval: `p99 × 0.62 (0.60 to 0.65)`; none where it was not judged.
pub fn p99_ratio(p99: Option<&P99>) -> Option<String> {
    let p99 = judged(p99)?;
    let interval = match (p99.low, p99.high) {
        (Some(low), Some(high)) => format!(
            " ({} to {})",
            units::decimals(low, 2),
            units::decimals(high, 2)
        ),
        _ => String::new(),
    };
    Some(format!("p99 × {}{interval}", units::decimals(p99.ratio, 2)))
}
