//! Raw samples of kernel counters on one clock. Rates are derived later, so an old record gains from new arithmetic.

use kernel::counter::Width;
use serde::{Deserialize, Serialize};

/// How a metric's values are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MetricKind {
    /// Only ever grows (but resets): differences mean something.
    Counter,
    /// A counter that starts again at 0 after 2^32 - 1.
    Counter32,
    /// Stands for itself at the moment of sampling.
    Gauge,
}

impl MetricKind {
    /// How much a counter grew between two readings; none for a gauge, a gap (NaN) or a reset.
    pub fn grown(self, before: f64, after: f64) -> Option<f64> {
        let width = match self {
            MetricKind::Counter => Width::Bits64,
            MetricKind::Counter32 => Width::Bits32,
            MetricKind::Gauge => return None,
        };
        width.grown_between(before, after)
    }
}

/// One named series: `values[i]` was read at the owning block's `time_ns[i]`; none where the read failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleSeries {
    /// Field name with its subject: `disk.vda.read_ios`.
    pub name: String,
    /// Unit: `ios`, `bytes`, `ns`, `ticks`, `events`.
    pub unit: String,
    /// Counter or gauge.
    pub kind: MetricKind,
    /// Raw values.
    pub values: Vec<Option<f64>>,
}

/// Everything one sensor read during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SensorLog {
    /// Sensor id.
    pub sensor: String,
    /// Why there is nothing, when there is nothing.
    pub no_data: Option<String>,
    /// Time of each sample, ns on the run's monotonic clock, 0 at the start of the load.
    pub time_ns: Vec<i64>,
    /// The series read.
    pub series: Vec<SampleSeries>,
    /// CPU time the sensor itself took, ns over the whole run.
    pub cost_cpu_ns: u64,
    /// What a reader of the samples must know: reads that failed, samples that were thinned out.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl SensorLog {
    /// A sensor that has nothing to read on this machine.
    pub fn absent(sensor: &str, reason: impl Into<String>) -> Self {
        SensorLog {
            sensor: sensor.into(),
            no_data: Some(reason.into()),
            time_ns: Vec::new(),
            series: Vec::new(),
            cost_cpu_ns: 0,
            notes: Vec::new(),
        }
    }

    /// The series of this name.
    pub fn series(&self, name: &str) -> Option<&SampleSeries> {
        self.series.iter().find(|series| series.name == name)
    }
}

impl SampleSeries {
    /// How much a counter grew over the whole series; none when it was not read twice, or was reset in between.
    pub fn delta(&self) -> Option<f64> {
        let values: Vec<f64> = self.values.iter().flatten().copied().collect();
        let steps = values
            .windows(2)
            .map(|pair| self.kind.grown(pair[0], pair[1]));
        (values.len() > 1)
            .then(|| steps.sum::<Option<f64>>())
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_needs_two_reads_and_no_reset() {
        let series = |values: &[Option<f64>]| SampleSeries {
            name: "disk.vda.read_ios".into(),
            unit: "ios".into(),
            kind: MetricKind::Counter,
            values: values.to_vec(),
        };
        assert_eq!(series(&[Some(4.0), None, Some(9.0)]).delta(), Some(5.0));
        assert_eq!(series(&[Some(4.0)]).delta(), None);
        assert_eq!(series(&[Some(4.0), Some(1.0)]).delta(), None);
    }

    #[test]
    fn a_32_bit_counter_wraps_and_a_reset_is_no_wrap() {
        let (near_the_end, after_it) = (4_294_967_290.0, 10.0);
        assert_eq!(
            MetricKind::Counter32.grown(near_the_end, after_it),
            Some(16.0)
        );
        assert_eq!(MetricKind::Counter.grown(near_the_end, after_it), None);
        assert_eq!(
            MetricKind::Counter32.grown(5_000_000.0, 10.0),
            None,
            "a device that came anew"
        );
        assert_eq!(MetricKind::Counter32.grown(f64::NAN, 10.0), None);
        assert_eq!(MetricKind::Gauge.grown(1.0, 2.0), None);
    }
}
