//! # One I/O at a time: pread and pwrite
//!
//! ## What it does
//! Each job is a thread that calls `pread` or `pwrite` and waits for it. Concurrency comes from `numjobs` alone. The
//! latency of an I/O runs from just before the call to its return.
//!
//! ## Options
//! All options of the I/O, its rate and its pauses. `iodepth` has no meaning here: the depth of each job is 1, and the
//! result says so where more was asked for. There is no open loop: arrivals would wait for each other in the thread.
//!
//! ## Danger to data
//! Jobs that write or trim destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! A thread in a call cannot be recalled: on a device that hangs, ending the load waits for it.
//!
//! ## Example
//! ```text
//! iodyno run /srv -- --ioengine=psync --rw=randread --bs=4k --numjobs=8
//! ```

use crate::blocking::{self, Calls};
use crate::source::{Io, SourceKind};
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, Needs, Runs};

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
    Ok(blocking::opened(ENGINE.id, worker, Psync))
}

struct Psync;

impl Calls for Psync {
    #[inline(always)]
    fn transfer(&mut self, worker: &Worker, io: Io, block: &mut [u8]) -> Result<(), i32> {
        let file = &worker.files[usize::from(io.file)];
        blocking::whole(block.len(), |done| match io.kind {
            SourceKind::Write => file.write_at(&block[done..], io.offset + done as u64),
            _ => file.read_at(&mut block[done..], io.offset + done as u64),
        })
    }
}
