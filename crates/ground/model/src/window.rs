//! What a device moved while a load ran, by its own counters: one calculation with one window, so that two figures of one
//! output cannot contradict each other.

use crate::job::Job;
use crate::record::{LoadResult, SectionResult};
use crate::sample::{SampleSeries, SensorLog};

/// Bytes of a sector in /proc/diskstats, whatever the device's blocks are.
const SECTOR_BYTES: f64 = 512.0;

/// Share of a window that samples must cover for its counters to be used.
const COVERED: f64 = 0.9;

/// The measured time of a load, ms on the run's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its start, after the ramp.
    pub start_ms: f64,
    /// Its end.
    pub end_ms: f64,
}

/// Bytes that a device moved meanwhile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceBytes {
    /// Read.
    pub read: f64,
    /// Written.
    pub written: f64,
}

/// How far a counter, given as times and values, grew in a window.
type Growth = fn(&SampleSeries, &[(f64, f64)], (f64, f64)) -> Option<f64>;

impl Window {
    /// Of a section.
    pub fn of_section(section: &SectionResult) -> Window {
        Window::starting(section.start_ms, &section.job, &section.load)
    }

    /// Of the only load of a record, which begins with the run's clock.
    pub fn of_load(job: &Job, load: &LoadResult) -> Window {
        Window::starting(job.startdelay_ms, job, load)
    }

    fn starting(at_ms: u64, job: &Job, load: &LoadResult) -> Window {
        let start_ms = (at_ms + job.ramp_ms) as f64;
        Window {
            start_ms,
            end_ms: start_ms + load.elapsed_ms,
        }
    }

    /// How long it is, ms.
    pub fn length_ms(&self) -> f64 {
        self.end_ms - self.start_ms
    }

    /// The time from the first start to the last end; none of no windows.
    pub fn around(windows: impl Iterator<Item = Window>) -> Option<Window> {
        windows.reduce(|one, other| Window {
            start_ms: one.start_ms.min(other.start_ms),
            end_ms: one.end_ms.max(other.end_ms),
        })
    }

    /// Bytes that a device moved in it, by /proc/diskstats, and a little before and after it: between the samples around
    /// its edges. None without samples that cover it.
    pub fn device_bytes(&self, sensors: &[SensorLog], device: &str) -> Option<DeviceBytes> {
        self.bytes_by(sensors, device, growth)
    }

    /// Bytes that it moved at the least: between the first and the last sample in the window. None without two.
    pub fn device_bytes_least(&self, sensors: &[SensorLog], device: &str) -> Option<DeviceBytes> {
        self.bytes_by(sensors, device, growth_least)
    }

    fn bytes_by(&self, sensors: &[SensorLog], device: &str, growth: Growth) -> Option<DeviceBytes> {
        let log = sensors.iter().find(|log| log.sensor == "diskstats")?;
        let edges_ns = (self.start_ms * 1e6, self.end_ms * 1e6);
        let of = |metric: &str| {
            let series = log.series(&format!("disk.{device}.{metric}"))?;
            growth(series, &points(log, series), edges_ns).map(|sectors| sectors * SECTOR_BYTES)
        };
        Some(DeviceBytes {
            read: of("read_sectors")?,
            written: of("write_sectors")?,
        })
    }
}

/// The times and values of a counter, without gaps.
fn points(log: &SensorLog, series: &SampleSeries) -> Vec<(f64, f64)> {
    let both = log.time_ns.iter().zip(&series.values);
    both.filter_map(|(time, value)| Some((*time as f64, (*value)?)))
        .collect()
}

/// How far a counter grew in a window: between the samples next to its edges, scaled to the window's length.
fn growth(series: &SampleSeries, points: &[(f64, f64)], (start, end): (f64, f64)) -> Option<f64> {
    let first = points
        .iter()
        .rfind(|(time, _)| *time <= start)
        .or(points.first())?;
    let last = points
        .iter()
        .find(|(time, _)| *time >= end)
        .or(points.last())?;
    let spanned_ns = last.0 - first.0;
    let is_covered = spanned_ns > 0.0 && spanned_ns >= COVERED * (end - start);
    let grown = series.kind.grown(first.1, last.1)?;
    // Samples outside the window hold idle time as well, in which nothing of ours moved.
    is_covered.then(|| grown * ((end - start) / spanned_ns).max(1.0))
}

