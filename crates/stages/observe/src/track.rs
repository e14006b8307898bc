//! What one sensor has read so far.

use super::store::{Keep, Store};
use super::{Sensor, SensorColumn, SensorSource};
use host::{Host, clock, process};
use model::reading::{Reading, ReadingRow, SeriesName};
use model::sample::{SampleSeries, SensorLog};
use std::sync::Arc;

/// The most of one CPU that a sensor may take: a dear one is sampled less often.
const COST_SHARE_MAX: f64 = 0.01;

/// An opened sensor and its samples.
pub(super) struct Track {
    id: &'static str,
    every_ms: u64,
    /// None while it is being read.
    source: Option<Box<dyn SensorSource>>,
    columns: Vec<SensorColumn>,
    names: Arc<Vec<SeriesName>>,
    store: Store,
    due_ns: i64,
    /// How often the sampler would read it, ns.
    asked_ns: u64,
    slowed_ms: u64,
    cost_ns: u64,
    cost_elsewhere_ns: u64,
    failures: u64,
    first_failure: Option<String>,
}

/// A source while it is read: whoever looks at the track meanwhile does not wait for it, however long it takes.
pub(super) struct Away {
    source: Box<dyn SensorSource>,
    fresh: Vec<SensorColumn>,
    cells: Arc<[f64]>,
    failure: Option<String>,
    time_ns: i64,
    cost_ns: u64,
}

impl Away {
    /// Reads once. A failed read leaves a gap, nothing else. Given and given back is the thread's CPU time: what was used
    /// between two sensors, to keep the row of the first, is on the second's account.
    pub fn read(&mut self, origin_ns: u64, cpu_before_ns: u64) -> u64 {
        self.fresh = self.source.new_columns();
        if !self.fresh.is_empty() {
            self.cells = gaps(self.cells.len() + self.fresh.len());
        }
        let begin_ns = clock::monotonic_ns();
        // Nobody else has seen the row yet.
        if let Some(row) = Arc::get_mut(&mut self.cells)
            && let Err(error) = self.source.read(row)
        {
            row.fill(f64::NAN);
            self.failure = Some(error.to_string());
        }
        // Where the thread waited for a CPU in between, the middle is wrong by half of the wait at the most.
        let read_ns = begin_ns.midpoint(clock::monotonic_ns());
        self.time_ns = read_ns.wrapping_sub(origin_ns) as i64;
        let cpu_ns = process::thread_cpu_ns();
        self.cost_ns = cpu_ns - cpu_before_ns;
        cpu_ns
    }
}

/// A row of nothing, in the one allocation in which it will be kept.
fn gaps(width: usize) -> Arc<[f64]> {
    std::iter::repeat_n(f64::NAN, width).collect()
}

impl Track {
    /// Opens a sensor; where there is nothing to read, says why.
    pub fn open(
        sensor: &'static Sensor,
        host: &Host,
        scope: &super::Scope,
        keep: Keep,
    ) -> Result<Track, String> {
        let source = sensor.opened(host, scope)?;
        let columns = source.columns();
        let mut track = Track {
            id: sensor.id,
            every_ms: sensor.every_ms,
            source: Some(source),
            columns: Vec::new(),
            names: Arc::default(),
            store: Store::new(keep),
            due_ns: i64::MIN,
            asked_ns: super::INTERVAL_DEFAULT_MS * 1_000_000,
            slowed_ms: 0,
            cost_ns: 0,
            cost_elsewhere_ns: 0,
            failures: 0,
            first_failure: None,
        };
        track.grow(columns);
        Ok(track)
    }

    /// What a sensor once read, the oldest row first. It reads no more.
    pub fn of_rows(id: &'static str, series: Vec<SeriesName>, rows: Vec<ReadingRow>) -> Track {
        let mut store = Store::new(Keep::HOUR);
        rows.into_iter().for_each(|row| store.push(row));
        Track {
            id,
            every_ms: 0,
            source: None,
            columns: Vec::new(),
            names: Arc::new(series),
            store,
            due_ns: i64::MAX,
            asked_ns: super::INTERVAL_DEFAULT_MS * 1_000_000,
            slowed_ms: 0,
            cost_ns: 0,
            cost_elsewhere_ns: 0,
            failures: 0,
            first_failure: None,
        }
    }

