//! What one job thread works with: its file, its order of offsets, its counters, and the flags it shares with the rest.

use super::LoadError;
use super::counters::Counters;
use super::offsets::{Offsets, Range};
use super::pattern::mix64;
use super::rate::Pace;
use host::clock::FastClock;
use host::files::DataFile;
use model::job::Job;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What all threads of a load share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Raised once: threads submit nothing more and leave when all that is in flight has come back.
    pub stop: AtomicBool,
    /// I/Os each job may have in flight.
    pub depth_limit: AtomicU32,
    failure: Mutex<Option<LoadError>>,
    errors: Mutex<BTreeMap<i32, u64>>,
}

/// A panicking thread leaves these in no half-written state, so poisoning says nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// The error that stopped the load.
    pub fn failure(&self) -> Option<LoadError> {
        lock(&self.failure).clone()
    }

    /// Stops the load with an error; the first one is kept.
    pub fn fail(&self, error: LoadError) {
        lock(&self.failure).get_or_insert(error);
        self.stop.store(true, Relaxed);
    }

    /// Failed I/Os by errno.
    pub fn errors(&self) -> Vec<(i32, u64)> {
        lock(&self.errors).iter().map(|(errno, count)| (*errno, *count)).collect()
    }
}

/// Refusals that tests inject in place of an old or a locked-down kernel's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// errno of io_uring_setup.
    pub ring: Option<i32>,
    /// errno of io_uring_setup with any flag.
    pub flags: Option<i32>,
    /// errno of registering buffers.
    pub buffers: Option<i32>,
}

/// An engine that is ready on its thread.
pub struct Opened {
    /// For people: `io_uring (SINGLE_ISSUER, DEFER_TASKRUN, registered files and buffers)`.
    pub description: String,
    /// Fall-backs taken and what they mean.
    pub notes: Vec<String>,
    /// Runs the load until it is stopped, and returns when nothing is in flight.
    pub drive: Box<dyn FnOnce(&Worker)>,
}

/// Why an engine is not ready.
#[derive(Debug)]
pub enum OpenError {
    /// This kernel or its policy does not let it be used; another engine may be.
    Refused(String),
    /// Nothing would help.
    Failed(LoadError),
}

/// One job thread's belongings.
#[derive(Debug)]
pub struct Worker {
    /// The target, an open file description of this thread's own.
    pub file: DataFile,
    /// The job.
    pub job: Arc<Job>,
    /// Seed of this thread's order, mix and data.
    pub seed: u64,
    /// Blocks of the job's size that this thread works on.
    pub range: Range,
    /// The clock of all latencies.
    pub clock: FastClock,
    /// Start of the load's time line, ns; set when all threads are ready.
    pub origin_ns: u64,
    /// What all threads share.
    pub shared: Arc<Shared>,
    /// What this thread counts.
    pub counters: Arc<Counters>,
    /// Injected refusals.
    pub faults: Faults,
}

impl Worker {
    /// The endless stream of this thread's I/Os.
    pub fn source(&self) -> Source {
        let mut source = Source::new(&self.job, self.range, self.seed);
        if self.job.cold_passes {
            // Pages belong to the file, not to who opened it: any description of it can drop them.
            source.cold = self.file.reopen(host::files::Access::default()).ok();
        }
        source
    }

    /// The schedule of this thread's I/Os, from the origin on.
    pub fn pace(&self) -> Pace {
        Pace::new(self.job.rate_iops, self.job.iodepth, self.origin_ns)
    }

    /// Whether to submit nothing more.
    #[inline(always)]
    pub fn is_stopping(&self) -> bool {
        self.shared.stop.load(Relaxed)
    }

    /// Counts a failed I/O and stops the load: a rate or a latency measured over failing I/O is of no use, so the
    /// first failure ends it. `errno` 0 is an unexpected end of the file.
    #[cold]
    pub fn fail(&self, io: Io, errno: i32) {
        *lock(&self.shared.errors).entry(errno).or_default() += 1;
        self.shared.fail(LoadError::io(self.file.path(), io.write, io.offset, self.job.bs, errno));
    }
}

