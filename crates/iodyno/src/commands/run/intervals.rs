//! What a load did second by second, for the display, for `--stream` and for the record. Memory is bounded: when there
//! are many intervals, neighbours are added up, and from then on intervals are longer.

use model::record::{Interval, IntervalSide};
use pipeline::load::{Running, Side, Snapshot, lane};
use serde::Serialize;

/// Intervals kept at most.
const MOST: usize = 3_600;

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
            earlier: Snapshot { at_ns: origin_ns, ..Snapshot::default() },
            kept: Vec::new(),
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
        let interval = Interval {
            start_ms: (self.earlier.at_ns - self.origin_ns.min(self.earlier.at_ns)) / 1_000_000,
            length_ms: (snapshot.at_ns - self.earlier.at_ns) / 1_000_000,
            read: side(&done.side(lane::READ)),
            write: side(&write),
            inflight: running.inflight(),
        };
        self.earlier = snapshot;
        while self.due_ns <= now_ns {
            self.due_ns += self.length_ns;
        }
        self.keep(interval.clone());
        Some(StreamLine { schema: "iodyno.interval/1", section: self.name.clone(), interval })
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
        let rate = |one: &Interval| (one.read.ios + one.write.ios) as f64 * 1e3 / one.length_ms.max(1) as f64;
        self.kept.iter().map(rate).collect()
    }

    /// All of them.
    pub fn into_all(mut self) -> Vec<Interval> {
        self.kept.extend(merged(&self.pending));
        self.kept
    }
}

fn side(done: &Side) -> IntervalSide {
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
            let read = IntervalSide { ios: 7, bytes: 7 * 4096, p50_ns: 5, p99_ns: second };
            intervals.keep(Interval {
                start_ms: second * 1000,
                length_ms: 1000,
                read,
                ..Interval::default()
            });
        }
        let all = intervals.into_all();
        assert!(all.len() <= MOST && all.len() > MOST / 4, "{}", all.len());
        assert_eq!(all.iter().map(|one| one.read.ios).sum::<u64>(), 7 * day);
        assert_eq!(all.iter().map(|one| one.length_ms).sum::<u64>(), day * 1000);
        assert_eq!(all.iter().map(|one| one.read.p99_ns).max(), Some(day - 1));
    }
}
