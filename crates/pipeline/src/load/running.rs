//! A load at work: what the caller watches, and how it ends.

use super::LoadError;
use super::counters::{BIN_NS, BINS, Counters};
use super::worker::Shared;
use host::clock;
use host::process::{self, CpuTime};
use host::signals::Stop;
use model::histogram::Histogram;
use model::job::Job;
use model::record::{Direction, LoadResult};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

/// How long the end of a load waits for I/O in flight before it gives the device up, ns.
const DRAIN_NS: u64 = 60_000_000_000;

/// Completions since the start of a load, of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// When, ns on the time line of `host::clock::monotonic_ns`.
    pub at_ns: u64,
    /// Completed I/Os.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// Latencies of reads.
    pub read: Histogram,
    /// Latencies of writes.
    pub write: Histogram,
}

impl Snapshot {
    /// Latencies of both directions since an earlier snapshot of the same load.
    pub fn latency_since(&self, earlier: &Snapshot) -> Histogram {
        let mut latency = self.read.since(&earlier.read);
        latency.merge(&self.write.since(&earlier.write));
        latency
    }
}

/// A load at work. Dropping it ends the load as [`Running::finish`] does.
#[derive(Debug)]
pub struct Running {
    job: Arc<Job>,
    shared: Arc<Shared>,
    counters: Vec<Arc<Counters>>,
    threads: Vec<JoinHandle<()>>,
    engine: String,
    notes: Vec<String>,
    origin_ns: u64,
    cpu_before: CpuTime,
}

impl Running {
    pub(super) fn new(
        job: Arc<Job>,
        shared: Arc<Shared>,
        counters: Vec<Arc<Counters>>,
        threads: Vec<JoinHandle<()>>,
        (engine, notes): (String, Vec<String>),
        (origin_ns, cpu_before): (u64, CpuTime),
    ) -> Running {
        Running { job, shared, counters, threads, engine, notes, origin_ns, cpu_before }
    }

    /// Start of the load's time line, ns of `host::clock::monotonic_ns`. Bin 0 begins here.
    pub fn origin_ns(&self) -> u64 {
        self.origin_ns
    }

    /// Width of a bin, ns.
    pub fn bin_ns(&self) -> u64 {
        BIN_NS
    }

    /// Completions of all jobs in `count` bins from `first` on. Bins that are not over yet are not final. An error says
    /// that the first of them is older than the counters reach (10.9 minutes).
    pub fn bins(&self, first: u64, count: usize) -> Result<Vec<u64>, LoadError> {
        (first..first + count as u64)
            .map(|bin| {
                let counts = self.counters.iter().map(|counters| counters.bin_count(bin));
                counts.sum::<Option<u64>>().ok_or(LoadError::BinLost { bin })
            })
            .collect()
    }

    /// All completions so far.
    pub fn snapshot(&self) -> Snapshot {
        let mut all = Snapshot { at_ns: clock::monotonic_ns(), ..Snapshot::default() };
        for counters in &self.counters {
            all.read.merge(&counters.histogram(false));
            all.write.merge(&counters.histogram(true));
        }
        all.ios = all.read.total() + all.write.total();
        all.bytes = all.ios * self.job.bs;
        all
    }

    /// I/Os submitted and not completed, all jobs together; a moment old.
    pub fn inflight(&self) -> u32 {
        self.counters.iter().map(|counters| counters.inflight.load(Relaxed)).sum()
    }

    /// Limits the I/Os in flight of each job, from 1 to the job's `iodepth`, from now on. What is in flight above the
    /// limit completes first. Without effect on an engine without depth.
    pub fn set_depth_limit(&self, depth: u32) {
        self.shared.depth_limit.store(depth.clamp(1, self.job.iodepth), Relaxed);
    }

    /// Why the load stopped by itself, if it did.
    pub fn failure(&self) -> Option<LoadError> {
        self.shared.failure()
    }

    /// Fall-backs taken and doubts about the test, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Waits, at most `ms`, and returns early when a stop is asked for or the load failed. Whether the time passed.
    pub fn wait_ms(&self, ms: u64, stop: &Stop) -> bool {
        let deadline_ns = clock::monotonic_ns() + ms * 1_000_000;
        while !stop.is_asked() && !self.shared.stop.load(Relaxed) {
            let left_ns = deadline_ns.saturating_sub(clock::monotonic_ns());
            if left_ns == 0 {
                return true;
            }
            clock::sleep_ns(left_ns.min(20_000_000));
        }
        false
    }

    /// Ends the load: nothing more is submitted, what is in flight is waited for and counted. A device that does not
    /// answer for a minute is given up, and the notes say so. Ask [`Running::failure`] first: a load that stopped by
    /// itself gives its result here all the same.
    pub fn finish(mut self) -> LoadResult {
        self.halt();
        let all = self.snapshot();
        let first_ns = self.counters.iter().map(|counters| counters.first_ns.load(Relaxed)).min();
        let last_ns = self.counters.iter().map(|counters| counters.last_ns.load(Relaxed)).max().unwrap_or(0);
        let elapsed_ns = last_ns.saturating_sub(first_ns.unwrap_or(0));
        let cpu = process::cpu_time().since(self.cpu_before);
        let bins = self.all_bins(last_ns);
        let direction = |latency: Histogram| Direction {
            ios: latency.total(),
            bytes: latency.total() * self.job.bs,
            latency,
        };
        LoadResult {
            engine: std::mem::take(&mut self.engine),
            elapsed_ms: elapsed_ns as f64 / 1e6,
            read: direction(all.read),
            write: direction(all.write),
            bins,
            bin_ms: BIN_NS / 1_000_000,
            cpu_user_ms: cpu.user_ns as f64 / 1e6,
            cpu_system_ms: cpu.system_ns as f64 / 1e6,
            errors: self.shared.errors(),
            notes: std::mem::take(&mut self.notes),
        }
    }

    /// The bins from the origin to the last completion, or as many of the last as are kept.
    fn all_bins(&mut self, last_ns: u64) -> Vec<u32> {
        let end = last_ns.saturating_sub(self.origin_ns) / BIN_NS + u64::from(last_ns > 0);
        let first = end.saturating_sub(BINS as u64);
        if first > 0 {
            self.notes.push(format!(
                "the bins leave out the first {} s of the load",
                first * BIN_NS / 1_000_000_000
            ));
        }
        let bins = self.bins(first, (end - first) as usize).unwrap_or_default();
        bins.into_iter().map(|count| count as u32).collect()
    }

    /// Stops the threads. One that does not come back in time is left to the kernel; it holds only what is its own.
    fn halt(&mut self) {
        if self.threads.is_empty() {
            return;
        }
        self.shared.stop.store(true, Relaxed);
        let deadline_ns = clock::monotonic_ns() + DRAIN_NS;
        let is_done = |counters: &Vec<Arc<Counters>>| counters.iter().all(|one| one.is_done.load(Relaxed));
        while !is_done(&self.counters) && clock::monotonic_ns() < deadline_ns {
            clock::sleep_ns(200_000);
        }
        for (thread, counters) in self.threads.drain(..).zip(&self.counters) {
            if !counters.is_done.load(Relaxed) {
                let left = counters.inflight.load(Relaxed);
                self.notes.push(format!(
                    "{left} I/Os did not come back within {} s: the device or its driver hangs; see the kernel log \
                     (dmesg)",
                    DRAIN_NS / 1_000_000_000
                ));
            } else if thread.join().is_err() {
                self.notes
                    .push("a load thread ended by a defect in iodyno; its counts may be incomplete".into());
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.halt();
    }
}
