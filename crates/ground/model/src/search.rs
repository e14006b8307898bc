//! A search for the highest load that keeps a latency.

use crate::curve::Spread;
use serde::{Deserialize, Serialize};

/// A number of a latency distribution, and what it may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goal {
    /// Which number.
    pub statistic: Statistic,
    /// The most it may be, ns.
    pub limit_ns: u64,
}

/// A number of a latency distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The percentile, per cent.
    Percentile(f64),
}

impl Statistic {
    /// For people: `mean`, `p99`, `p99.9`.
    pub fn name(self) -> String {
        match self {
            Statistic::Mean => "mean".into(),
            Statistic::Percentile(percent) => format!("p{percent}"),
        }
    }

    /// Its value in a histogram, ns; none when that is empty.
    pub fn of(self, latency: &crate::histogram::Histogram) -> Option<f64> {
        match self {
            Statistic::Mean => latency.mean_ns(),
            Statistic::Percentile(percent) => {
                latency.quantile_ns(percent / 100.0).map(|ns| ns as f64)
            }
        }
    }
}

/// What the search turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lever {
    /// I/Os in flight of each job; the load is closed.
    Iodepth,
    /// Offered I/Os per second of all jobs together; arrivals do not wait for completions.
    Rate,
}

/// What a window was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SearchStep {
    /// Looking for two loads with the limit between them.
    Bracket,
    /// Halving the distance.
    Bisect,
    /// Repeats at the answer and just above it, in random order.
    Confirm,
}

/// One measured window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SearchWindow")
)]
pub struct Trial {
    /// What it was for.
    pub step: SearchStep,
    /// The load: depth of each job, or offered I/Os per second.
    pub level: f64,
    /// Length, ms.
    pub window_ms: f64,
    /// Completed I/Os per second.
    pub iops: f64,
    /// The latency in question, ns; 0 where nothing completed.
    pub latency_ns: f64,
    /// Whether the latency was kept, and the offered rate with it.
    pub kept: bool,
}

/// A load with what its confirming windows gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "LoadLevel")
)]
pub struct Level {
    /// Depth of each job, or offered I/Os per second.
    pub level: f64,
    /// Completed I/Os per second.
    pub iops: Spread,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// The latency in question, ns.
    pub latency_ns: Spread,
}

/// The search and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Search {
    /// What must hold.
    pub goal: Goal,
    /// What was turned.
    pub lever: Lever,
    /// Open loop only: whether the engine really counted from the intended start.
    pub open_loop: bool,
    /// The highest load tried or allowed: depth of each job, or I/Os per second.
    pub ceiling: f64,
    /// The highest load that keeps the goal; none when even the lightest does not.
    pub best: Option<Level>,
    /// The next load above it, which does not; none when the ceiling keeps the goal, or time was up before one missed.
    pub above: Option<Level>,
    /// A lighter load that gives the same rate within 2 %: deeper queues only wait.
    pub enough: Option<f64>,
    /// Every window.
    pub trials: Vec<Trial>,
    /// What the loads noted: fall-backs, doubts.
    pub notes: Vec<String>,
}
