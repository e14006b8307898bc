//! What one job thread counts, written by that thread alone and readable by anyone at any time.
//!
//! The thread is the only writer, so an increment is a relaxed load and a relaxed store: no locked instruction, no
//! cache line bounced unless somebody looks. A reader may see counts of one moment and bins of the next; each single
//! number is whole.

use model::histogram::{BUCKETS, Histogram, bucket_of};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Width of a bin, ns.
pub const BIN_NS: u64 = 10_000_000;

/// Bins kept: 2.7 minutes, longer than any window of an experiment. A power of two, so that a bin's place is a mask
/// away. What a run keeps of longer times it takes out as it goes (`Running::poll`).
pub const BINS: usize = 1 << 14;

/// The lanes that every engine has; an engine's own operations follow them.
pub mod lane {
    /// Reads.
    pub const READ: usize = 0;
    /// Writes.
    pub const WRITE: usize = 1;
    /// Trims.
    pub const TRIM: usize = 2;
    /// fsync and fdatasync.
    pub const SYNC: usize = 3;
    /// How many there are.
    pub const COUNT: usize = 4;
}

/// Completions of one kind of operation.
#[derive(Debug)]
struct Lane {
    cells: Vec<AtomicU64>,
    bytes: AtomicU64,
    /// Completions of which only the number is known, and their bytes.
    untimed: AtomicU64,
    untimed_bytes: AtomicU64,
    /// Time during which this thread did nothing but this, ns.
    busy_ns: AtomicU64,
}

impl Lane {
    fn new() -> Lane {
        let zero = || AtomicU64::new(0);
        Lane {
            cells: zeros(BUCKETS),
            bytes: zero(),
            untimed: zero(),
            untimed_bytes: zero(),
            busy_ns: zero(),
        }
    }

    fn histogram(&self) -> Histogram {
        Histogram::from_counts(self.cells.iter().map(|cell| cell.load(Relaxed)))
    }
}

/// Counts of one job thread since its start.
#[derive(Debug)]
pub struct Counters {
    lanes: Vec<Lane>,
    /// Latencies from the real submission, of an open loop.
    service: Option<Lane>,
    /// Each holds the bin's number above and its count below: a place that still holds an older bin reads as zero, and
    /// one that holds a newer bin is known to be lost.
    bins: Vec<AtomicU64>,
    /// First submission, ns; 0 before it.
    pub first_ns: AtomicU64,
    /// Last completion, ns; 0 before it.
    pub last_ns: AtomicU64,
    /// I/Os submitted and not completed, as of the last pass of the thread's loop.
    pub inflight: AtomicU32,
    /// Whether the thread has left its loop.
    pub is_done: AtomicBool,
}

#[inline(always)]
fn add(cell: &AtomicU64, count: u64) {
    cell.store(cell.load(Relaxed) + count, Relaxed);
}

fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

impl Counters {
    /// All zero, with `operations` lanes after the common ones.
    pub fn new(operations: usize, has_service: bool) -> Counters {
        Counters {
            lanes: (0..lane::COUNT + operations).map(|_| Lane::new()).collect(),
            service: has_service.then(Lane::new),
            bins: zeros(BINS),
            first_ns: AtomicU64::new(0),
            last_ns: AtomicU64::new(0),
            inflight: AtomicU32::new(0),
            is_done: AtomicBool::new(false),
        }
    }

    /// Counts one completion on its lane.
    #[inline(always)]
    pub fn completed(&self, lane: usize, bytes: u64, latency_ns: u64) {
        self.completed_alike(lane, bytes, (latency_ns, 1));
    }

    /// Counts several completions on their lane, of as many bytes and as long each.
    #[inline(always)]
    pub fn completed_alike(&self, lane: usize, bytes: u64, (latency_ns, count): (u64, u64)) {
        let Some(lane) = self.lanes.get(lane) else {
            return;
        };
        // `bucket_of` is below BUCKETS for every value; the check costs nothing beside the load.
        if let Some(cell) = lane.cells.get(bucket_of(latency_ns)) {
            add(cell, count);
        }
        add(&lane.bytes, bytes * count);
    }

    /// Counts the time from real submission to completion, of an open loop.
    #[inline(always)]
    pub fn served(&self, latency_ns: u64) {
        if let Some(cell) = self
            .service
            .as_ref()
            .and_then(|lane| lane.cells.get(bucket_of(latency_ns)))
        {
            add(cell, 1);
        }
    }

    /// Counts completions of which only the number and the bytes are known: what a device's own counters tell.
    pub fn counted(&self, lane: usize, ios: u64, bytes: u64) {
        let Some(lane) = self.lanes.get(lane) else {
            return;
        };
        add(&lane.untimed, ios);
        add(&lane.untimed_bytes, bytes);
    }