    fn grow(&mut self, columns: Vec<SensorColumn>) {
        let named = columns.iter().map(|one| SeriesName {
            name: one.name.clone(),
            kind: one.metric.kind,
        });
        Arc::make_mut(&mut self.names).extend(named);
        self.columns.extend(columns);
    }

    /// Whether to sample at this moment: a sensor may ask to be read rarely, and a dear one is.
    pub fn is_due(&self, tick: u64, now_ns: i64) -> bool {
        self.store.is_due(tick) && now_ns >= self.due_ns
    }

    /// Tells how often the sampler would read it.
    pub fn ask_every(&mut self, asked_ns: u64) {
        self.asked_ns = asked_ns;
    }

    /// Gives the source away to be read; none while it is away already.
    pub fn begin(&mut self) -> Option<Away> {
        let source = self.source.take()?;
        let cells = gaps(self.columns.len());
        Some(Away {
            source,
            fresh: Vec::new(),
            cells,
            failure: None,
            time_ns: 0,
            cost_ns: 0,
        })
    }

    /// Takes back the source and what it read.
    pub fn end(&mut self, away: Away) {
        if !away.fresh.is_empty() {
            self.grow(away.fresh);
        }
        if let Some(failure) = away.failure {
            self.failures += 1;
            self.first_failure.get_or_insert(failure);
        }
        self.store.push(ReadingRow {
            time_ns: away.time_ns,
            cells: away.cells,
        });
        self.cost_ns += away.cost_ns;
        self.cost_elsewhere_ns = away.source.cost_elsewhere_ns();
        self.source = Some(away.source);
        self.wait(away.time_ns, away.cost_ns);
    }

    /// All of it at once.
    pub fn sample(&mut self, origin_ns: u64) {
        if let Some(mut away) = self.begin() {
            away.read(origin_ns, process::thread_cpu_ns());
            self.end(away);
        }
    }

    /// Sets when the next sample is due. A tenth of the wait is left out, so that a moment which comes a little early is
    /// not missed.
    fn wait(&mut self, time_ns: i64, cost_ns: u64) {
        let cheap_ns = (cost_ns as f64 / COST_SHARE_MAX) as u64;
        let wait_ns = (self.every_ms * 1_000_000).max(cheap_ns);
        if cheap_ns > (self.every_ms * 1_000_000).max(self.asked_ns) {
            self.slowed_ms = self.slowed_ms.max(cheap_ns / 1_000_000);
        }
        self.due_ns = time_ns.saturating_add((wait_ns - wait_ns / 10) as i64);
    }

    /// What it read at the end of some time and at its beginning. A sensor that is read rarely answers with the two
    /// readings around; one that was read once has no beginning.
    pub fn reading(&self, from_ns: i64, to_ns: i64) -> Option<Reading> {
        let to = self.store.at(to_ns)?;
        // A time that begins before the first reading begins with that.
        let from = self.store.at(from_ns).or_else(|| self.store.iter().next());
        let from = from.filter(|from| from.time_ns < to.time_ns);
        let from = from.or_else(|| self.store.before(to.time_ns));
        Some(Reading {
            sensor: self.id,
            series: self.names.clone(),
            from: from.cloned(),
            to: to.clone(),
        })
    }

    /// Sensor id.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// CPU time taken so far, ns.
    pub fn cost_ns(&self) -> u64 {
        self.cost_ns + self.cost_elsewhere_ns
    }

    /// Time of the first row that is kept.
    pub fn first_ns(&self) -> Option<i64> {
        self.store.first_ns()
    }

    /// How many rows are kept.
    pub fn len(&self) -> usize {
        self.store.count()
    }

    /// Time of the row so many rows after a moment's, or before it.
    pub fn step(&self, time_ns: i64, count: i64) -> Option<i64> {
        self.store.step(time_ns, count)
    }

    /// Time of the last row.
    pub fn last_ns(&self) -> Option<i64> {
        self.last_until(i64::MAX)
    }

    /// Time of the last row that is not after a moment.
    pub fn last_until(&self, time_ns: i64) -> Option<i64> {
        self.store.at(time_ns).map(|row| row.time_ns)
    }

