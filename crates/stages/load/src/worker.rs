//! What one job thread works with: its file, its order of offsets, its counters, and the flags it shares with the rest.

use super::LoadError;
use super::counters::Counters;
pub use super::pattern::Data;
use super::prepare::ScratchPlace;
use super::source::{Io, NextStage, OffsetSource, SourceKind, Span, Surroundings};
use host::clock::FastClock;
use host::files::DataFile;
use host::process::CpuTime;
use model::imported::SideFigures;
use model::job::Job;
use model::record::Verified;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What all threads of a load share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Raised once: threads submit nothing more and leave when all that is in flight has come back.
    pub stop: AtomicBool,
    /// Raised once: jobs that sync or read back at their end stop moving data and do that (`Running::wind_down`).
    pub is_winding_down: Arc<AtomicBool>,
    /// I/Os each job may have in flight.
    pub depth_limit: AtomicU32,
    failure: Mutex<Option<LoadError>>,
    errors: Mutex<BTreeMap<i32, u64>>,
    verified: Mutex<Option<Verified>>,
    /// Arrivals of an open loop that still waited for a place in the queue when the load ended.
    pub waiting_arrivals: AtomicU64,
    notes: Mutex<Vec<String>>,
    left: Mutex<Vec<String>>,
    printed: Mutex<Vec<PrintedRate>>,
    cpu: Mutex<Option<CpuTime>>,
    told: Mutex<Option<SideFigures>>,
    broken_off: Mutex<Option<String>>,
    /// Threads that remove what they made: they are waited for however long it takes.
    pub cleaning: AtomicU32,
    /// What the threads of one load have in common beyond this; the engine's own.
    pub common: OnceLock<Arc<dyn Any + Send + Sync>>,
}

/// A rate that the program which makes the load told of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedRate {
    /// When it was printed, ns of `host::clock::monotonic_ns`. It holds for the time since the one before.
    pub at_ns: u64,
    /// The number that was printed, in the program's own unit.
    pub value: f64,
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
        lock(&self.errors)
            .iter()
            .map(|(errno, count)| (*errno, *count))
            .collect()
    }
}

/// Bad blocks that are told one by one.
const FIRST_BAD: usize = 10;

impl Shared {
    /// Counts checked blocks and the sentences of bad ones.
    pub fn verified(&self, blocks: u64, bad: &[String]) {
        let mut held = lock(&self.verified);
        let all = held.get_or_insert_default();
        all.blocks += blocks;
        all.bad += bad.len() as u64;
        let room = FIRST_BAD.saturating_sub(all.first_bad.len());
        all.first_bad.extend(bad.iter().take(room).cloned());
    }

    /// What was checked so far.
    pub fn verification(&self) -> Option<Verified> {
        lock(&self.verified).clone()
    }