    /// Forgets what was only [`Counters::counted`]: the program that did the I/O has told its own numbers.
    pub fn forget_counted(&self) {
        for lane in &self.lanes {
            lane.untimed.store(0, Relaxed);
            lane.untimed_bytes.store(0, Relaxed);
        }
    }

    /// Adds time during which the thread did nothing but operations of one lane: what their rate is measured by.
    pub fn spent(&self, lane: usize, ns: u64) {
        if let Some(lane) = self.lanes.get(lane) {
            add(&lane.busy_ns, ns);
        }
    }

    /// The time added by [`Counters::spent`], ns.
    pub fn busy_ns(&self, lane: usize) -> u64 {
        self.lanes
            .get(lane)
            .map_or(0, |lane| lane.busy_ns.load(Relaxed))
    }

    /// Adds what another program measured: whole histograms and their bytes.
    pub fn absorb(&self, lane: usize, latency: &Histogram, bytes: u64) {
        let Some(lane) = self.lanes.get(lane) else {
            return;
        };
        lane.cells
            .iter()
            .zip(latency.counts())
            .for_each(|(cell, count)| add(cell, *count));
        add(&lane.bytes, bytes);
    }

    /// Counts `count` completions at `since_origin_ns`, the time since the run's origin.
    #[inline(always)]
    pub fn bin(&self, since_origin_ns: u64, count: u32) {
        let number = since_origin_ns / BIN_NS;
        let cell = &self.bins[number as usize & (BINS - 1)];
        let held = cell.load(Relaxed);
        let fresh = number << 32 | u64::from(count);
        cell.store(
            if held >> 32 == number {
                held + u64::from(count)
            } else {
                fresh
            },
            Relaxed,
        );
    }

    /// Completions in a bin; none when the bin was overwritten by a later one.
    pub fn bin_count(&self, number: u64) -> Option<u64> {
        let held = self.bins[number as usize & (BINS - 1)].load(Relaxed);
        match (held >> 32).cmp(&number) {
            std::cmp::Ordering::Equal => Some(held & u64::from(u32::MAX)),
            std::cmp::Ordering::Less => Some(0),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// How many lanes there are.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Latencies of one lane, and its bytes.
    pub fn lane(&self, lane: usize) -> (Histogram, u64) {
        let lane = &self.lanes[lane];
        (
            lane.histogram(),
            lane.bytes.load(Relaxed) + lane.untimed_bytes.load(Relaxed),
        )
    }

    /// Completions of one lane whose latency is not known.
    pub fn untimed(&self, lane: usize) -> u64 {
        self.lanes[lane].untimed.load(Relaxed)
    }

    /// Latencies from the real submission, of an open loop.
    pub fn service(&self) -> Option<Histogram> {
        self.service.as_ref().map(Lane::histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_count_and_forget() {
        let counters = Counters::new(0, false);
        counters.bin(0, 3);
        counters.bin(BIN_NS - 1, 2);
        counters.bin(5 * BIN_NS, 7);
        assert_eq!(counters.bin_count(0), Some(5));
        assert_eq!(counters.bin_count(1), Some(0));
        assert_eq!(counters.bin_count(5), Some(7));
        counters.bin((BINS as u64 + 5) * BIN_NS, 1);
        assert_eq!(counters.bin_count(5), None, "overwritten");
        assert_eq!(counters.bin_count(BINS as u64 + 5), Some(1));
        assert_eq!(
            counters.bin_count(BINS as u64),
            Some(0),
            "stale places read as empty"
        );
    }

    #[test]
    fn percentiles_agree_with_a_sort() {
        let counters = Counters::new(0, false);
        let mut exact: Vec<u64> = (0..100_000)
            .map(|i| 50_000 + stats::dice::mix64(i) % 3_000_000)
            .collect();
        exact
            .iter()
            .for_each(|&latency_ns| counters.completed((latency_ns % 2) as usize, 0, latency_ns));
        exact.sort_unstable();
        let mut all = counters.lane(lane::READ).0;
        all.merge(&counters.lane(lane::WRITE).0);
        assert_eq!(all.total(), 100_000);
        for quantile in [0.5, 0.9, 0.99, 0.999] {
            let wanted = exact[(quantile * 1e5) as usize - 1] as f64;
            let found = all.quantile_ns(quantile).unwrap() as f64;
            assert!(
                (found / wanted - 1.0).abs() < 1.0 / 64.0,
                "p{quantile}: {found} for {wanted}"
            );
        }
    }
}
