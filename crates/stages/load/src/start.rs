//! Starting a load: threads, their shares of the target, their engines, and one common beginning.

use super::offsets::OffsetRange;
use super::running::Begun;
use super::source::Span;
use super::worker::{Faults, OpenError, Shared, Worker};
use super::{
    Engine, LoadError, Needs, Prepared, Region, Running, Runs, check, counters::Counters, notes,
    rehearsed,
};
use host::clock::FastClock;
use host::files::{Access, DataFile};
use host::process;
use model::job::{Job, Sharing};
use stats::dice::mix64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

/// What a thread says once its engine is ready: the engine's description and its notes.
type Ready = Result<(String, Vec<String>), OpenError>;

/// Sets the job's threads to work on a share of the target. Each has an open file description of its own, made now, so
/// that a read-ahead changed since the last start is in force.
///
/// Errors: a job that cannot be run as asked or does not fit what was prepared, a target that cannot be opened, an
/// engine that cannot be used and has no stand-in.
pub fn start(
    prepared: &Prepared,
    job: &Job,
    seed: u64,
    region: Region,
) -> Result<Running, LoadError> {
    start_with(prepared, job, seed, region, Faults::default())
}

pub(super) fn start_with(
    prepared: &Prepared,
    job: &Job,
    seed: u64,
    region: Region,
    faults: Faults,
) -> Result<Running, LoadError> {
    let engine = check::job(job)?;
    check::fits(prepared, job)?;
    if let Some(rehearsal) = prepared.place().host.rehearsal() {
        let notes = notes::of_job(prepared, job);
        let file_bytes = prepared.file_bytes();
        return Ok(rehearsed::start(
            rehearsal,
            (engine, job),
            (file_bytes, notes),
        ));
    }
    let spans = spans(prepared, job, region, engine)?;
    let mut notes = prepared.notes().to_vec();
    notes.extend(notes::of_job(prepared, job));
    forget_cache(prepared, job, &spans)?;
    let plan = StartPlan {
        prepared,
        job: Arc::new(job.clone()),
        seed,
        spans,
        faults,
    };
    let mut outcome = plan.launch(engine, notes.clone());
    for stand_in in stand_ins(engine, job) {
        let Err(OpenError::Refused(why)) = outcome else {
            break;
        };
        notes.push(format!(
            "{} cannot be used: {why}. {}",
            engine.id,
            replaced(stand_in, job)
        ));
        outcome = plan.launch(stand_in, notes.clone());
    }
    outcome.map_err(unusable)
}

/// What may do a job in place of an engine that this kernel or its policy refuses, best first.
fn stand_ins(engine: &Engine, job: &Job) -> Vec<&'static Engine> {
    use super::engines::{io_uring, libaio, psync};
    let is_ring = engine.id == io_uring::ENGINE.id;
    let mut all = Vec::new();
    // Without direct I/O libaio is no more than psync.
    if is_ring && (job.direct || job.open_loop) {
        all.push(&libaio::ENGINE);
    }
    // An open loop with one I/O at a time would be none.
    if (is_ring || engine.id == libaio::ENGINE.id) && !job.open_loop {
        all.push(&psync::ENGINE);
    }
    all
}

fn replaced(stand_in: &Engine, job: &Job) -> String {
    if stand_in.has_depth {
        return format!("{} stands in, at the same depth", stand_in.id);
    }
    format!(
        "{} stands in at depth 1 for each of {} job(s), in place of depth {}: rates and latencies are those of a shallow \
         queue",
        stand_in.id, job.numjobs, job.iodepth
    )
}

fn unusable(error: OpenError) -> LoadError {
    match error {
        OpenError::Failed(error) => error,
        OpenError::Refused(why) => LoadError::Engine {
            engine: "of this job".into(),
            why,
        },
    }
}