    /// Adds a note that came up while the load ran; the same one is kept once.
    pub fn note(&self, note: String) {
        let mut notes = lock(&self.notes);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Adds what the end of the load leaves behind: processes, or I/Os that do not come back.
    pub fn leave(&self, what: String) {
        lock(&self.left).push(what);
    }

    /// What the end of the load left behind.
    pub fn left(&self) -> Vec<String> {
        lock(&self.left).clone()
    }

    /// Adds a rate that the program told.
    pub fn print(&self, rate: PrintedRate) {
        lock(&self.printed).push(rate);
    }

    /// The rates told so far, from this one on.
    pub fn printed(&self, from: usize) -> Vec<PrintedRate> {
        lock(&self.printed).get(from..).unwrap_or_default().to_vec()
    }

    /// Says what CPU time the load took, where it is another program's or nobody's.
    pub fn set_cpu(&self, cpu: CpuTime) {
        *lock(&self.cpu) = Some(cpu);
    }

    /// CPU time of the load, where it is not this process's.
    pub fn cpu(&self) -> Option<CpuTime> {
        *lock(&self.cpu)
    }

    /// Keeps the sums of the program that makes the load.
    pub fn tell(&self, sums: SideFigures) {
        *lock(&self.told) = Some(sums);
    }

    /// Those sums.
    pub fn told(&self) -> Option<SideFigures> {
        lock(&self.told).clone()
    }

    /// Says why the load ends before its time, with what was done until then; the first reason is kept.
    pub fn break_off(&self, why: String) {
        lock(&self.broken_off).get_or_insert(why);
    }

    /// That reason.
    pub fn broken_off(&self) -> Option<String> {
        lock(&self.broken_off).clone()
    }

    /// The notes added so far.
    pub fn notes(&self) -> Vec<String> {
        lock(&self.notes).clone()
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
    /// Which job of the section this is, from 0.
    pub index: u32,
    /// The files it works on, open file descriptions of this thread's own; none for an engine that needs none.
    pub files: Vec<DataFile>,
    /// The target itself, for engines that do not work on files.
    pub place: Arc<ScratchPlace>,
    /// The job.
    pub job: Arc<Job>,
    /// Seed of this thread's order, mix and data.
    pub seed: u64,
    /// The bytes of each file that this thread works on.
    pub span: Span,
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
    /// What is left to do when the engine has drained.
    pub next_stage: Arc<NextStage>,
}

impl Worker {
    /// The stream of this thread's I/Os.
    pub fn source(&self) -> OffsetSource {
        let drops_pages = self.job.cold_passes || (self.job.verify.is_some() && !self.job.direct);
        // Pages belong to the file, not to who opened it: any description of it can drop them.
        let files = self.files.iter().filter(|_| drops_pages);
        let files = files
            .filter_map(|file| file.reopen(Default::default()).ok())
            .collect();
        let (next, is_winding_down) =
            (self.next_stage.clone(), self.shared.is_winding_down.clone());
        OffsetSource::new(&self.job, self.span, self.files.len(), self.seed).within(Surroundings {
            files,
            next,
            is_winding_down,
        })
    }

    /// What this thread writes and expects to read.
    pub fn data(&self) -> Data {
        let names = self
            .files
            .iter()
            .map(|file| model::text::shown(file.path()))
            .collect();
        Data::new(&self.job, self.seed).with_names(names)
    }

    /// Does an I/O that moves no data, and waits for it: a discard or a sync. The error is an errno.
    pub fn do_and_wait(&self, io: Io) -> Result<(), i32> {
        let file = self.files.get(usize::from(io.file)).ok_or(libc::EBADF)?;
        let done = match io.kind {
            SourceKind::Trim => file.discard(io.offset, io.bytes.into()),
            SourceKind::Sync => file.flush(false),
            SourceKind::Datasync => file.flush(true),
            SourceKind::Read | SourceKind::Write => return Err(libc::EINVAL),
        };
        done.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))
    }

    /// Counts a completed I/O: `latency_ns` from when it was to begin, `service_ns` from when it did.
    #[inline(always)]
    pub fn completed(&self, io: Io, latency_ns: u64, service_ns: u64) {
        self.counters
            .completed(io.kind.lane(), io.bytes.into(), latency_ns);
        if self.job.open_loop && !io.kind.is_sync() {
            self.counters.served(service_ns);
        }
    }

    /// Counts a read that was checked, and what is wrong with it.
    #[cold]
    pub fn bad_block(&self, io: Io, what: String) {
        self.shared.verified(0, std::slice::from_ref(&what));
        if self.job.verify.is_some_and(|verify| verify.fatal) {
            let path = self.path_of(io);
            self.shared.fail(LoadError::Corrupt {
                target: model::text::shown(path),
                what,
            });
        }
    }

    /// Whether to submit nothing more.
    #[inline(always)]
    pub fn is_stopping(&self) -> bool {
        self.shared.stop.load(Relaxed)
    }

    fn path_of(&self, io: Io) -> &std::path::Path {
        self.files
            .get(usize::from(io.file))
            .map_or_else(|| self.place.path(), |file| file.path())
    }

    /// Counts a failed I/O and stops the load: a rate or a latency measured over failing I/O is of no use, so the
    /// first failure ends it. `errno` 0 is an unexpected end of the file.
    #[cold]
    pub fn fail(&self, io: Io, errno: i32) {
        *lock(&self.shared.errors).entry(errno).or_default() += 1;
        let path = self.path_of(io);
        self.shared.fail(LoadError::io(
            path,
            io.kind.word(),
            io.offset,
            u64::from(io.bytes),
            errno,
        ));
    }
}
