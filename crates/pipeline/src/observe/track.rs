//! What one sensor has read so far, in bounded memory.

use super::{Column, Sensor, Source};
use host::{Host, clock, process};
use model::sample::{SensorLog, Series};

/// An hour at ten samples a second.
const ROWS_MAX: usize = 36_000;
/// Many-core machines have thousands of series: 32 MB a sensor is the bound whatever their number.
const CELLS_MAX: usize = 4 << 20;
/// Fewer would be no series any more.
const ROWS_MIN: usize = 600;

/// An opened sensor and its samples. Rows lie one after the other; NaN is a value that could not be read.
pub(super) struct Track {
    sensor: &'static Sensor,
    source: Box<dyn Source>,
    columns: Vec<Column>,
    rows_max: usize,
    times: Vec<i64>,
    cells: Vec<f64>,
    cost_ns: u64,
    halvings: u32,
    failures: u64,
    first_failure: Option<String>,
}

impl Track {
    /// Opens a sensor; where there is nothing to read, says why.
    pub fn open(sensor: &'static Sensor, host: &Host, scope: &super::Scope) -> Result<Track, String> {
        let source = (sensor.open)(host, scope)?;
        let columns = source.columns();
        let rows_max = (CELLS_MAX / columns.len().max(1)).clamp(ROWS_MIN, ROWS_MAX);
        Ok(Track {
            sensor,
            source,
            columns,
            rows_max,
            times: Vec::new(),
            cells: Vec::new(),
            cost_ns: 0,
            halvings: 0,
            failures: 0,
            first_failure: None,
        })
    }

    /// Whether this moment, counted from the start, is one to sample: after each halving only every second one is.
    pub fn is_due(&self, tick: u64) -> bool {
        tick.is_multiple_of(1 << self.halvings)
    }

    /// Reads once. A failed read leaves a gap, nothing else.
    pub fn sample(&mut self, origin_ns: u64) {
        let cpu_before = process::thread_cpu_ns();
        let width = self.columns.len();
        let start = self.cells.len();
        self.times.push(clock::monotonic_ns().wrapping_sub(origin_ns) as i64);
        self.cells.resize(start + width, f64::NAN);
        if let Err(error) = self.source.read(&mut self.cells[start..]) {
            self.cells[start..].fill(f64::NAN);
            self.failures += 1;
            self.first_failure.get_or_insert_with(|| error.to_string());
        }
        if self.times.len() >= self.rows_max {
            self.halve();
        }
        self.cost_ns += process::thread_cpu_ns() - cpu_before;
    }

    /// Drops every second row. Counters lose nothing but resolution in time; gauges lose what they showed between.
    fn halve(&mut self) {
        let width = self.columns.len();
        let kept = self.times.len().div_ceil(2);
        for row in 1..kept {
            self.times[row] = self.times[row * 2];
            self.cells.copy_within(row * 2 * width..(row * 2 + 1) * width, row * width);
        }
        self.times.truncate(kept);
        self.cells.truncate(kept * width);
        self.halvings += 1;
    }

    /// The samples as they go into a record.
    pub fn finish(self) -> SensorLog {
        let width = self.columns.len();
        let series = self.columns.iter().enumerate().map(|(index, column)| {
            let values = self.cells.iter().skip(index).step_by(width.max(1));
            Series {
                name: column.name.clone(),
                unit: column.metric.unit.into(),
                kind: column.metric.kind,
                values: values.map(|value| (!value.is_nan()).then_some(*value)).collect(),
            }
        });
        SensorLog {
            sensor: self.sensor.id.into(),
            no_data: None,
            series: series.collect(),
            notes: self.notes(),
            time_ns: self.times,
            cost_cpu_ns: self.cost_ns,
        }
    }

    fn notes(&self) -> Vec<String> {
        let thinned = (self.halvings > 0).then(|| {
            format!(
                "The run was long: one sample in {} is kept, so that memory stays bounded.",
                1u64 << self.halvings
            )
        });
        let failed = self
            .first_failure
            .as_ref()
            .map(|error| format!("{} of the reads failed and left gaps; the first: {error}.", self.failures));
        thinned.into_iter().chain(failed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Metric, Scope};
    use model::sample::MetricKind;

    struct Counting(u64);

    static METRIC: Metric =
        Metric { name: "test.{}", unit: "ios", kind: MetricKind::Counter, meaning: "", cannot_tell: "" };

    static SENSOR: Sensor = Sensor {
        id: "counting",
        since: "0.1.0",
        reads: &[],
        metrics: &[],
        open: |_, _| Ok(Box::new(Counting(0))),
    };

    impl Source for Counting {
        fn columns(&self) -> Vec<Column> {
            vec![Column::of(&METRIC, "n"), Column::of(&METRIC, "gap")]
        }

        fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
            row[0] = self.0 as f64;
            self.0 += 1;
            match self.0 {
                4 => Err(host::Error::io("read", "/x", std::io::Error::from_raw_os_error(5))),
                _ => Ok(()),
            }
        }
    }

    fn track() -> Track {
        Track::open(&SENSOR, &Host::live(), &Scope::default()).unwrap()
    }

    #[test]
    fn memory_is_bounded_by_halving_and_says_so() {
        let mut track = track();
        track.rows_max = 8;
        for tick in 0..64 {
            if track.is_due(tick) {
                track.source = Box::new(Counting(100 + tick));
                track.sample(0);
            }
        }
        let log = track.finish();
        let values: Vec<f64> = log.series[0].values.iter().flatten().copied().collect();
        assert!(values.len() < 8 && values.len() >= 4, "{values:?}");
        let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| *step == steps[0]), "the kept samples are evenly spaced: {values:?}");
        assert_eq!(values[0], 100.0);
        assert!(log.notes[0].contains("one sample in 16 "), "{:?}", log.notes);
    }

    #[test]
    fn a_failed_read_leaves_a_gap_and_a_note() {
        let mut track = track();
        (0..5).for_each(|_| track.sample(0));
        let log = track.finish();
        assert_eq!(log.series("test.n").unwrap().values, [Some(0.0), Some(1.0), Some(2.0), None, Some(4.0)]);
        assert_eq!(log.series("test.gap").unwrap().values, [None; 5]);
        assert!(log.notes[0].starts_with("1 of the reads failed"), "{:?}", log.notes);
    }
}