/// One I/O to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Where, bytes.
    pub offset: u64,
    /// Its place in the thread's stream, from 0: what makes written data unique.
    pub number: u64,
    /// Write, not read.
    pub write: bool,
}

/// Offsets and directions of one job thread, decided by the seed alone.
#[derive(Debug)]
pub struct Source {
    offsets: Offsets,
    /// A sequential mix keeps a place of its own for writes, as fio does; a random mix shares one order.
    write_offsets: Option<Offsets>,
    number: u64,
    seed: u64,
    bs: u64,
    /// Share of writes, in 2^32ths.
    write_share: u64,
    /// The file whose pages are dropped before every pass but the first, which the start has seen to.
    cold: Option<DataFile>,
    range: Range,
    passes: u64,
}

impl Source {
    fn new(job: &Job, range: Range, seed: u64) -> Source {
        let sequential_mix = job.rw.reads() && job.rw.writes() && !job.rw.is_random();
        let offsets = match job.rw.is_random() {
            true => Offsets::random(range, seed),
            false => Offsets::sequential(range),
        };
        let write_percent = match (job.rw.reads(), job.rw.writes()) {
            (true, true) => 100 - u64::from(job.rwmixread.min(100)),
            (_, writes) => u64::from(writes) * 100,
        };
        Source {
            write_offsets: sequential_mix.then(|| offsets.clone()),
            offsets,
            number: 0,
            seed,
            bs: job.bs,
            write_share: (write_percent << 32) / 100,
            cold: None,
            range,
            passes: 0,
        }
    }

    /// The next I/O.
    #[inline]
    pub fn next_io(&mut self) -> Io {
        let number = self.number;
        self.number += 1;
        let write = match self.write_share {
            0 => false,
            all if all == 1 << 32 => true,
            share => mix64(self.seed ^ number) >> 32 < share,
        };
        let offsets = match &mut self.write_offsets {
            Some(offsets) if write => offsets,
            _ => &mut self.offsets,
        };
        let io = Io { offset: offsets.next_block() * self.bs, number, write };
        if self.cold.is_some() {
            self.drop_pages_on_a_new_pass();
        }
        io
    }

    #[cold]
    fn drop_pages_on_a_new_pass(&mut self) {
        let passes = self.offsets.passes();
        if let Some(file) = self.cold.as_ref().filter(|_| passes != self.passes) {
            self.passes = passes;
            // Best effort, as it is for fio: a file system that cannot drop pages serves them from memory.
            let _ = file.drop_cache(self.range.first * self.bs, self.range.count * self.bs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::Rw;

    fn source(job: Job) -> Source {
        Source::new(&job, Range { first: 0, count: 1000 }, 7)
    }

    #[test]
    fn the_mix_is_kept_and_repeatable() {
        let job = Job { rw: Rw::Randrw, rwmixread: 70, ..Job::default() };
        let ios: Vec<Io> = std::iter::repeat_with({
            let mut source = source(job.clone());
            move || source.next_io()
        })
        .take(10_000)
        .collect();
        let reads = ios.iter().filter(|io| !io.write).count();
        assert!((6_800..7_200).contains(&reads), "{reads}");
        let mut again = source(job);
        assert!(ios.iter().all(|io| *io == again.next_io()));
    }

    #[test]
    fn a_sequential_mix_has_two_places() {
        let mut source = source(Job { rw: Rw::Rw, ..Job::default() });
        let (mut read, mut write) = (0, 0);
        for _ in 0..100 {
            let io = source.next_io();
            let next = if io.write { &mut write } else { &mut read };
            assert_eq!(io.offset, *next);
            *next += 4096;
        }
        assert!(read > 0 && write > 0);
    }
}
