//! A load at work: what the caller watches, and how it ends.

use super::counters::{BIN_NS, Counters, lane};
use super::series::LoadSeries;
use super::worker::{PrintedRate, Shared};
use super::{Engine, LoadError};
use host::LoadOnStage;
use host::clock::{self, FastClock};
use host::process::{self, CpuTime};
use host::signals::Stop;
use model::histogram::Histogram;
use model::job::Job;
use model::latency_map::LatencyMap;
use model::record::{Direction, LoadResult, Operation};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

/// How long the end of a load waits for I/O in flight before it gives the device up, ns.
const DRAIN_NS: u64 = 60_000_000_000;

/// Completions of one kind of operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunningSide {
    /// Latencies of the completions whose latency is known.
    pub latency: Histogram,
    /// Bytes.
    pub bytes: u64,
    /// Completions whose latency is not known: those that only the device counted.
    pub untimed: u64,
}

impl RunningSide {
    fn merge(&mut self, (latency, bytes): (Histogram, u64), untimed: u64) {
        self.latency.merge(&latency);
        self.bytes += bytes;
        self.untimed += untimed;
    }

    /// Completions.
    pub fn ios(&self) -> u64 {
        self.latency.total() + self.untimed
    }

    /// What was added since an earlier moment.
    pub fn since(&self, earlier: &RunningSide) -> RunningSide {
        // What was only counted is replaced by exact numbers at the end of a load that another program makes.
        RunningSide {
            latency: self.latency.since(&earlier.latency),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            untimed: self.untimed.saturating_sub(earlier.untimed),
        }
    }

    fn into_direction(self) -> Direction {
        Direction {
            ios: self.ios(),
            bytes: self.bytes,
            latency: self.latency,
        }
    }
}

/// Completions since the start of a load, of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// When, ns on the time line of `host::clock::monotonic_ns`.
    pub at_ns: u64,
    /// Completed I/Os of all kinds but syncs.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// By kind of operation; the places are those of `load::lane`, the engine's own operations follow.
    pub sides: Vec<RunningSide>,
    /// Latencies from the real submission, of an open loop.
    pub service: Option<Histogram>,
}

impl Snapshot {
    /// The completions of a lane.
    pub fn side(&self, lane: usize) -> RunningSide {
        self.sides.get(lane).cloned().unwrap_or_default()
    }

    /// Latencies of all kinds but syncs since an earlier snapshot of the same load.
    pub fn latency_since(&self, earlier: &Snapshot) -> Histogram {
        let mut latency = Histogram::new();
        for (index, side) in self
            .sides
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != lane::SYNC)
        {
            match earlier.sides.get(index) {
                Some(before) => latency.merge(&side.latency.since(&before.latency)),
                None => latency.merge(&side.latency),
            }
        }
        latency
    }

    /// What was completed since an earlier snapshot of the same load.
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        let sides = self.sides.iter().enumerate();
        let service = match (&self.service, &earlier.service) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now.clone(),
        };
        Snapshot {
            at_ns: self.at_ns,
            ios: self.ios.saturating_sub(earlier.ios),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            sides: sides
                .map(|(lane, side)| side.since(&earlier.side(lane)))
                .collect(),
            service,
        }
    }
}

/// A load at work. Dropping it ends the load as [`Running::finish`] does.
#[derive(Debug)]
pub struct Running {
    engine: &'static Engine,
    shared: Arc<Shared>,
    counters: Vec<Arc<Counters>>,
    threads: Vec<JoinHandle<()>>,
    description: String,
    notes: Vec<String>,
    origin_ns: u64,
    cpu_before: CpuTime,
    series: LoadSeries,
    /// Bins that were overwritten before anyone took them.
    lost_bins: u64,
    clock: FastClock,
    depth: u32,
    /// What was completed before the measured time began.
    ramp: Snapshot,
    /// Its part in a rehearsal, where it is no load in earnest.
    stage: Option<LoadOnStage>,
}

/// What starting a load gives beside its threads.
pub(super) struct Begun {
    pub engine: &'static Engine,
    pub description: String,
    pub notes: Vec<String>,
    pub origin_ns: u64,
    pub cpu_before: CpuTime,
    pub shared: Arc<Shared>,
    /// The threads' own clock: it numbers the bins.
    pub clock: FastClock,
    /// I/Os that each job may have in flight; 0 where another program decides.
    pub depth: u32,
    /// Its part in a rehearsal, where it is no load in earnest.
    pub stage: Option<LoadOnStage>,
}

impl Running {
    pub(super) fn new(
        begun: Begun,
        counters: Vec<Arc<Counters>>,
        threads: Vec<JoinHandle<()>>,
    ) -> Running {
        let Begun {
            engine,
            description,
            notes,
            origin_ns,
            cpu_before,
            shared,
            clock,
            depth,
            stage,
        } = begun;
        let (series, ramp) = (LoadSeries::new(), Snapshot::default());
        Running {
            engine,
            shared,
            counters,
            threads,
            description,
            notes,
            origin_ns,
            cpu_before,
            series,
            lost_bins: 0,
            clock,
            depth,
            ramp,
            stage,
        }
    }

