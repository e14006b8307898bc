//! A response curve: what a load gives at each point of a grid of options, with repeats, intervals and the knee.

use serde::{Deserialize, Serialize};

/// A mean over repeats with its 95 % interval; both are taken on the logarithms, so the interval is never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// Geometric mean of the repeats.
    pub mean: f64,
    /// Lower bound; none with fewer than two repeats.
    pub low: Option<f64>,
    /// Upper bound; none with fewer than two repeats.
    pub high: Option<f64>,
}

impl Spread {
    /// Half the width of the interval as a share of the mean; none without an interval.
    pub fn half_width(&self) -> Option<f64> {
        Some((self.high? / self.low?).sqrt() - 1.0).filter(|share| share.is_finite())
    }
}

/// One option of a job with its value, in fio's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "JobSetting")
)]
pub struct CurveSetting {
    /// fio's name: `iodepth`.
    pub option: String,
    /// Its value as fio writes it: `16`, `4k`, `randread`.
    pub value: String,
}

/// An option that was varied, with its values in the order given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Axis {
    /// fio's name.
    pub option: String,
    /// The values.
    pub values: Vec<String>,
}

/// One visit of one point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Visit {
    /// Its place among all visits of the run, from 0.
    pub place: u32,
    /// Which repeat of the grid it belongs to, from 0.
    pub repeat: u32,
    /// Length of the measured window, ms; the warm-up before it is not counted.
    pub window_ms: f64,
    /// Completed I/Os in it.
    pub ios: u64,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean latency, ns.
    pub mean_ns: f64,
    /// Median latency, ns.
    pub p50_ns: f64,
    /// 99th percentile, ns.
    pub p99_ns: f64,
    /// 99.9th percentile, ns.
    pub p999_ns: f64,
}

/// Little's law at one point: the mean number in flight is the rate times the mean latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Little {
    /// Mean number in flight that rate and latency imply.
    pub reached: f64,
    /// `iodepth` × `numjobs`.
    pub asked: f64,
    /// Whether they agree within 15 %. A load of a fixed rate is not expected to fill its queue: then true.
    pub holds: bool,
}

impl Little {
    /// How far the number in flight may be from the one asked for, as a share.
    pub const TOLERANCE: f64 = 0.15;

    /// Mean number in flight at a rate per second and a mean latency in ns.
    pub fn in_flight(per_s: f64, mean_ns: f64) -> f64 {
        per_s * mean_ns / 1e9
    }

    /// Whether a number in flight is the one that was asked for.
    pub fn agrees(reached: f64, asked: f64) -> bool {
        (reached / asked.max(1.0) - 1.0).abs() <= Little::TOLERANCE
    }
}

/// One point of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Point {
    /// Value of every swept option, in the order of the axes.
    pub settings: Vec<CurveSetting>,
    /// All its visits, in the order they were made.
    pub visits: Vec<Visit>,
    /// I/Os per second.
    pub iops: Spread,
    /// Bytes per second.
    pub bytes_per_s: Spread,
    /// Mean latency, ns.
    pub mean_ns: Spread,
    /// Median latency, ns.
    pub p50_ns: Spread,
    /// 99th percentile, ns.
    pub p99_ns: Spread,
    /// 99.9th percentile, ns.
    pub p999_ns: Spread,
    /// Little's law over all visits.
    pub little: Little,
}

/// Where more load stops buying throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Knee {
    /// Index into the points of the sweep: the point of the highest power, throughput divided by mean latency.
    pub point: usize,
    /// Lowest point of the 95 % interval that the noise of the repeats leaves.
    pub low: usize,
    /// Highest point of the same interval.
    pub high: usize,
    /// What the second method finds: the point farthest below the chord of the curve of latency over throughput
    /// (Kneedle). None where that curve has no bend.
    pub kneedle: Option<usize>,
}

/// The points that differ in the load alone, from the lightest to the heaviest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Curve {
    /// The option that is the load: `iodepth`, `rate_iops` or `numjobs`.
    pub option: String,
    /// The settings that all its points share.
    pub settings: Vec<CurveSetting>,
    /// Indices into the points of the sweep, in the order of the load.
    pub points: Vec<usize>,
    /// The knee, where there is one.
    pub knee: Option<Knee>,
    /// Why there is none, a clause for people.
    pub no_knee: Option<String>,
}

/// A sweep of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sweep {
    /// What was varied.
    pub axes: Vec<Axis>,
    /// Seed of the order of visits.
    pub seed: u64,
    /// How often the grid was asked to be visited.
    pub repeats: u32,
    /// Time at the start of each visit that is not measured, ms.
    pub warmup_ms: u64,
    /// Length of the measured window of each visit, ms.
    pub window_ms: u64,
    /// The whole grid, the last axis varying fastest.
    pub points: Vec<Point>,
    /// Its curves; none when no swept option is a load.
    pub curves: Vec<Curve>,
    /// What a reader has to know: points that fell back, a sweep that was cut short.
    pub notes: Vec<String>,
}
