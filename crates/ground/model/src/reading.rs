//! Two readings of one sensor, from which fields are computed.

use crate::sample::MetricKind;
use std::sync::Arc;

/// A series of a sensor, as far as arithmetic needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesName {
    /// `disk.vda.read_ios`.
    pub name: String,
    /// Counter or gauge.
    pub kind: MetricKind,
}

/// What a sensor read at one moment. It may be shorter than the names: a series that came later has no value yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingRow {
    /// When, ns on the sampler's clock.
    pub time_ns: i64,
    /// The values in the order of the series; NaN where there was none.
    pub cells: Arc<[f64]>,
}

/// What one sensor read at the beginning and at the end of some time.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Sensor id.
    pub sensor: &'static str,
    /// Its series. The list only ever grows, and is the same allocation as long as it has not.
    pub series: Arc<Vec<SeriesName>>,
    /// At the beginning; none when there is only one reading so far: then counters give nothing.
    pub from: Option<ReadingRow>,
    /// At the end.
    pub to: ReadingRow,
}

impl Reading {
    /// What counters grew by together; none where one was reset or not read, or there is only one reading.
    pub fn grown(&self, places: &[usize]) -> Option<f64> {
        let from = self.from.as_ref()?;
        let step = |place: &usize| {
            let (before, after) = (from.cells.get(*place)?, self.to.cells.get(*place)?);
            self.series.get(*place)?.kind.grown(*before, *after)
        };
        places.iter().map(step).sum()
    }

    /// Time between the two, s; 0 when there is only one.
    pub fn seconds(&self) -> f64 {
        self.from
            .as_ref()
            .map_or(0.0, |from| (self.to.time_ns - from.time_ns) as f64 / 1e9)
    }
}