    /// Counts what a simulated disk did until now.
    fn catch_up(&self) {
        if let Some(stage) = &self.stage {
            stage.catch_up();
        }
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
    /// that the first of them is older than the counters reach (2.7 minutes).
    pub fn bins(&self, first: u64, count: usize) -> Result<Vec<u64>, LoadError> {
        self.catch_up();
        (first..first + count as u64)
            .map(|bin| {
                let counts = self.counters.iter().map(|counters| counters.bin_count(bin));
                counts
                    .sum::<Option<u64>>()
                    .ok_or(LoadError::BinLost { bin })
            })
            .collect()
    }

    /// All completions so far.
    pub fn snapshot(&self) -> Snapshot {
        self.catch_up();
        let mut all = Snapshot {
            at_ns: clock::monotonic_ns(),
            ..Snapshot::default()
        };
        for counters in &self.counters {
            all.sides.resize(counters.lanes(), RunningSide::default());
            all.sides.iter_mut().enumerate().for_each(|(index, side)| {
                side.merge(counters.lane(index), counters.untimed(index))
            });
            if let Some(service) = counters.service() {
                all.service.get_or_insert_default().merge(&service);
            }
        }
        let counted = || {
            all.sides
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != lane::SYNC)
        };
        all.ios = counted().map(|(_, side)| side.ios()).sum();
        all.bytes = counted().map(|(_, side)| side.bytes).sum();
        all
    }

    /// Takes completions out of the short-lived bins into the series of the whole load. To be called now and then, at
    /// least every two minutes, by whoever wants the series of a long load.
    pub fn poll(&mut self) {
        // The last second is left alone: a completion may still be booked to a bin that is over.
        // By the threads' clock: after a day it may be a second away from the kernel's.
        let over = self
            .clock
            .now_ns()
            .saturating_sub(self.origin_ns + 1_000_000_000)
            / BIN_NS;
        self.take_bins(over);
    }

    fn take_bins(&mut self, end: u64) {
        self.catch_up();
        for bin in self.series.taken()..end {
            let counts = self.counters.iter().map(|counters| counters.bin_count(bin));
            let count = counts.sum::<Option<u64>>();
            self.lost_bins += u64::from(count.is_none());
            self.series.push(count.unwrap_or(0));
        }
    }

    /// What only the end of the load can tell.
    fn last_notes(&self) -> Vec<String> {
        let mut notes = self.shared.notes();
        notes.extend(self.shared.left());
        if self.lost_bins > 0 {
            let ms = self.lost_bins * BIN_NS / 1_000_000;
            notes.push(format!(
                "the bins show nothing for {ms} ms of the load: they were not taken in time"
            ));
        }
        let waiting = self.shared.waiting_arrivals.load(Relaxed);
        if waiting > 0 {
            notes.push(format!(
                "{waiting} arrivals were never submitted: they were due, and every place of the queue was taken when the \
                 load ended. Their latency is in no figure"
            ));
        }
        notes
    }

    /// Begins the measured time: what was completed until now is no part of the result (`ramp_time`).
    pub fn begin_measuring(&mut self) {
        // Another program's load leaves its ramp out by itself.
        if self.engine.is_another_program() {
            return;
        }
        self.ramp = self.snapshot();
        self.cpu_before = process::cpu_time();
    }

    /// The rates that the program which makes the load has told of itself, from this one on.
    pub fn printed(&self, from: usize) -> Vec<PrintedRate> {
        self.shared.printed(from)
    }

    /// Whether every thread has done what it was asked and left.
    pub fn is_over(&self) -> bool {
        self.catch_up();
        self.counters
            .iter()
            .all(|counters| counters.is_done.load(Relaxed))
    }

    /// I/Os submitted and not completed, all jobs together; a moment old.
    pub fn inflight(&self) -> u32 {
        self.catch_up();
        self.counters
            .iter()
            .map(|counters| counters.inflight.load(Relaxed))
            .sum()
    }

    /// Ends the moving of data in a job that has something to do when its time is up (`end_fsync`, reading back what it
    /// wrote), and lets it do that; [`Running::is_over`] says when it is done. Whether the job has such a thing. A load
    /// that another program makes never has: that program does at its end what it does when it is interrupted.
    pub fn wind_down(&self, job: &Job) -> bool {
        // Nor is anything read back or synced that was only rehearsed.
        if self.engine.is_another_program() || self.stage.is_some() {
            return false;
        }
        let is_read_back = job.verify.is_some_and(|verify| verify.read_back);
        let has_tail = job.rw.writes() && (job.end_fsync || is_read_back);
        if has_tail {
            self.shared.is_winding_down.store(true, Relaxed);
        }
        has_tail
    }

