//! What an experiment judges by: a value with a name, a unit and a direction.
//!
//! An experiment computes with gains: ratios minus one in which more is better, whatever the metric. What a person reads
//! is the metric's own change: a gain of 25 % in latency is a latency that is 20 % lower.

use serde::{Deserialize, Serialize};

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "MetricDirection")
)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better: a rate.
    #[default]
    Higher,
    /// Less is better: a latency.
    Lower,
}

/// The metric of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentMetric {
    /// What is counted or timed, as it stands behind a change: `IOPS` in `+59 % IOPS`, `mean latency`.
    pub name: String,
    /// Unit of its values: [`PER_S`], [`BYTES_PER_S`] and [`NS`] are written with their prefixes, any other one as it
    /// is. Empty for a plain number.
    pub unit: String,
    /// Which way it is better.
    #[serde(default)]
    pub better: Better,
    /// The finest time over which one value stands, ms: a driver tells one value for each.
    #[serde(default = "finest_ms")]
    pub grain_ms: u64,
    /// Whether a value is that of one whole run of something that ends by itself, such as a program: a window is then a
    /// run, however long it takes, and the grain is about how long it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_runs: bool,
}

/// Unit of events per second.
pub const PER_S: &str = "/s";
/// Unit of bytes per second.
pub const BYTES_PER_S: &str = "bytes/s";
/// Unit of times, as everywhere in records.
pub const NS: &str = "ns";

/// The finest grain there is, ms.
pub const GRAIN_MIN_MS: u64 = 10;

fn finest_ms() -> u64 {
    GRAIN_MIN_MS
}

impl ExperimentMetric {
    /// A rate in which more is better, told as finely as can be.
    pub fn rate(name: &str, unit: &str) -> ExperimentMetric {
        ExperimentMetric {
            name: name.into(),
            unit: unit.into(),
            better: Better::Higher,
            grain_ms: GRAIN_MIN_MS,
            is_of_runs: false,
        }
    }

    /// A time of which less is better, told every so many ms.
    pub fn time(name: &str, grain_ms: u64) -> ExperimentMetric {
        ExperimentMetric {
            better: Better::Lower,
            grain_ms,
            ..ExperimentMetric::rate(name, NS)
        }
    }

    /// The same of whole runs, each of about so long, ms.
    pub fn of_runs(self, run_ms: u64) -> ExperimentMetric {
        ExperimentMetric {
            grain_ms: run_ms.max(1).div_ceil(GRAIN_MIN_MS) * GRAIN_MIN_MS,
            is_of_runs: true,
            ..self
        }
    }

    /// Completed I/Os per second of the own load: the metric of every verdict that was recorded before verdicts named
    /// theirs.
    pub fn iops() -> ExperimentMetric {
        ExperimentMetric::rate("IOPS", PER_S)
    }

    /// Rounds a time up to whole grains.
    pub fn whole_grains_ms(&self, duration_ms: u64) -> u64 {
        let grain_ms = self.grain_ms.max(GRAIN_MIN_MS);
        duration_ms.div_ceil(grain_ms) * grain_ms
    }

    /// How far the metric itself is from the default, ratio minus one, when an arm gains so much.
    pub fn change(&self, gain: f64) -> f64 {
        match self.better {
            Better::Higher => gain,
            Better::Lower => 1.0 / (1.0 + gain) - 1.0,
        }
    }

    /// The same for an interval, its lower end first.
    pub fn change_interval(&self, low: f64, high: f64) -> (f64, f64) {
        match self.better {
            Better::Higher => (low, high),
            Better::Lower => (self.change(high), self.change(low)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_in_latency_is_a_latency_that_falls() {
        let latency = ExperimentMetric {
            better: Better::Lower,
            ..ExperimentMetric::rate("mean latency", NS)
        };
        assert!((latency.change(0.25) + 0.2).abs() < 1e-12);
        let (low, high) = latency.change_interval(-0.5, 0.25);
        assert!((low + 0.2).abs() < 1e-12 && (high - 1.0).abs() < 1e-12);
        let (low, high) = latency.change_interval(-1.0, f64::INFINITY);
        assert_eq!((low, high), (-1.0, f64::INFINITY), "open on both sides");
        assert_eq!(ExperimentMetric::iops().change(0.25), 0.25);
    }

    #[test]
    fn a_metric_without_direction_is_a_rate() {
        let metric: ExperimentMetric =
            serde_json::from_str(r#"{"name":"tps","unit":"/s"}"#).unwrap();
        assert_eq!(metric, ExperimentMetric::rate("tps", PER_S));
    }
}
