//! What another tool had measured, as numbers with known units. What its text does not hold is none, never 0.

use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most of a text, of what comes through a pipe, and of what is sent to a server, that is read, bytes: 256 MiB. Files
/// of one kind that are read as a stream may be longer.
pub const INPUT_MAX_BYTES: u64 = 256 << 20;

/// One result of another tool: a fio job, a `dd`, a table of iostat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Imported {
    /// Id of the importer: `fio_text`.
    pub importer: String,
    /// The tool and its version as printed: `fio-3.33`; without a version where none was printed.
    pub tool: String,
    /// The file it came from, as the user named it.
    pub file: String,
    /// First and last line of it in that file, from 1; none for a binary file.
    pub lines: Option<(u64, u64)>,
    /// Its name in the source: the job's, the table's.
    pub name: String,
    /// When it was measured, ms since 1970, where the source says so.
    pub measured_unix_ms: Option<u64>,
    /// What the source lost or rounded, each a sentence: `rates are rounded to three digits`.
    pub lossy: Vec<String>,
    /// Units that had to be decided and how, each a sentence: `KB/s of fio 2.x is KiB/s`.
    pub units: Vec<String>,
    /// What a load did.
    pub load: Option<LoadFigures>,
    /// Values over time.
    pub series: Vec<ImportedSeries>,
    /// What it says of machine, device and job, in its own words: `kernel`, `device`, `model`, `bs`, `iodepth`.
    pub facts: BTreeMap<String, String>,
}

/// What a load did, as far as the source says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LoadFigures {
    /// How long it ran, ms.
    pub elapsed_ms: Option<f64>,
    /// Reads.
    pub read: Option<SideFigures>,
    /// Writes.
    pub write: Option<SideFigures>,
    /// Trims.
    pub trim: Option<SideFigures>,
    /// fsync and its kin.
    pub sync: Option<SideFigures>,
    /// All directions as one, where the source does not tell them apart.
    pub mixed: Option<SideFigures>,
    /// Work of another kind than single I/Os: transactions and queries of a database.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationFigures>,
    /// CPU time of all jobs together in user mode, per cent of one CPU.
    pub cpu_user_pct: Option<f64>,
    /// CPU time of all jobs together in the kernel, per cent of one CPU.
    pub cpu_system_pct: Option<f64>,
    /// Failed I/Os.
    pub errors: Option<u64>,
    /// What the kernel counted for the devices below.
    pub disks: Vec<DiskFigures>,
}

/// One direction of a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SideFigures {
    /// Completed I/Os.
    pub ios: Option<u64>,
    /// Completed bytes.
    pub bytes: Option<f64>,
    /// I/Os per second.
    pub iops: Option<f64>,
    /// Bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Mean and standard deviation of the samples of IOPS that the source took, and their number.
    pub iops_samples: Option<Samples>,
    /// The same of bytes per second.
    pub bytes_per_s_samples: Option<Samples>,
    /// Latencies by kind: `slat`, `clat`, `lat`, fio's words.
    pub latencies: Vec<LatencyFigures>,
}

/// One kind of operation that is no single I/O.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OperationFigures {
    /// What was done, in the plural: `transactions`.
    pub name: String,
    /// How many.
    pub count: Option<u64>,
    /// How many a second.
    pub per_s: Option<f64>,
    /// How long one took, where the source says.
    pub latency: Option<LatencyFigures>,
}

/// Samples that a source summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Samples {
    /// How many; 0 where it does not say.
    pub count: u64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
}

/// A latency, as far as the source tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LatencyFigures {
    /// `slat`, `clat`, `lat`, or `await` for what the kernel counts.
    pub kind: String,
    /// How many I/Os.
    pub count: Option<u64>,
    /// Least, ns.
    pub min_ns: Option<f64>,
    /// Mean, ns.
    pub mean_ns: Option<f64>,
    /// Standard deviation, ns.
    pub stddev_ns: Option<f64>,
    /// Greatest, ns.
    pub max_ns: Option<f64>,
    /// Percentiles: (per cent, ns), ascending.
    pub percentiles: Vec<(f64, f64)>,
    /// All of them by bucket, where the source holds that.
    pub histogram: Option<Histogram>,
}

