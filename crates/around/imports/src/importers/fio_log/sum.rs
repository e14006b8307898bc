//! What the lines of a log add up to.

use super::FioLogKind;
use super::bins::{Bin, Bins, SPAN_MAX_MS};
use super::parse::{FioLogEntry, Layout};
use model::histogram::{BUCKETS, Histogram, bucket_of};
use model::imported::{
    Imported, ImportedSeries, LatencyFigures, LoadFigures, Samples, SideFigures,
};
use std::collections::BTreeMap;

/// Percentiles that fio prints by default.
pub const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// Names of directions in their order.
pub const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// Times later than this are of a clock, not of a job's start: 2001, ms.
const EPOCH_MS: u64 = 1_000_000_000_000;

/// One direction.
#[derive(Clone, Debug)]
struct FioLogSide {
    count: u64,
    bytes: u64,
    /// What the deviations are of: the first value.
    origin: f64,
    sum: f64,
    sum_of_squares: f64,
    min: u64,
    max: u64,
    buckets: Vec<u64>,
}

impl Default for FioLogSide {
    fn default() -> Self {
        FioLogSide {
            count: 0,
            bytes: 0,
            origin: 0.0,
            sum: 0.0,
            sum_of_squares: 0.0,
            min: u64::MAX,
            max: 0,
            buckets: vec![0; BUCKETS],
        }
    }
}

/// All of a log.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    sides: [FioLogSide; 3],
    bins: Bins,
    first_ms: Option<u64>,
    last_ms: u64,
    /// Lines with a block size are single I/Os.
    with_block: u64,
    /// Lines whose time cannot be.
    astray: u64,
}

impl Sums {
    /// Counts a line.
    #[inline]
    pub fn add(&mut self, entry: &FioLogEntry) {
        let first = match self.first_ms {
            Some(first) => first,
            None => *self.first_ms.insert(if entry.time_ms < EPOCH_MS {
                0
            } else {
                entry.time_ms
            }),
        };
        // Logs of several threads in one file go back in time.
        let time_ms = entry.time_ms.saturating_sub(first);
        if time_ms > SPAN_MAX_MS {
            self.astray += 1;
            return;
        }
        self.last_ms = self.last_ms.max(time_ms);
        self.with_block += u64::from(entry.block > 0);
        let side = &mut self.sides[entry.direction];
        if side.count == 0 {
            side.origin = entry.value as f64;
        }
        let distance = entry.value as f64 - side.origin;
        side.count += 1;
        side.bytes = side.bytes.wrapping_add(entry.block);
        side.sum += distance;
        side.sum_of_squares += distance * distance;
        side.min = side.min.min(entry.value);
        side.max = side.max.max(entry.value);
        side.buckets[bucket_of(entry.value)] += 1;
        self.bins
            .add(entry.direction, time_ms, entry.value, entry.block);
    }

    /// Whether there was no line.
    pub fn is_empty(&self) -> bool {
        self.sides.iter().all(|side| side.count == 0)
    }

    /// The result.
    pub fn imported(&self, kind: FioLogKind, layout: Layout, name: &str) -> Imported {
        let is_single = self.with_block > 0;
        let elapsed_ms = self.last_ms as f64;
        let mut load = LoadFigures {
            elapsed_ms: Some(elapsed_ms),
            ..LoadFigures::default()
        };
        let mut series = Vec::new();
        for (direction, (side, word)) in self.sides.iter().zip(DIRECTIONS).enumerate() {
            if side.count == 0 {
                continue;
            }
            let figures = side.figures(kind, is_single, elapsed_ms / 1e3);
            series.extend(self.series(direction, kind, is_single));
            *crate::importers::fio_text::job::side_of(&mut load, word) = Some(figures);
        }
        let facts = BTreeMap::from([
            ("log".to_string(), kind.word().to_string()),
            ("columns".to_string(), layout.columns.to_string()),
            (
                "entries".to_string(),
                self.sides
                    .iter()
                    .map(|side| side.count)
                    .sum::<u64>()
                    .to_string(),
            ),
        ]);
        Imported {
            tool: "fio".into(),
            name: name.rsplit('/').next().unwrap_or(name).into(),
            measured_unix_ms: self.first_ms.filter(|first| *first >= EPOCH_MS),
            lossy: self.lossy(kind, is_single),
            units: units(kind, layout),
            load: Some(load),
            series,
            facts,
            ..Imported::default()
        }
    }

    fn lossy(&self, kind: FioLogKind, is_single: bool) -> Vec<String> {
        let mut lossy = Vec::new();
        match (kind, is_single) {
            (FioLogKind::Slat | FioLogKind::Clat | FioLogKind::Lat, false) => {
                lossy.push("an averaged log: counts and percentiles cannot be had from it");
            }
            (FioLogKind::Bandwidth, true) => {
                lossy.push("each line is one I/O's size by its own latency: rates are from sizes and times instead");
            }
            (FioLogKind::Iops, true) => lossy.push("each line is one I/O: rates are counted from the lines"),
            (FioLogKind::Unknown, _) => lossy.push(
                "whether values are latencies, KiB/s or IOPS only the file's name says: it should end in _lat.1.log, \
                 _clat.1.log, _slat.1.log, _bw.1.log or _iops.1.log",
            ),
            _ => {}
        }
        let mut lossy: Vec<String> = lossy.into_iter().map(String::from).collect();
        if self.astray > 0 {
            lossy.push(format!(
                "{} lines whose time is years after the first are left out",
                self.astray
            ));
        }
        lossy
    }

