//! What a load did second by second, for the display, for `--stream` and for the record. Memory is bounded: when there
//! are many intervals, neighbours are added up, and from then on intervals are longer.

use load::{Running, RunningSide, Snapshot, lane};
use model::latency_map::{LatencyColumn, LatencyMap};
use model::record::{Interval, IntervalSide};
use serde::Serialize;

/// Intervals kept at most.
const MOST: usize = 3_600;

/// Columns of latency kept at most: more than a picture is wide.
const MOST_COLUMNS: usize = 600;

/// The intervals of one section.
#[derive(Debug)]
pub struct Intervals {
    name: String,
    origin_ns: u64,
    length_ns: u64,
    due_ns: u64,
    /// How many due intervals make one that is kept.
    fold: u32,
    pending: Vec<Interval>,
    earlier: Snapshot,
    kept: Vec<Interval>,
    read_latency: Columns,
    write_latency: Columns,
}

/// The latency heat map of one direction: its columns get wider as the run gets longer, so that memory stays bounded.
#[derive(Debug)]
struct Columns {
    /// How many looks make one column.
    fold: usize,
    pending: Vec<LatencyColumn>,
    kept: Vec<LatencyColumn>,
}

/// A line of `--stream`.
#[derive(Debug, Serialize)]
pub struct StreamLine {
    schema: &'static str,
    section: String,
    interval: Interval,
}

impl Intervals {
    /// For a section whose load began at `origin_ns`, looked at every `length_ms`.
    pub fn new(name: &str, origin_ns: u64, length_ms: u64) -> Intervals {
        let length_ns = length_ms.max(10) * 1_000_000;
        Intervals {
            name: name.into(),
            origin_ns,
            length_ns,
            due_ns: origin_ns + length_ns,
            fold: 1,
            pending: Vec::new(),
            earlier: Snapshot {
                at_ns: origin_ns,
                ..Snapshot::default()
            },
            kept: Vec::new(),
            read_latency: Columns::new(),
            write_latency: Columns::new(),
        }
    }

    /// Whether an interval is over.
    pub fn is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.due_ns
    }

    /// Closes the interval that began with the last look. None for one too short to mean anything.
    pub fn look(&mut self, running: &Running, now_ns: u64) -> Option<StreamLine> {
        let snapshot = running.snapshot();
        if snapshot.at_ns < self.earlier.at_ns + self.length_ns / 4 {
            return None;
        }
        let done = snapshot.since(&self.earlier);
        let mut write = done.side(lane::WRITE);
        let trim = done.side(lane::TRIM);
        write.latency.merge(&trim.latency);
        write.bytes += trim.bytes;
        let read = done.side(lane::READ);
        let interval = Interval {
            start_ms: (self.earlier.at_ns - self.origin_ns.min(self.earlier.at_ns)) / 1_000_000,
            length_ms: (snapshot.at_ns - self.earlier.at_ns) / 1_000_000,
            read: side(&read),
            write: side(&write),
            inflight: running.inflight(),
        };
        let (start_ms, length_ms) = (interval.start_ms, interval.length_ms);
        self.read_latency
            .keep(LatencyColumn::of(start_ms, length_ms, &read.latency));
        self.write_latency
            .keep(LatencyColumn::of(start_ms, length_ms, &write.latency));
        self.earlier = snapshot;
        while self.due_ns <= now_ns {
            self.due_ns += self.length_ns;
        }
        self.keep(interval.clone());
        Some(StreamLine {
            schema: "iodyno.interval/1",
            section: self.name.clone(),
            interval,
        })
    }

    fn keep(&mut self, interval: Interval) {
        self.pending.push(interval);
        if self.pending.len() < self.fold as usize {
            return;
        }
        self.kept.extend(merged(&std::mem::take(&mut self.pending)));
        if self.kept.len() >= MOST {
            self.kept = self.kept.chunks(2).filter_map(merged).collect();
            self.fold *= 2;
        }
    }

    /// The last one.
    pub fn last(&self) -> Option<&Interval> {
        self.pending.last().or(self.kept.last())
    }

    /// I/Os per second of each kept interval.
    pub fn rates(&self) -> Vec<f64> {
        let rate = |one: &Interval| {
            (one.read.ios + one.write.ios) as f64 * 1e3 / one.length_ms.max(1) as f64
        };
        self.kept.iter().map(rate).collect()
    }

    /// All of them, and the latencies over the same time.
    pub fn into_all(mut self) -> (Vec<Interval>, LatencyMap) {
        self.kept.extend(merged(&self.pending));
        let map = LatencyMap {
            read: self.read_latency.into_all(),
            write: self.write_latency.into_all(),
        };
        (self.kept, map)
    }
}