/// What each thread works on, in each of its files.
fn spans(
    prepared: &Prepared,
    job: &Job,
    region: Region,
    engine: &Engine,
) -> Result<Vec<Span>, LoadError> {
    let threads = if engine.runs == Runs::PerJob {
        job.numjobs
    } else {
        1
    };
    let whole = prepared.file_bytes();
    let one = |index: u32| {
        let (start, blocks) = match job.files.sharing {
            Sharing::Shares => {
                let range = blocks(job.offset, whole, job.bs).share(region.index, region.of);
                (
                    job.offset,
                    if job.rw.is_random() {
                        range
                    } else {
                        range.share(index, threads)
                    },
                )
            }
            Sharing::Same | Sharing::Own => {
                let start = job
                    .offset
                    .saturating_add(job.offset_increment.saturating_mul(index.into()));
                let end = start.saturating_add(prepared.job_bytes(job)).min(whole);
                (
                    start,
                    blocks(start, end, job.bs).share(region.index, region.of),
                )
            }
        };
        let span = Span {
            start: start + blocks.first * job.bs,
            bytes: blocks.count * job.bs,
        };
        if engine.needs == Needs::Files && (blocks.count == 0 || span.bytes < job.max_bs()) {
            return Err(LoadError::usage(
                format!("--size {}", whole.saturating_sub(job.offset)),
                format!(
                    "{} job(s) of blocks of {} bytes do not fit",
                    job.numjobs,
                    job.max_bs()
                ),
                "Ask for a larger size, smaller blocks or fewer jobs",
            ));
        }
        Ok(span)
    };
    (0..threads).map(one).collect()
}

/// The whole blocks of a range of bytes, counted from its start.
fn blocks(start: u64, end: u64, bs: u64) -> OffsetRange {
    OffsetRange {
        first: 0,
        count: end.saturating_sub(start) / bs,
    }
}

/// Buffered reads are to come from the device, not from what an earlier load left in the page cache.
fn forget_cache(prepared: &Prepared, job: &Job, spans: &[Span]) -> Result<(), LoadError> {
    if job.direct || !job.invalidate || !job.rw.reads() || prepared.keeps_cache() {
        return Ok(());
    }
    let start = spans.iter().map(|span| span.start).min().unwrap_or(0);
    let end = spans
        .iter()
        .map(|span| span.start + span.bytes)
        .max()
        .unwrap_or(0);
    for file in prepared.all_files() {
        if prepared.is_writable() {
            file.sync()?;
        }
        file.drop_cache(start, end - start)?;
    }
    Ok(())
}

/// What all attempts to start one load have in common.
struct StartPlan<'a> {
    prepared: &'a Prepared,
    job: Arc<Job>,
    seed: u64,
    spans: Vec<Span>,
    faults: Faults,
}

/// A thread that waits for the common beginning.
struct Waiting {
    handle: JoinHandle<()>,
    go: mpsc::Sender<u64>,
    counters: Arc<Counters>,
}