/// What the kernel counted for a block device over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DiskFigures {
    /// Kernel name.
    pub name: String,
    /// Completed reads and writes.
    pub read_ios: Option<u64>,
    /// Completed writes.
    pub write_ios: Option<u64>,
    /// Reads merged.
    pub read_merges: Option<u64>,
    /// Writes merged.
    pub write_merges: Option<u64>,
    /// Time during which it had I/O, per cent.
    pub util_pct: Option<f64>,
}

/// A value over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ImportedSeries {
    /// Id of the field it is the same as, where there is one: `disk.await_read_ms`; else the source's own word after the
    /// tool's: `vmstat.b`.
    pub field: String,
    /// Of what: a device, a CPU, an interface; empty for the machine.
    pub subject: String,
    /// Unit: `ms`, `bytes/s`, `per cent`.
    pub unit: String,
    /// Moments, ms after the first one of the source; the end of each interval.
    pub time_ms: Vec<f64>,
    /// Values; none where the source has none.
    pub values: Vec<Option<f64>>,
}

impl LoadFigures {
    /// The directions that the source tells of, with their names.
    pub fn sides(&self) -> impl Iterator<Item = (&'static str, &SideFigures)> {
        let all = [
            ("read", &self.read),
            ("write", &self.write),
            ("trim", &self.trim),
            ("sync", &self.sync),
            ("mixed", &self.mixed),
        ];
        all.into_iter()
            .filter_map(|(name, side)| side.as_ref().map(|side| (name, side)))
    }
}

impl LatencyFigures {
    /// A percentile: as the source told it, else from the counts by bucket.
    pub fn percentile_ns(&self, per_cent: f64) -> Option<f64> {
        let is_it = |(at, _): &&(f64, f64)| (at - per_cent).abs() < 1e-9;
        let told = self.percentiles.iter().find(is_it).map(|(_, ns)| *ns);
        told.or_else(|| self.counted_percentile_ns(per_cent))
    }

    /// A percentile from the counts by bucket. The middle of the last bucket may lie beyond the greatest latency, which is
    /// then the percentile.
    pub fn counted_percentile_ns(&self, per_cent: f64) -> Option<f64> {
        let value = self.histogram.as_ref()?.quantile_ns(per_cent / 100.0)? as f64;
        Some(self.max_ns.map_or(value, |max| value.min(max)))
    }

    /// Several percentiles from the counts by bucket: (per cent, ns).
    pub fn counted_percentiles(&self, per_cents: &[f64]) -> Vec<(f64, f64)> {
        let one = |per_cent: &f64| Some((*per_cent, self.counted_percentile_ns(*per_cent)?));
        per_cents.iter().filter_map(one).collect()
    }
}

impl SideFigures {
    /// The latency of this kind.
    pub fn latency(&self, kind: &str) -> Option<&LatencyFigures> {
        self.latencies.iter().find(|latency| latency.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_percentile_of_counts_is_beyond_the_greatest() {
        let mut histogram = Histogram::new();
        histogram.record(1_000_000);
        histogram.record(7_890_000);
        let latency = LatencyFigures {
            max_ns: Some(7_890_000.0),
            histogram: Some(histogram.clone()),
            ..LatencyFigures::default()
        };
        let last = histogram.quantile_ns(0.999).unwrap() as f64;
        assert!(last > 7_890_000.0, "the bucket's middle is beyond: {last}");
        assert_eq!(latency.percentile_ns(99.9), Some(7_890_000.0));
        assert!(latency.percentile_ns(50.0).unwrap() < 1_020_000.0);
        assert_eq!(latency.counted_percentiles(&[99.0]), [(99.0, 7_890_000.0)]);
        let told = LatencyFigures {
            percentiles: vec![(99.9, 5.0)],
            ..latency
        };
        assert_eq!(told.percentile_ns(99.9), Some(5.0));
        assert_eq!(LatencyFigures::default().percentile_ns(99.0), None);
    }
}