    /// Limits the I/Os in flight of each job, from 1 to the job's `iodepth`, from now on. What is in flight above the
    /// limit completes first. Without effect on an engine without depth.
    pub fn set_depth_limit(&self, depth: u32) {
        self.shared.depth_limit.store(depth.max(1), Relaxed);
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

    /// What the end of the load left behind, in words: daemons of a command, I/Os that a device does not answer.
    pub fn left(&self) -> Vec<String> {
        self.shared.left()
    }

    /// Ends the load and leaves its result to [`Running::finish`]: what fails only at the end, such as another program's
    /// report, can be asked for in between with [`Running::failure`].
    pub fn stop(&mut self) {
        self.halt();
    }

    /// Ends the load: nothing more is submitted, what is in flight is waited for and counted. A device that does not
    /// answer for a minute is given up, and the notes say so. Ask [`Running::failure`] first: a load that stopped by
    /// itself gives its result here all the same.
    pub fn finish(mut self) -> LoadResult {
        self.halt();
        let first_ns = match self.ramp.at_ns {
            0 => self
                .counters
                .iter()
                .map(|counters| counters.first_ns.load(Relaxed))
                .min()
                .unwrap_or(0),
            ramp_end_ns => ramp_end_ns,
        };
        let last_ns = self
            .counters
            .iter()
            .map(|counters| counters.last_ns.load(Relaxed))
            .max()
            .unwrap_or(0);
        let elapsed_ns = last_ns.saturating_sub(first_ns);
        let cpu = self
            .shared
            .cpu()
            .unwrap_or_else(|| process::cpu_time().since(self.cpu_before));
        self.take_bins(last_ns.saturating_sub(self.origin_ns) / BIN_NS + u64::from(last_ns > 0));
        let all = self.snapshot().since(&self.ramp);
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.last_notes());
        let direction = |lane| all.side(lane).into_direction();
        let operations = self.engine.operations.iter().enumerate();
        LoadResult {
            engine: std::mem::take(&mut self.description),
            depth: self.depth * self.counters.len() as u32,
            elapsed_ms: elapsed_ns as f64 / 1e6,
            read: direction(lane::READ),
            write: direction(lane::WRITE),
            trim: direction(lane::TRIM),
            sync: direction(lane::SYNC),
            operations: operations
                .map(|(index, name)| Operation {
                    name: (*name).into(),
                    busy_ms: self.busy_ms(lane::COUNT + index),
                    done: direction(lane::COUNT + index),
                })
                .collect(),
            service: all.service.clone(),
            bin_ms: self.series.width() * BIN_NS / 1_000_000,
            bins: std::mem::replace(&mut self.series, LoadSeries::new()).into_counts(),
            intervals: Vec::new(),
            latency_map: LatencyMap::default(),
            cpu_user_ms: cpu.user_ns as f64 / 1e6,
            cpu_system_ms: cpu.system_ns as f64 / 1e6,
            errors: self.shared.errors(),
            verified: self.shared.verification(),
            told: self.shared.told(),
            broken_off: self.shared.broken_off(),
            notes,
        }
    }

    /// How long the operations of a lane went on, ms: its threads begin and end them together.
    fn busy_ms(&self, lane: usize) -> f64 {
        self.counters
            .iter()
            .map(|counters| counters.busy_ns(lane))
            .max()
            .unwrap_or(0) as f64
            / 1e6
    }

    /// Stops the threads. One that does not come back in time is left to the kernel; it holds only what is its own.
    fn halt(&mut self) {
        drop(self.stage.take());
        if self.threads.is_empty() {
            return;
        }
        self.shared.stop.store(true, Relaxed);
        let deadline_ns = clock::monotonic_ns() + DRAIN_NS;
        let is_done =
            |counters: &Vec<Arc<Counters>>| counters.iter().all(|one| one.is_done.load(Relaxed));
        let shared = Arc::clone(&self.shared);
        let may_wait = || clock::monotonic_ns() < deadline_ns || shared.cleaning.load(Relaxed) > 0;
        while !is_done(&self.counters) && may_wait() {
            clock::sleep_ns(200_000);
            // Removing a large tree goes on for minutes and is counted too.
            self.poll();
        }
        for (thread, counters) in self.threads.drain(..).zip(&self.counters) {
            if !counters.is_done.load(Relaxed) {
                let left = counters.inflight.load(Relaxed);
                self.shared.leave(format!(
                    "{left} I/Os did not come back within {} s: the device or its driver hangs; see the kernel log \
                     (dmesg)",
                    DRAIN_NS / 1_000_000_000
                ));
            } else if thread.join().is_err() {
                self.notes.push(
                    "a load thread ended by a defect in iodyno; its counts may be incomplete"
                        .into(),
                );
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.halt();
    }
}