impl StartPlan<'_> {
    fn launch(
        &self,
        engine: &'static Engine,
        mut notes: Vec<String>,
    ) -> Result<Running, OpenError> {
        let clock = FastClock::calibrate();
        let shared = Arc::new(Shared::default());
        shared.depth_limit.store(self.job.iodepth, Relaxed);
        let (ready, readiness) = mpsc::channel();
        let mut threads = Vec::new();
        for index in 0..self.spans.len() as u32 {
            let worker = self
                .worker(engine, index, clock, &shared)
                .map_err(OpenError::Failed)?;
            threads.push(spawn(engine, worker, index, ready.clone()).map_err(OpenError::Failed)?);
        }
        drop(ready);
        // An early return drops every `go`: the threads see that nothing will come and leave.
        let mut description = None;
        for outcome in readiness.iter().take(threads.len()) {
            let (text, more) = outcome?;
            description.get_or_insert(text);
            for note in more {
                // Every thread says the same.
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        let cpu_before = process::cpu_time();
        let origin_ns = clock.now_ns();
        let (mut handles, mut counters) = (Vec::new(), Vec::new());
        for thread in threads {
            // A thread that has died since is found by its handle when the load ends.
            let _ = thread.go.send(origin_ns);
            handles.push(thread.handle);
            counters.push(thread.counters);
        }
        let description = description.unwrap_or_else(|| engine.id.into());
        let depth = match (engine.runs, engine.has_depth) {
            (Runs::Program | Runs::LookingOn | Runs::Command, _) => 0,
            (Runs::PerJob, true) => self.job.iodepth,
            (Runs::PerJob, false) => 1,
        };
        let begun = Begun {
            engine,
            description,
            notes,
            origin_ns,
            cpu_before,
            shared,
            clock,
            depth,
            stage: None,
        };
        Ok(Running::new(begun, counters, handles))
    }

    fn worker(
        &self,
        engine: &Engine,
        index: u32,
        clock: FastClock,
        shared: &Arc<Shared>,
    ) -> Result<Worker, LoadError> {
        let job = &self.job;
        let access = Access {
            direct: job.direct,
            write: self.prepared.is_writable() && job.rw.changes(),
            sync: job.sync,
            ..Access::default()
        };
        // One that stands for all jobs has the files of all, which may be fewer than were made ready.
        let files: Vec<&DataFile> = match (engine.runs, job.files.sharing) {
            (Runs::PerJob, _) => self.prepared.files(index).iter().collect(),
            (_, Sharing::Own) => (0..job.numjobs)
                .flat_map(|index| self.prepared.files(index))
                .collect(),
            _ => self.prepared.all_files().collect(),
        };
        let files = files.into_iter().map(|file| open_again(file, access));
        Ok(Worker {
            index,
            files: files.collect::<Result<_, _>>()?,
            place: Arc::clone(self.prepared.place()),
            job: Arc::clone(job),
            seed: mix64(self.seed ^ mix64(job.randseed ^ u64::from(index) << 32)),
            span: self.spans[index as usize],
            clock,
            origin_ns: 0,
            shared: Arc::clone(shared),
            counters: Arc::new(Counters::new(engine.operations.len(), job.open_loop)),
            faults: self.faults,
            next_stage: Arc::default(),
        })
    }
}

fn open_again(file: &DataFile, access: Access) -> Result<DataFile, LoadError> {
    file.reopen(access).map_err(|error| match error.errno() {
        Some(libc::EINVAL) if access.direct => LoadError::NoDirect {
            target: model::text::shown(file.path()),
            why: "its file system refuses O_DIRECT".into(),
        },
        _ => error.into(),
    })
}

fn spawn(
    engine: &'static Engine,
    worker: Worker,
    index: u32,
    ready: mpsc::Sender<Ready>,
) -> Result<Waiting, LoadError> {
    let counters = Arc::clone(&worker.counters);
    let (go, gone) = mpsc::channel();
    let handle = std::thread::Builder::new()
        .name(format!("iodyno-load-{index}"))
        .spawn(move || thread_main(engine, worker, index, &ready, &gone))
        .map_err(|error| LoadError::Engine {
            engine: engine.id.into(),
            why: format!(
                "thread {index} cannot be started ({error}); ask for fewer with --numjobs"
            ),
        })?;
    Ok(Waiting {
        handle,
        go,
        counters,
    })
}

/// Marks the counters done however the thread ends.
struct LoadDone(Arc<Counters>);

impl Drop for LoadDone {
    fn drop(&mut self) {
        self.0.is_done.store(true, Relaxed);
    }
}

fn thread_main(
    engine: &Engine,
    mut worker: Worker,
    index: u32,
    ready: &mpsc::Sender<Ready>,
    go: &mpsc::Receiver<u64>,
) {
    let _done = LoadDone(Arc::clone(&worker.counters));
    let opened = match pin(&worker.job, index) {
        Ok(()) => (engine.open)(&worker),
        Err(error) => Err(OpenError::Failed(error)),
    };
    // Nobody listens once another thread has failed; then `go` is gone too, and this thread ends.
    match opened {
        Err(error) => _ = ready.send(Err(error)),
        Ok(opened) => {
            let _ = ready.send(Ok((opened.description, opened.notes)));
            if let Ok(origin_ns) = go.recv() {
                worker.origin_ns = origin_ns;
                worker
                    .counters
                    .first_ns
                    .store(worker.clock.now_ns(), Relaxed);
                (opened.drive)(&worker);
                next_stages(engine, &worker);
            }
        }
    }
}

/// Runs the engine again for each further stage of the job: what follows when all that was in flight is back.
fn next_stages(engine: &Engine, worker: &Worker) {
    while worker.next_stage.is_there() && !worker.is_stopping() {
        match (engine.open)(worker) {
            Ok(opened) => (opened.drive)(worker),
            Err(error) => worker.shared.fail(unusable(error)),
        }
    }
}

fn pin(job: &Job, index: u32) -> Result<(), LoadError> {
    let cpus = check::cpus(job)?;
    if cpus.is_empty() {
        return Ok(());
    }
    Ok(process::pin_thread(cpus[index as usize % cpus.len()])?)
}
