//! # One I/O at a time: pread and pwrite
//!
//! ## What it does
//! Each job is a thread that calls `pread` or `pwrite` and waits for it. Concurrency comes from `numjobs` alone. The
//! latency of an I/O runs from just before the call to its return.
//!
//! ## Options
//! `bs`, `size`, `numjobs`, `direct`, `rw`, `rwmixread`, `rate_iops`, `cpus_allowed`, `randseed` as everywhere.
//! `iodepth` has no meaning here: the depth of each job is 1, and the result says so where more was asked for.
//!
//! ## Danger to data
//! Jobs that write destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! A thread in a call cannot be recalled: on a device that hangs, ending the load waits for it.
//!
//! ## Example
//! ```text
//! iodyno run /srv -- --ioengine=psync --rw=randread --bs=4k --numjobs=8
//! ```

use crate::load::pattern::Blocks;
use crate::load::source::{Io, Kind};
use crate::load::worker::{OpenError, Opened, Worker};
use crate::load::{Engine, Needs, Runs};
use std::sync::atomic::Ordering::Relaxed;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "psync",
    since: "0.1.0",
    summary: "pread and pwrite, one I/O at a time in each job",
    has_depth: false,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let mut notes = Vec::new();
    if worker.job.iodepth > 1 {
        notes.push(format!(
            "psync does one I/O at a time: each job runs at depth 1, not at the {} asked for",
            worker.job.iodepth
        ));
    }
    Ok(Opened { description: "psync".into(), notes, drive: Box::new(drive) })
}

fn drive(worker: &Worker) {
    let mut data = worker.data();
    let mut blocks = Blocks::new(2, worker.job.max_bs() as usize);
    data.initial(blocks.get(1), 0);
    let (mut source, mut pace) = (worker.source(), worker.pace());
    let counters = &worker.counters;
    counters.inflight.store(1, Relaxed);
    while !worker.is_stopping() {
        if pace.is_limited() && !wait_for_turn(worker, &mut pace) {
            continue;
        }
        let Some(io) = source.next_io() else { break };
        // Reads have a block of their own: what they bring must not become the data of writes.
        let block = &mut blocks.get(usize::from(io.kind == Kind::Write))[..io.bytes as usize];
        if io.kind == Kind::Write {
            data.prepare(block, &io);
        }
        let started_ns = worker.clock.now_ns();
        let outcome = transfer(worker, io, block);
        let now_ns = worker.clock.now_ns();
        match outcome {
            Ok(()) => {
                counters.completed(io.kind.lane(), u64::from(io.bytes), now_ns.saturating_sub(started_ns));
                counters.bin(now_ns.saturating_sub(worker.origin_ns), 1);
                counters.last_ns.store(now_ns, Relaxed);
                if io.kind == Kind::Read && data.checks() {
                    check(worker, data.check(block, &io));
                }
            }
            Err(errno) => worker.fail(io, errno),
        }
    }
    counters.inflight.store(0, Relaxed);
}

/// Counts a checked block.
fn check(worker: &Worker, bad: Option<String>) {
    worker.shared.verified(1, bad.as_slice());
    if let Some(bad) = bad.filter(|_| worker.job.verify.is_some_and(|verify| verify.fatal)) {
        let target = worker.place.path.to_string_lossy().into_owned();
        worker.shared.fail(crate::load::LoadError::Corrupt { target, what: bad });
    }
}

/// Sleeps towards the next I/O's time; whether it has come.
fn wait_for_turn(worker: &Worker, pace: &mut crate::load::rate::Pace) -> bool {
    let now_ns = worker.clock.now_ns();
    if pace.take(now_ns) {
        return true;
    }
    host::clock::sleep_ns(pace.wait_ns(now_ns).min(crate::load::rate::SLICE_NS));
    false
}

/// Moves one whole block; an errno, or 0 at the end of the file.
fn transfer(worker: &Worker, io: Io, block: &mut [u8]) -> Result<(), i32> {
    let file = &worker.files[usize::from(io.file)];
    if io.kind == Kind::Sync || io.kind == Kind::Datasync {
        return file.sync().map_err(|_| libc::EIO);
    }
    let mut done = 0;
    while done < block.len() {
        let at = io.offset + done as u64;
        let moved = match io.kind == Kind::Write {
            true => file.write_at(&block[done..], at),
            false => file.read_at(&mut block[done..], at),
        };
        match moved {
            Ok(0) => return Err(0),
            Ok(count) => done += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
        }
    }
    Ok(())
}