/// How far it grew at the least: between the samples that lie in the window.
fn growth_least(
    series: &SampleSeries,
    points: &[(f64, f64)],
    (start, end): (f64, f64),
) -> Option<f64> {
    let first = points.iter().find(|(time, _)| *time >= start)?;
    let last = points.iter().rfind(|(time, _)| *time <= end)?;
    let grown = series.kind.grown(first.1, last.1)?;
    (last.0 > first.0).then_some(grown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::MetricKind;

    /// Sectors read by vda, sampled every 100 ms from 0; nothing was written.
    fn log(sectors: &[f64]) -> Vec<SensorLog> {
        let series = |name: &str, values: Vec<Option<f64>>| SampleSeries {
            name: format!("disk.vda.{name}"),
            unit: "sectors".into(),
            kind: MetricKind::Counter,
            values,
        };
        let mut log = SensorLog::absent("diskstats", "");
        log.no_data = None;
        log.time_ns = (0..sectors.len() as i64).map(|i| i * 100_000_000).collect();
        log.series = vec![
            series("read_sectors", sectors.iter().copied().map(Some).collect()),
            series("write_sectors", vec![Some(7.0); sectors.len()]),
        ];
        vec![log]
    }

    fn read(sensors: &[SensorLog], start_ms: f64, end_ms: f64) -> [Option<f64>; 2] {
        let window = Window { start_ms, end_ms };
        [
            window.device_bytes(sensors, "vda"),
            window.device_bytes_least(sensors, "vda"),
        ]
        .map(|found| found.map(|bytes| bytes.read))
    }

    #[test]
    fn what_moved_before_and_after_the_load_is_not_the_loads() {
        // A file was laid out in the first second, the load read 100 sectors in each tenth from 1.0 s to 1.5 s.
        let mut sectors: Vec<f64> = (0..=10).map(|i| f64::from(i) * 1e6).collect();
        sectors.extend((1..=5).map(|i| 1e7 + f64::from(i) * 100.0));
        sectors.extend([1e7 + 500.0 + 1e6]);
        let log = log(&sectors);
        assert_eq!(read(&log, 1000.0, 1500.0), [Some(500.0 * 512.0); 2]);
        // Between samples, the surrounding ones give the most that it can have been and the inner ones the least.
        let [most, least] = read(&log, 1050.0, 1450.0);
        assert_eq!((most, least), (Some(500.0 * 512.0), Some(300.0 * 512.0)));
        let [_, one_sample] = read(&log, 1050.0, 1150.0);
        assert_eq!(one_sample, None);
    }

    #[test]
    fn a_reset_or_missing_samples_are_no_figure() {
        let log_of_reset = log(&[5.0, 9.0, 2.0]);
        assert_eq!(read(&log_of_reset, 0.0, 200.0), [None; 2]);
        assert_eq!(
            read(&log(&[0.0, 5.0]), 0.0, 900.0)[0],
            None,
            "100 of 900 ms"
        );
        assert_eq!(read(&log(&[0.0]), 0.0, 100.0), [None; 2]);
        assert_eq!(read(&[], 0.0, 100.0), [None; 2]);
    }

    #[test]
    fn the_ramp_and_the_delay_are_not_measured() {
        let job = Job {
            startdelay_ms: 500,
            ramp_ms: 250,
            ..Job::default()
        };
        let load = LoadResult {
            elapsed_ms: 1000.0,
            ..LoadResult::default()
        };
        let window = Window::of_load(&job, &load);
        assert_eq!((window.start_ms, window.end_ms), (750.0, 1750.0));
        let other = Window {
            start_ms: 100.0,
            end_ms: 200.0,
        };
        let both = Window::around([window, other].into_iter()).unwrap();
        assert_eq!((both.start_ms, both.end_ms), (100.0, 1750.0));
        assert_eq!(Window::around(std::iter::empty()), None);
    }
}
