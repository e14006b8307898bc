//! Whether a load had settled: preconditioning, rounds, the rule, the write cliff.

use crate::job::{SteadyMetric, SteadyRule};
use serde::{Deserialize, Serialize};

/// How the target was worn in before the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Precondition {
    /// In words: `written twice in sequential blocks of 128 KiB`.
    pub how: String,
    /// Whether that was a whole device; a file or a part wears in its own range only.
    pub whole_device: bool,
    /// Bytes of the range.
    pub range_bytes: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Time it took, ms.
    pub elapsed_ms: u64,
    /// Whether all of it was written; false when it was cut short.
    pub complete: bool,
    /// Bytes per second of the first pass and the second.
    pub passes_bytes_per_s: Vec<f64>,
}

/// The rule by which a load counts as settled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// SNIA's: over the last 5 rounds the values lie within 20 % of their mean, and the fitted line rises or falls by
    /// no more than 10 % of it.
    Snia {
        /// What is looked at.
        metric: SteadyMetric,
        /// Length of a round, ms.
        round_ms: u64,
    },
    /// fio's `steadystate`.
    Fio(SteadyRule),
}

/// What the criterion saw in its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SteadyVerdict")
)]
pub struct Verdict {
    /// Mean of the window, in the metric's unit: I/Os per second, bytes per second or ns.
    pub mean: f64,
    /// Largest minus smallest value, as a share of the mean.
    pub range: f64,
    /// Rise of the fitted line over the window, as a share of the mean; negative when it falls.
    pub slope: f64,
    /// Largest distance of a value from the mean, as a share of it.
    pub deviation: f64,
    /// Whether the rule holds.
    pub holds: bool,
}

/// A sudden and lasting loss of speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cliff {
    /// When, ms after the start of the load.
    pub at_ms: u64,
    /// Bytes moved until then.
    pub bytes: u64,
    /// The metric before it.
    pub burst: f64,
    /// The metric from it to the next cliff or the end.
    pub after: f64,
}

/// What the rounds of a load showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// The rule.
    pub criterion: Criterion,
    /// Whether it was met before the time was up.
    pub attained: bool,
    /// When it was met, ms after the start of the load.
    pub attained_ms: Option<u64>,
    /// The longest the load was allowed to take, ms; 0 is no limit.
    pub limit_ms: u64,
    /// The last window; none when the load ended before there was one.
    pub window: Option<Verdict>,
    /// The metric in each round (fio's rule: in each second).
    pub rounds: Vec<f64>,
    /// The metric in each sample, finer than rounds.
    pub samples: Vec<f64>,
    /// Length of a sample, ms.
    pub sample_ms: u64,
    /// The metric at the beginning: before the first cliff, or in the first round.
    pub burst: f64,
    /// The metric in the last window; a promise for later only when `attained`.
    pub sustained: f64,
    /// The first cliff, where there was one.
    pub cliff: Option<Cliff>,
}

impl Steadiness {
    /// What is looked at.
    pub fn metric(&self) -> SteadyMetric {
        match self.criterion {
            Criterion::Snia { metric, .. } => metric,
            Criterion::Fio(rule) => rule.metric,
        }
    }
}
