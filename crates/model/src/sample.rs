//! Raw samples of kernel counters on one clock. Rates are derived later, so an old record gains from new arithmetic.

use serde::{Deserialize, Serialize};

/// How a metric's values are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricKind {
    /// Only ever grows (but wraps or resets): differences mean something.
    Counter,
    /// Stands for itself at the moment of sampling.
    Gauge,
}

/// One named series: `values[i]` was read at the owning block's `time_ns[i]`; none where the read failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
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
pub struct SensorLog {
    /// Sensor id.
    pub sensor: String,
    /// Why there is nothing, when there is nothing.
    pub no_data: Option<String>,
    /// Time of each sample, ns on the run's monotonic clock, 0 at the start of the load.
    pub time_ns: Vec<i64>,
    /// The series read.
    pub series: Vec<Series>,
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
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.name == name)
    }
}

impl Series {
    /// Last minus first of a counter; none when it was not read twice, or when it fell (a wrap or a reset).
    pub fn delta(&self) -> Option<f64> {
        let mut values = self.values.iter().flatten();
        let first = values.next()?;
        let last = values.next_back()?;
        (last >= first).then(|| last - first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_needs_two_reads_and_no_reset() {
        let series = |values: &[Option<f64>]| Series {
            name: "disk.vda.read_ios".into(),
            unit: "ios".into(),
            kind: MetricKind::Counter,
            values: values.to_vec(),
        };
        assert_eq!(series(&[Some(4.0), None, Some(9.0)]).delta(), Some(5.0));
        assert_eq!(series(&[Some(4.0)]).delta(), None);
        assert_eq!(series(&[Some(4.0), Some(1.0)]).delta(), None);
    }
}
