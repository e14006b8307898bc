//! What came of paired events: times by span and direction, counts, and what each second had.

use super::pairs::BlktraceEvent;
use model::histogram::Histogram;
use std::collections::BTreeMap;

/// The time between two events of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Span {
    /// All of it, by bio.
    Q2C,
    /// Waiting for a request.
    Q2G,
    /// In the submitter's batch.
    G2I,
    /// In the scheduler.
    I2D,
    /// From the request to the driver, where there is no scheduler.
    G2D,
    /// In driver and device.
    D2C,
}

/// Times of one span.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// By bucket.
    pub histogram: Histogram,
    /// Least, ns.
    pub min_ns: u64,
    /// Greatest, ns.
    pub max_ns: u64,
    sum_ns: u128,
    squares: f64,
}

/// What one second had, in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Second {
    /// Completed requests.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// One device's counts.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    times: [[Option<Box<Times>>; 6]; 4],
    /// Bios by direction.
    pub queued: [u64; 4],
    /// Completed requests by direction, in all.
    pub done: [Second; 4],
    /// By seconds since the first event.
    pub seconds: BTreeMap<u64, [Second; 4]>,
    last_second: Option<(u64, [Second; 4])>,
    first_ns: Option<u64>,
    last_ns: u64,
    /// Requests sent to the driver.
    pub issued: u64,
    /// Requests that the driver gave back.
    pub requeued: u64,
    /// Bios that joined another's request.
    pub merged: u64,
    /// Bios that were cut.
    pub split: u64,
    /// Bios whose place another of the same sector took.
    pub replaced: u64,
    /// Ends without a beginning, and beginnings that were given up.
    pub unmatched: u64,
    /// Seconds beyond those that are kept.
    pub unkept: u64,
}

impl Span {
    /// Every span, by its number.
    pub const ALL: [Span; 6] = [
        Span::Q2C,
        Span::Q2G,
        Span::G2I,
        Span::I2D,
        Span::G2D,
        Span::D2C,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        ["q2c", "q2g", "g2i", "i2d", "g2d", "d2c"][self as usize]
    }
}

/// A trace of so many seconds has all of them kept: a day and more.
const SECONDS_MAX: usize = 200_000;
const SECTOR_BYTES: u64 = 512;
const SECOND_NS: u64 = 1_000_000_000;

impl Times {
    fn record(&mut self, ns: u64) {
        self.min_ns = if self.histogram.total() == 0 {
            ns
        } else {
            self.min_ns.min(ns)
        };
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns += u128::from(ns);
        self.squares += (ns as f64) * (ns as f64);
        self.histogram.record(ns);
    }

    /// Mean, ns.
    pub fn mean_ns(&self) -> f64 {
        self.sum_ns as f64 / self.histogram.total().max(1) as f64
    }

    /// Standard deviation, ns.
    pub fn stddev_ns(&self) -> f64 {
        let mean = self.mean_ns();
        (self.squares / self.histogram.total().max(1) as f64 - mean * mean)
            .max(0.0)
            .sqrt()
    }
}

impl Tally {
    /// Notes an event's time.
    #[inline]
    pub fn seen(&mut self, at_ns: u64) {
        self.first_ns.get_or_insert(at_ns);
        self.last_ns = self.last_ns.max(at_ns);
    }

    /// From the first event to the last, ns.
    pub fn elapsed_ns(&self) -> u64 {
        self.last_ns
            .saturating_sub(self.first_ns.unwrap_or(self.last_ns))
    }

    /// Counts a completion.
    #[inline]
    pub fn done(&mut self, event: &BlktraceEvent) {
        let side = event.side as usize;
        // What follows a split is the sector of the cut and no length; of completions it is a length, if not damaged.
        let bytes = event.sectors.min(u64::from(u32::MAX) / SECTOR_BYTES) * SECTOR_BYTES;
        let second = event.at_ns.saturating_sub(self.first_ns.unwrap_or(0)) / SECOND_NS;
        if self.last_second.is_none_or(|(last, _)| last != second) {
            self.keep();
            let before = self.seconds.get(&second).copied().unwrap_or_default();
            self.last_second = Some((second, before));
        }
        if let Some((_, sides)) = &mut self.last_second {
            sides[side].ios += 1;
            sides[side].bytes += bytes;
        }
        self.done[side].ios += 1;
        self.done[side].bytes += bytes;
    }

    /// Puts the second that is being counted to the others.
    pub fn keep(&mut self) {
        let Some((second, sides)) = self.last_second.take() else {
            return;
        };
        if self.seconds.len() < SECONDS_MAX || self.seconds.contains_key(&second) {
            self.seconds.insert(second, sides);
        } else {
            self.unkept += 1;
        }
    }

    /// Adds a time, where both ends are known and believed.
    #[inline]
    pub fn add(
        &mut self,
        side: usize,
        span: Span,
        from: Option<u64>,
        to: Option<u64>,
        most_ns: u64,
    ) {
        let Some(ns) = from.zip(to).and_then(|(from, to)| to.checked_sub(from)) else {
            return;
        };
        if ns > most_ns {
            self.unmatched += 1;
            return;
        }
        self.times[side][span as usize]
            .get_or_insert_default()
            .record(ns);
    }

    /// The times of a span in a direction, where there are any.
    pub fn times(&self, side: usize, span: Span) -> Option<&Times> {
        self.times[side][span as usize].as_deref()
    }
}
