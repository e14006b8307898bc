//! Arithmetic on results and counters that several rules share.

use super::facts::{Facts, is_block_io};
pub use analyse::plateau::variation;
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
        self.sections
            .first()
            .map_or("", |section| section.name.as_str())
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
    facts
        .load
        .iter()
        .filter(|section| is_block_io(&section.job) && section.load.elapsed_ms > 0.0)
}

/// The results by stage, in order.
pub fn stages<'a>(facts: &Facts<'a>) -> Vec<Stage<'a>> {
    let mut numbers: Vec<u32> = facts.load.iter().map(|section| section.stage).collect();
    numbers.dedup();
    let of = |number: u32| {
        block_results(facts)
            .filter(move |section| section.stage == number)
            .collect()
    };
    numbers
        .into_iter()
        .filter_map(|number| stage(of(number)))
        .collect()
}

fn stage(sections: Vec<&SectionResult>) -> Option<Stage<'_>> {
    let start = |section: &SectionResult| (section.start_ms + section.job.ramp_ms) as f64;
    let end = |section: &SectionResult| start(section) + section.load.elapsed_ms;
    let starts = sections
        .iter()
        .map(|section| start(section))
        .reduce(f64::min)?;
    let ends = sections
        .iter()
        .map(|section| end(section))
        .reduce(f64::max)?;
    Some(Stage {
        start_ms: starts,
        end_ms: ends,
        read_bytes: sections
            .iter()
            .map(|section| section.load.read.bytes as f64)
            .sum(),
        write_bytes: sections
            .iter()
            .map(|section| section.load.write.bytes as f64)
            .sum(),
        sections,
    })
}

/// Bytes that a device moved during a stage, by /proc/diskstats, and a little before and after it: between the samples
/// around its edges. None without samples that cover it.
pub fn device_bytes(facts: &Facts<'_>, device: &str, stage: &Stage<'_>) -> Option<DeviceBytes> {
    bytes_by(facts, device, stage, growth)
}

/// Bytes that it moved during a stage at the least: between the first and the last sample in it. None without two.
pub fn device_bytes_least(
    facts: &Facts<'_>,
    device: &str,
    stage: &Stage<'_>,
) -> Option<DeviceBytes> {
    bytes_by(facts, device, stage, growth_least)
}

/// How far a counter, given as times and values, grew in a window.
type Growth = fn(&[(f64, f64)], f64, f64) -> Option<f64>;

fn bytes_by(
    facts: &Facts<'_>,
    device: &str,
    stage: &Stage<'_>,
    growth: Growth,
) -> Option<DeviceBytes> {
    let log = facts.sensors.iter().find(|log| log.sensor == "diskstats")?;
    let of = |metric: &str| {
        let points = points(log, log.series(&format!("disk.{device}.{metric}"))?);
        growth(&points, stage.start_ms * 1e6, stage.end_ms * 1e6)
            .map(|sectors| sectors * SECTOR_BYTES)
    };
    Some(DeviceBytes {
        read: of("read_sectors")?,
        written: of("write_sectors")?,
    })
}

/// The times and values of a counter, without gaps.
fn points(log: &SensorLog, series: &Series) -> Vec<(f64, f64)> {
    let both = log.time_ns.iter().zip(&series.values);
    both.filter_map(|(time, value)| Some((*time as f64, (*value)?)))
        .collect()
}

/// How far a counter grew in a window: between the samples next to its edges, scaled to the window's length.
fn growth(points: &[(f64, f64)], start_ns: f64, end_ns: f64) -> Option<f64> {
    let first = points
        .iter()
        .rfind(|(time, _)| *time <= start_ns)
        .or(points.first())?;
    let last = points
        .iter()
        .find(|(time, _)| *time >= end_ns)
        .or(points.last())?;
    let spanned_ns = last.0 - first.0;
    let is_covered =
        spanned_ns > 0.0 && spanned_ns >= COVERED * (end_ns - start_ns) && last.1 >= first.1;
    // Samples outside the window hold idle time as well, in which nothing of ours moved.
    is_covered.then(|| (last.1 - first.1) * ((end_ns - start_ns) / spanned_ns).max(1.0))
}

/// How far it grew at the least: between the samples that lie in the window.
fn growth_least(points: &[(f64, f64)], start_ns: f64, end_ns: f64) -> Option<f64> {
    let first = points.iter().find(|(time, _)| *time >= start_ns)?;
    let last = points.iter().rfind(|(time, _)| *time <= end_ns)?;
    (last.0 > first.0 && last.1 >= first.1).then_some(last.1 - first.1)
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
    let longest = load
        .intervals
        .iter()
        .map(|interval| interval.length_ms)
        .max()
        .unwrap_or(0);
    let whole = load
        .intervals
        .iter()
        .filter(|interval| interval.length_ms > 0 && interval.length_ms == longest);
    whole
        .map(|interval| of(interval) as f64 / interval.length_ms as f64 * 1e3)
        .collect()
}

/// By how much a fitted straight line rises from the first to the last value, as a share of the mean.
pub fn trend(values: &[f64]) -> Option<f64> {
    let (count, mean) = (values.len() as f64, stats::mean(values));
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

    #[test]
    fn a_line_has_the_trend_that_is_drawn() {
        let falling: Vec<f64> = (0..11).map(|i| 110.0 - 2.0 * f64::from(i)).collect();
        assert!((trend(&falling).unwrap() + 0.2).abs() < 1e-12);
        assert_eq!(trend(&[5.0; 4]), Some(0.0));
        assert_eq!((trend(&[1.0]), variation(&[0.0, 0.0])), (None, None));
    }

    fn counter(values: [f64; 4]) -> Vec<(f64, f64)> {
        [0.0, 100.0, 200.0, 300.0].into_iter().zip(values).collect()
    }

    #[test]
    fn a_counter_is_read_over_the_window_alone() {
        let grown = |end_ns| growth(&counter([0.0, 50.0, 150.0, 1000.0]), 0.0, end_ns);
        assert_eq!(grown(200.0), Some(150.0));
        assert_eq!(grown(600.0), None, "half of the window has no samples");
        assert_eq!(
            growth(&counter([9.0, 8.0, 7.0, 6.0]), 0.0, 300.0),
            None,
            "the counter was reset"
        );
    }

    #[test]
    fn what_a_counter_grew_at_the_least_holds_nothing_of_before_and_after() {
        let counted = counter([0.0, 4.0, 10.0, 500.0]);
        assert_eq!(growth_least(&counted, 90.0, 210.0), Some(6.0));
        assert_eq!(growth(&counted, 90.0, 210.0), Some(500.0));
        assert_eq!(
            growth_least(&counted, 90.0, 190.0),
            None,
            "one sample is no growth"
        );
        assert_eq!(
            growth_least(&counter([9.0, 8.0, 7.0, 6.0]), 0.0, 300.0),
            None,
            "the counter was reset"
        );
    }
}