    /// Rates by bin for single I/Os, means of what was averaged otherwise.
    fn series(&self, direction: usize, kind: FioLogKind, is_single: bool) -> Vec<ImportedSeries> {
        let bins = &self.bins.all[direction];
        let width_ms = self.bins.width_ms as f64;
        // The last bin is as long as the log goes on in it.
        let length_s = |index: usize| {
            let left = self.last_ms as f64 - index as f64 * width_ms;
            (if left > 0.0 {
                left.min(width_ms)
            } else {
                width_ms
            }) / 1e3
        };
        let time_ms: Vec<f64> = (0..bins.len())
            .map(|index| ((index + 1) as f64 * width_ms).min(self.last_ms.max(1) as f64))
            .collect();
        let of =
            |field: &str, unit: &str, value: &dyn Fn(usize, &Bin) -> Option<f64>| ImportedSeries {
                field: format!("fio.{field}"),
                subject: DIRECTIONS[direction].into(),
                unit: unit.into(),
                time_ms: time_ms.clone(),
                values: bins
                    .iter()
                    .enumerate()
                    .map(|(index, bin)| value(index, bin))
                    .collect(),
            };
        let mean = |bin: &Bin| (bin.count > 0).then(|| bin.sum / bin.count as f64);
        let mut all = Vec::new();
        if is_single {
            all.push(of("iops", "1/s", &|index, bin| {
                Some(bin.count as f64 / length_s(index))
            }));
            all.push(of("bytes_per_s", "bytes/s", &|index, bin| {
                Some(bin.bytes as f64 / length_s(index))
            }));
        }
        match kind {
            FioLogKind::Slat | FioLogKind::Clat | FioLogKind::Lat => {
                let word = kind.word();
                all.push(of(&format!("{word}_mean_ms"), "ms", &|_, bin| {
                    mean(bin).map(|ns| ns / 1e6)
                }));
                if is_single {
                    let max = |_, bin: &Bin| (bin.count > 0).then_some(bin.max as f64 / 1e6);
                    all.push(of(&format!("{word}_max_ms"), "ms", &max));
                }
            }
            FioLogKind::Bandwidth if !is_single => {
                all.push(of("bytes_per_s", "bytes/s", &|_, bin| {
                    mean(bin).map(|kib| kib * 1024.0)
                }));
            }
            FioLogKind::Iops if !is_single => all.push(of("iops", "1/s", &|_, bin| mean(bin))),
            FioLogKind::Unknown => all.push(of("value_mean", "unknown", &|_, bin| mean(bin))),
            _ => {}
        }
        all
    }
}

fn units(kind: FioLogKind, layout: Layout) -> Vec<String> {
    let mut units = Vec::new();
    match kind {
        FioLogKind::Slat | FioLogKind::Clat | FioLogKind::Lat if layout.columns == 4 => units.push(
            "four columns are of fio before 3.18: latencies are taken as ns, which they are since 2.99; before they were µs",
        ),
        FioLogKind::Slat | FioLogKind::Clat | FioLogKind::Lat => units.push("latencies are ns, as since fio 2.99"),
        FioLogKind::Bandwidth => units.push("values of a bandwidth log are KiB/s"),
        _ => {}
    }
    units.into_iter().map(String::from).collect()
}

impl FioLogSide {
    fn mean(&self) -> f64 {
        self.origin + self.sum / self.count.max(1) as f64
    }

    /// Of the sample, as fio computes it.
    fn stddev(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let count = self.count as f64;
        ((self.sum_of_squares - self.sum * self.sum / count) / (count - 1.0))
            .max(0.0)
            .sqrt()
    }

    fn samples(&self, factor: f64) -> Samples {
        Samples {
            count: self.count,
            min: self.min as f64 * factor,
            max: self.max as f64 * factor,
            mean: self.mean() * factor,
            stddev: self.stddev() * factor,
        }
    }

    fn figures(&self, kind: FioLogKind, is_single: bool, seconds: f64) -> SideFigures {
        let mut side = SideFigures::default();
        if is_single {
            let rate = |amount: f64| (seconds > 0.0).then(|| amount / seconds);
            side.ios = Some(self.count);
            side.bytes = Some(self.bytes as f64);
            side.iops = rate(self.count as f64);
            side.bytes_per_s = rate(self.bytes as f64);
        }
        match kind {
            FioLogKind::Slat | FioLogKind::Clat | FioLogKind::Lat => {
                side.latencies = vec![self.latency(kind, is_single)]
            }
            FioLogKind::Bandwidth if !is_single => {
                side.bytes_per_s = Some(self.mean() * 1024.0);
                side.bytes_per_s_samples = Some(self.samples(1024.0));
            }
            FioLogKind::Iops if !is_single => {
                side.iops = Some(self.mean());
                side.iops_samples = Some(self.samples(1.0));
            }
            _ => {}
        }
        side
    }

    /// Extremes and deviation of averages are not those of I/Os.
    fn latency(&self, kind: FioLogKind, is_single: bool) -> LatencyFigures {
        let mut latency = LatencyFigures {
            kind: kind.word().into(),
            mean_ns: Some(self.mean()),
            ..LatencyFigures::default()
        };
        if is_single {
            let histogram = Histogram::from_counts(self.buckets.iter().copied());
            latency.count = Some(self.count);
            latency.min_ns = Some(self.min as f64);
            latency.max_ns = Some(self.max as f64);
            latency.stddev_ns = Some(self.stddev());
            latency.histogram = Some(histogram);
            latency.percentiles = latency.counted_percentiles(&PERCENTILES);
        }
        latency
    }
}
