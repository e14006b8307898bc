//! Documents of `watch --json`: the first line of a stream says what the others mean.

use crate::finding::Finding;
use crate::histogram::Histogram;
use crate::layers::{ArmSpan, LayerSide, Span};
use serde::Serialize;
use std::collections::BTreeMap;

/// The first line: `iodyno.watch/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "WatchHead")
)]
pub struct Head<'a> {
    /// `iodyno.watch/1`.
    pub schema: &'static str,
    /// Host name.
    pub host: String,
    /// Between two readings of the sensors, ms.
    pub interval_ms: u64,
    /// Between two lines, ms.
    pub every_ms: u64,
    /// None for every device that does I/O.
    pub devices: &'a [String],
    /// What the values of the other lines are.
    pub fields: Vec<FieldWords>,
    /// Sensors that have nothing to read here, and why.
    pub absent: BTreeMap<String, String>,
    /// Why no layers are traced; none where they are.
    pub no_layers: Option<String>,
    /// Which devices are not traced because there are too many; empty where all are.
    pub layers_note: &'a str,
}

/// What a field is.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldWords {
    /// Its name without a subject: `disk.await_read_ms`.
    pub id: String,
    /// Its unit.
    pub unit: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// What it is often taken for and is not.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub cannot_tell: &'static str,
}

/// Every other line: `iodyno.sample/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "WatchSample")
)]
pub struct Sample<'a> {
    /// `iodyno.sample/1`.
    pub schema: &'static str,
    /// Wall clock, ms since 1970.
    pub unix_ms: u64,
    /// Since the sensors were started, on the monotonic clock, ms.
    pub at_ms: f64,
    /// Length of the time that the device counters are about, s; other sensors are read a moment before or after them.
    pub seconds: f64,
    /// Readings that came late.
    pub late: u64,
    /// Readings that were lost.
    pub lost: u64,
    /// CPU time that the sensors have cost, ms.
    pub cost_cpu_ms: f64,
    /// By field, then by subject (empty where there is only one).
    pub fields: BTreeMap<&'a str, BTreeMap<&'a str, f64>>,
    /// What the live rules find.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Where the I/Os of this time spent theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<ArmSpan>,
    /// How many of them took how long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<Latencies<'a>>,
}

/// The whole time of the I/Os of a device in one direction, as far as it is traced.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latencies<'a> {
    /// Kernel name of the device.
    pub device: &'a str,
    /// The direction.
    pub side: LayerSide,
    /// The span of the block layer.
    pub span: Span,
    /// How many took how long.
    pub counts: &'a Histogram,
}
