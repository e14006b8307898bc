//! The loop of engines that do one I/O at a time and wait for it: psync, sync, pvsync2, mmap.

use super::feed::{Feed, Next, sleep_until};
use super::pattern::Blocks;
use super::source::{Io, SourceKind};
use super::worker::{Data, Opened, Worker};
use std::sync::atomic::Ordering::Relaxed;

/// How an engine does an I/O.
pub trait Calls {
    /// Moves a whole block, `block.len()` bytes; an errno, or 0 at the end of the file.
    fn transfer(&mut self, worker: &Worker, io: Io, block: &mut [u8]) -> Result<(), i32>;

    /// Discards or syncs.
    fn act(&mut self, worker: &Worker, io: Io) -> Result<(), i32> {
        worker.do_and_wait(io)
    }
}

/// What to say where more depth was asked for than these engines have.
fn depth_note(engine: &str, worker: &Worker) -> Vec<String> {
    let depth = worker.job.iodepth;
    let note = || {
        format!(
            "{engine} does one I/O at a time: each job runs at depth 1, not at the {depth} asked for"
        )
    };
    (depth > 1).then(note).into_iter().collect()
}

/// An engine that is ready with these calls and needed nothing else, under its own id.
pub fn opened(engine: &str, worker: &Worker, calls: impl Calls + 'static) -> Opened {
    Opened {
        description: engine.into(),
        notes: depth_note(engine, worker),
        drive: Box::new(move |worker| drive(worker, calls)),
    }
}

/// The place of reads, apart from that of writes: what a read brings must not become the data of a write.
const READS: usize = 0;
/// The place of writes.
const WRITES: usize = 1;

/// Runs the load until it is stopped or over.
pub fn drive(worker: &Worker, mut calls: impl Calls) {
    let mut data = worker.data();
    let mut blocks = Blocks::new(2, worker.job.max_bs() as usize);
    if worker.job.rw.writes() {
        data.initial(blocks.get(WRITES), 0);
    }
    let mut feed = Feed::new(worker);
    worker.counters.inflight.store(1, Relaxed);
    while !worker.is_stopping() {
        match feed.next(worker) {
            Next::Io { io, .. } => one(worker, &mut calls, &mut data, &mut blocks, io),
            Next::Wait(ns) => sleep_until(worker, worker.clock.now_ns() + ns),
            Next::Pause => feed.pause(worker),
            Next::Over => break,
        }
    }
    worker.counters.inflight.store(0, Relaxed);
}

#[inline(always)]
fn one(worker: &Worker, calls: &mut impl Calls, data: &mut Data, blocks: &mut Blocks, io: Io) {
    let block = &mut blocks.get(if io.kind == SourceKind::Write {
        WRITES
    } else {
        READS
    })[..io.bytes as usize];
    if io.kind == SourceKind::Write {
        data.prepare(block, &io);
    }
    let started_ns = worker.clock.now_ns();
    let outcome = match io.kind {
        SourceKind::Read | SourceKind::Write => calls.transfer(worker, io, block),
        _ => calls.act(worker, io),
    };
    let now_ns = worker.clock.now_ns();
    if let Err(errno) = outcome {
        return worker.fail(io, errno);
    }
    let latency_ns = now_ns.saturating_sub(started_ns);
    worker.completed(io, latency_ns, latency_ns);
    worker.counters.last_ns.store(now_ns, Relaxed);
    if !io.kind.is_sync() {
        worker
            .counters
            .bin(now_ns.saturating_sub(worker.origin_ns), 1);
    }
    if io.kind == SourceKind::Read && data.checks() {
        worker.shared.verified(1, &[]);
        if let Some(what) = data.check(block, &io) {
            worker.bad_block(io, what);
        }
    }
}

/// Repeats `transfer` until all of a block is moved. It gets the bytes moved so far.
#[inline(always)]
pub fn whole(
    length: usize,
    mut transfer: impl FnMut(usize) -> std::io::Result<usize>,
) -> Result<(), i32> {
    let mut done = 0;
    while done < length {
        match transfer(done) {
            Ok(0) => return Err(0),
            Ok(count) => done += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
        }
    }
    Ok(())
}
