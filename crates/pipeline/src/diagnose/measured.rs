//! Arithmetic on results and counters that several rules share.

use super::facts::{Facts, is_block_io};
pub use crate::analyse::plateau::variation;
use model::record::{Interval, LoadResult, SectionResult};
use model::sample::{SensorLog, Series};

const SECTOR_BYTES: f64 = 512.0;

/// Share of a window that samples must cover for its counters to be used.
const COVERED: f64 = 0.9;

/// The sections that ran together, and what they moved.
pub struct Stage<'a> {
    /// They themselves.
    pub sections: Vec<&'a SectionResult>,
    /// Start of what was measured, ms on the run's clock.
    pub start_ms: f64,
    /// Its end.
    pub end_ms: f64,
    /// Bytes that the load read.
    pub read_bytes: f64,
    /// Bytes that the load wrote.
    pub write_bytes: f64,
}

impl Stage<'_> {
    /// The name of the first section, for findings.
    pub fn name(&self) -> &str {
        self.sections.first().map_or("", |section| section.name.as_str())
    }

    /// Whether every section bypasses the page cache.
    pub fn is_direct(&self) -> bool {
        self.sections.iter().all(|section| section.job.direct)
    }
}

/// Bytes that a device moved meanwhile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceBytes {
    /// Read.
    pub read: f64,
    /// Written.
    pub written: f64,
}

/// The results of sections that do block I/O.
pub fn block_results<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a SectionResult> {
    facts.load.iter().filter(|section| is_block_io(&section.job) && section.load.elapsed_ms > 0.0)
}

/// The results by stage, in order.
pub fn stages<'a>(facts: &Facts<'a>) -> Vec<Stage<'a>> {
    let mut numbers: Vec<u32> = facts.load.iter().map(|section| section.stage).collect();
    numbers.dedup();
    let of = |number: u32| block_results(facts).filter(move |section| section.stage == number).collect();
    numbers.into_iter().filter_map(|number| stage(of(number))).collect()
}

fn stage(sections: Vec<&SectionResult>) -> Option<Stage<'_>> {
    let start = |section: &SectionResult| (section.start_ms + section.job.ramp_ms) as f64;
    let end = |section: &SectionResult| start(section) + section.load.elapsed_ms;
    let starts = sections.iter().map(|section| start(section)).reduce(f64::min)?;
    let ends = sections.iter().map(|section| end(section)).reduce(f64::max)?;
    Some(Stage {
        start_ms: starts,
        end_ms: ends,
        read_bytes: sections.iter().map(|section| section.load.read.bytes as f64).sum(),
        write_bytes: sections.iter().map(|section| section.load.write.bytes as f64).sum(),
        sections,
    })
}

/// Bytes that a device moved during a stage, by /proc/diskstats; none without samples that cover it.
pub fn device_bytes(facts: &Facts<'_>, device: &str, stage: &Stage<'_>) -> Option<DeviceBytes> {
    let log = facts.sensors.iter().find(|log| log.sensor == "diskstats")?;
    let of = |metric: &str| {
        let series = log.series(&format!("disk.{device}.{metric}"))?;
        growth(log, series, stage.start_ms * 1e6, stage.end_ms * 1e6).map(|sectors| sectors * SECTOR_BYTES)
    };
    Some(DeviceBytes { read: of("read_sectors")?, written: of("write_sectors")? })
}

/// How far a counter grew in a window: between the samples next to its edges, scaled to the window's length.
fn growth(log: &SensorLog, series: &Series, start_ns: f64, end_ns: f64) -> Option<f64> {
    let read =
        log.time_ns.iter().zip(&series.values).filter_map(|(time, value)| Some((*time as f64, (*value)?)));
    let points: Vec<(f64, f64)> = read.collect();
    let first = points.iter().rfind(|(time, _)| *time <= start_ns).or(points.first())?;
    let last = points.iter().find(|(time, _)| *time >= end_ns).or(points.last())?;
    let spanned_ns = last.0 - first.0;
    let is_covered = spanned_ns > 0.0 && spanned_ns >= COVERED * (end_ns - start_ns) && last.1 >= first.1;
    // Samples outside the window hold idle time as well, in which nothing of ours moved.
    is_covered.then(|| (last.1 - first.1) * ((end_ns - start_ns) / spanned_ns).max(1.0))
}

/// I/Os that were in flight on average, by Little's law: rate times mean time in the system.
pub fn reached_depth(load: &LoadResult) -> Option<f64> {
    let mean_ns = match &load.service {
        Some(service) => service.mean_ns(),
        None => load.latency().mean_ns(),
    };
    mean_ns.map(|mean_ns| load.iops() * mean_ns / 1e9)
}

/// I/Os per second of each whole interval; the last one is often cut short and left out.
pub fn interval_rates(load: &LoadResult, of: impl Fn(&Interval) -> u64) -> Vec<f64> {
    let longest = load.intervals.iter().map(|interval| interval.length_ms).max().unwrap_or(0);
    let whole =
        load.intervals.iter().filter(|interval| interval.length_ms > 0 && interval.length_ms == longest);
    whole.map(|interval| of(interval) as f64 / interval.length_ms as f64 * 1e3).collect()
}

/// Mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// By how much a fitted straight line rises from the first to the last value, as a share of the mean.
pub fn trend(values: &[f64]) -> Option<f64> {
    let (count, mean) = (values.len() as f64, mean(values));
    if values.len() < 2 || mean <= 0.0 {
        return None;
    }
    let middle = (count - 1.0) / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate() {
        let distance = index as f64 - middle;
        products += distance * (value - mean);
        squares += distance * distance;
    }
    Some(products / squares * (count - 1.0) / mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sample::MetricKind;

    #[test]
    fn a_line_has_the_trend_that_is_drawn() {
        let falling: Vec<f64> = (0..11).map(|i| 110.0 - 2.0 * f64::from(i)).collect();
        assert!((trend(&falling).unwrap() + 0.2).abs() < 1e-12);
        assert_eq!(trend(&[5.0; 4]), Some(0.0));
        assert_eq!((trend(&[1.0]), variation(&[0.0, 0.0])), (None, None));
    }

    #[test]
    fn a_counter_is_read_over_the_window_alone() {
        let series = |values: &[f64]| Series {
            name: "x".into(),
            unit: "sectors".into(),
            kind: MetricKind::Counter,
            values: values.iter().copied().map(Some).collect(),
        };
        let mut log = SensorLog::absent("diskstats", "");
        log.time_ns = vec![0, 100, 200, 300];
        let counter = series(&[0.0, 50.0, 150.0, 1000.0]);
        assert_eq!(growth(&log, &counter, 0.0, 200.0), Some(150.0));
        assert_eq!(growth(&log, &counter, 0.0, 600.0), None, "half of the window has no samples");
        assert_eq!(growth(&log, &series(&[9.0, 8.0, 7.0, 6.0]), 0.0, 300.0), None, "the counter was reset");
    }
}