    /// The samples as they go into a record.
    pub fn finish(self) -> SensorLog {
        let series = self.columns.iter().enumerate().map(|(place, column)| {
            let values = self
                .store
                .iter()
                .map(|row| row.cells.get(place).copied().unwrap_or(f64::NAN));
            SampleSeries {
                name: column.name.clone(),
                unit: column.metric.unit.into(),
                kind: column.metric.kind,
                values: values
                    .map(|value| (!value.is_nan()).then_some(value))
                    .collect(),
            }
        });
        SensorLog {
            sensor: self.id.into(),
            no_data: None,
            series: series.collect(),
            notes: self.notes(),
            time_ns: self.store.iter().map(|row| row.time_ns).collect(),
            cost_cpu_ns: self.cost_ns(),
        }
    }

    /// What a reader of the samples must know.
    pub fn notes(&self) -> Vec<String> {
        let thinned = (self.store.halvings() > 0).then(|| {
            let one_in = 1u64 << self.store.halvings();
            format!(
                "The run was long: one sample in {one_in} is kept, so that memory stays bounded."
            )
        });
        let slowed = (self.slowed_ms > 0).then(|| {
            format!(
                "A reading is dear here: to stay below 1 % of a CPU it was read up to {} ms apart.",
                self.slowed_ms
            )
        });
        let failed = self.first_failure.as_ref().map(|error| {
            format!(
                "{} of the reads failed and left gaps; the first: {error}.",
                self.failures
            )
        });
        let own = self.source.iter().flat_map(|source| source.notes());
        thinned
            .into_iter()
            .chain(slowed)
            .chain(failed)
            .chain(own)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metric, Scope};
    use model::sample::MetricKind;

    struct Counting(u64);

    static METRIC: Metric = Metric {
        name: "test.{}",
        unit: "ios",
        kind: MetricKind::Counter,
        meaning: "",
        cannot_tell: "",
    };

    static SENSOR: Sensor = Sensor {
        id: "counting",
        since: "0.1.0",
        every_ms: 0,
        reads: &[],
        metrics: &[],
        fields: &[],
        open: |_, _| Ok(Box::new(Counting(0))),
    };

    impl SensorSource for Counting {
        fn columns(&self) -> Vec<SensorColumn> {
            vec![
                SensorColumn::of(&METRIC, "n"),
                SensorColumn::of(&METRIC, "gap"),
            ]
        }

        fn new_columns(&mut self) -> Vec<SensorColumn> {
            if self.0 == 2 {
                vec![SensorColumn::of(&METRIC, "late")]
            } else {
                vec![]
            }
        }

        fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
            row[0] = self.0 as f64;
            if let Some(late) = row.get_mut(2) {
                *late = 1.0;
            }
            self.0 += 1;
            match self.0 {
                4 => Err(host::Error::io(
                    "read",
                    "/x",
                    std::io::Error::from_raw_os_error(5),
                )),
                _ => Ok(()),
            }
        }
    }

    fn track() -> Track {
        let mut track = Track::open(&SENSOR, &Host::live(), &Scope::default(), Keep::Run).unwrap();
        (0..5).for_each(|_| track.sample(0));
        track
    }

    #[test]
    fn a_failed_read_leaves_a_gap_and_a_note() {
        let log = track().finish();
        assert_eq!(
            log.series("test.n").unwrap().values,
            [Some(0.0), Some(1.0), Some(2.0), None, Some(4.0)]
        );
        assert_eq!(log.series("test.gap").unwrap().values, [None; 5]);
        assert!(
            log.notes[0].starts_with("1 of the reads failed"),
            "{:?}",
            log.notes
        );
    }

    #[test]
    fn a_series_that_comes_late_has_gaps_before() {
        let track = track();
        let reading = track.reading(i64::MIN, i64::MAX).unwrap();
        assert_eq!(reading.series.len(), 3);
        let values = track.finish().series("test.late").unwrap().values.clone();
        assert_eq!(values, [None, None, Some(1.0), None, Some(1.0)]);
    }

    #[test]
    fn a_dear_sensor_is_read_less_often() {
        let mut track = track();
        track.wait(0, 50_000_000);
        assert!(!track.is_due(0, 1_000_000_000) && track.is_due(0, 5_000_000_000));
        assert!(
            track
                .notes()
                .iter()
                .any(|note| note.contains("up to 5000 ms apart")),
            "{:?}",
            track.notes()
        );
        track.wait(0, 1_000);
        assert!(track.is_due(0, 1_000_000));
    }
}