impl Columns {
    fn new() -> Columns {
        Columns {
            fold: 1,
            pending: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn keep(&mut self, column: LatencyColumn) {
        self.pending.push(column);
        if self.pending.len() < self.fold {
            return;
        }
        self.kept
            .extend(LatencyColumn::merged(&std::mem::take(&mut self.pending)));
        if self.kept.len() >= MOST_COLUMNS {
            self.kept = self
                .kept
                .chunks(2)
                .filter_map(LatencyColumn::merged)
                .collect();
            self.fold *= 2;
        }
    }

    /// All of them; none of a direction in which nothing completed.
    fn into_all(mut self) -> Vec<LatencyColumn> {
        self.kept.extend(LatencyColumn::merged(&self.pending));
        if self.kept.iter().all(|column| column.rows.is_empty()) {
            Vec::new()
        } else {
            self.kept
        }
    }
}

fn side(done: &RunningSide) -> IntervalSide {
    let quantile = |share| done.latency.quantile_ns(share).unwrap_or(0);
    IntervalSide {
        ios: done.latency.total(),
        bytes: done.bytes,
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
    }
}

/// Neighbours as one. Counts add up; a percentile of the whole cannot be had from those of the parts, so the larger one
/// stands: never better than the truth.
fn merged(parts: &[Interval]) -> Option<Interval> {
    let (first, last) = (parts.first()?, parts.last()?);
    let side = |of: fn(&Interval) -> &IntervalSide| IntervalSide {
        ios: parts.iter().map(|part| of(part).ios).sum(),
        bytes: parts.iter().map(|part| of(part).bytes).sum(),
        p50_ns: parts.iter().map(|part| of(part).p50_ns).max().unwrap_or(0),
        p99_ns: parts.iter().map(|part| of(part).p99_ns).max().unwrap_or(0),
    };
    Some(Interval {
        start_ms: first.start_ms,
        length_ms: last.start_ms + last.length_ms - first.start_ms,
        read: side(|part| &part.read),
        write: side(|part| &part.write),
        inflight: last.inflight,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_of_seconds_stays_bounded_and_whole() {
        let mut intervals = Intervals::new("a", 0, 1000);
        let day = 86_400;
        for second in 0..day {
            let read = IntervalSide {
                ios: 7,
                bytes: 7 * 4096,
                p50_ns: 5,
                p99_ns: second,
            };
            intervals.keep(Interval {
                start_ms: second * 1000,
                length_ms: 1000,
                read,
                ..Interval::default()
            });
        }
        let (all, _) = intervals.into_all();
        assert!(all.len() <= MOST && all.len() > MOST / 4, "{}", all.len());
        assert_eq!(all.iter().map(|one| one.read.ios).sum::<u64>(), 7 * day);
        assert_eq!(all.iter().map(|one| one.length_ms).sum::<u64>(), day * 1000);
        assert_eq!(all.iter().map(|one| one.read.p99_ns).max(), Some(day - 1));
    }

    #[test]
    fn latencies_of_a_day_stay_bounded_and_whole() {
        let mut columns = Columns::new();
        for second in 0..86_400u64 {
            let rows = vec![(100, 7), ((100 + second % 5) as u16 + 1, 1)];
            columns.keep(LatencyColumn {
                start_ms: second * 1000,
                length_ms: 1000,
                rows,
            });
        }
        let all = columns.into_all();
        assert!(
            all.len() <= MOST_COLUMNS && all.len() > MOST_COLUMNS / 4,
            "{}",
            all.len()
        );
        assert_eq!(
            all.iter().map(LatencyColumn::total).sum::<u64>(),
            8 * 86_400
        );
        let mut idle = Columns::new();
        idle.keep(LatencyColumn {
            start_ms: 0,
            length_ms: 1000,
            rows: Vec::new(),
        });
        assert_eq!(idle.into_all(), [], "a direction without I/O has no map");
    }
}
