//! # Many I/Os in flight: libaio
//!
//! ## What it does
//! Each job is a thread that keeps `iodepth` I/Os in flight through the kernel's older asynchronous interface
//! (`io_submit`, `io_getevents`), which most articles and databases measure with. The system calls are made directly,
//! the library of that name is not needed. Completions are read from the ring that the kernel shares with the process;
//! only where too few are there the thread enters the kernel to wait. The latency of an I/O runs from just before
//! `io_submit` to reaping.
//!
//! ## Options
//! All options of the I/O, its rate and its pauses. `iodepth` is from 1 to 4096; `iodepth_batch`,
//! `iodepth_batch_complete_min` and `_max` and `iodepth_low` say how much to submit, wait for, take at once, and how far
//! to drain; without them it submits all that is free. In an open loop, I/Os begin by the clock, and what finds no free
//! place waits in its schedule, with its latency running.
//!
//! ## Danger to data
//! Jobs that write or trim destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! - **Only direct I/O is asynchronous.** Without it `io_submit` does each I/O before it returns: the depth is 1 whatever
//!   `iodepth` says. The result says how much of the time was spent inside `io_submit`.
//! - With direct I/O, too, `io_submit` waits where a file has to be allocated or the device's queue is full.
//! - Trims are done one at a time while the thread waits: the interface has none. Syncs are in flight from Linux 4.18 on.
//! - `/proc/sys/fs/aio-max-nr` limits the queues of all programs together.
//!
//! ## Example
//! ```text
//! iodyno run /dev/sdb -- --ioengine=libaio --rw=randread --bs=4k --direct=1 --iodepth=64
//! ```
#![allow(
    unsafe_code,
    reason = "the kernel reads and writes the buffers while the borrow checker looks away"
)]

mod context;

use super::io_uring::flight::{Flight, Gate, Rest};
use crate::rate::SLICE_NS;
use crate::source::SourceKind;
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, Needs, Runs};
use context::{Context, Iocb};
use host::clock::FastClock;
use model::units;
use std::os::fd::{AsFd, AsRawFd, RawFd};

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "libaio",
    since: "0.1.0",
    summary: "io_submit and io_getevents, iodepth I/Os in flight where they are direct",
    has_depth: true,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let context = Context::new(worker.job.iodepth).map_err(|error| refusal(&error))?;
    let mut notes = Vec::new();
    if !worker.job.direct && worker.job.iodepth > 1 {
        notes.push(format!(
            "libaio without direct I/O does each I/O inside io_submit: the depth is 1, not the {} asked for. Use \
             --direct=1, or io_uring",
            worker.job.iodepth
        ));
    }
    if worker.job.rw.trims() && worker.job.iodepth > 1 {
        notes.push(
            "trims are done one at a time, whatever iodepth says: libaio cannot carry them".into(),
        );
    }
    let description = if context.has_shared_ring() {
        "libaio (completions read in user space)"
    } else {
        ENGINE.id
    };
    let flight = Flight::new(worker);
    Ok(Opened {
        description: description.into(),
        notes,
        drive: Box::new(move |worker| drive(context, flight, worker)),
    })
}

fn refusal(error: &std::io::Error) -> OpenError {
    OpenError::Refused(match error.raw_os_error() {
        Some(libc::EAGAIN) => {
            "io_setup: all of /proc/sys/fs/aio-max-nr is in use; raise it (sysctl fs.aio-max-nr), or ask for less depth \
             or fewer jobs"
                .into()
        }
        Some(libc::ENOSYS) => "this kernel has no asynchronous I/O (CONFIG_AIO)".into(),
        Some(libc::EPERM | libc::EACCES) => {
            "io_setup is not permitted here (the seccomp profile of a container)".into()
        }
        _ => format!("io_setup: {error}"),
    })
}

fn drive(context: Context, mut flight: Flight, worker: &Worker) {
    let mut queue = Queue {
        context,
        fds: worker
            .files
            .iter()
            .map(|file| file.as_fd().as_raw_fd())
            .collect(),
        iocbs: vec![Iocb::default(); worker.job.iodepth as usize],
        queued: Vec::with_capacity(worker.job.iodepth as usize),
        carries_syncs: true,
        // Where I/O is direct nobody asks how long submitting took, so nobody pays for knowing.
        submission: (!worker.job.direct).then(|| Submission::new(worker.clock)),
    };
    flight.run(&mut queue, worker);
    if let Some(submission) = &queue.submission {
        submission.tell(worker);
    }
    // Closing the context waits for what is in flight; a panic drops them in this order as well, and `Flight` leaks the
    // buffers of what was never taken back.
    drop(queue);
    drop(flight);
}

/// How long `io_submit` took, of all the time.
struct Submission {
    clock: FastClock,
    began_ns: u64,
    took_ns: u64,
}

impl Submission {
    fn new(clock: FastClock) -> Submission {
        Submission {
            clock,
            began_ns: clock.now_ns(),
            took_ns: 0,
        }
    }

    fn tell(&self, worker: &Worker) {
        let all_ns = self.clock.now_ns().saturating_sub(self.began_ns).max(1);
        if worker.index == 0 {
            worker.shared.note(format!(
                "libaio without direct I/O: {} of the time went by inside io_submit, which did the I/O itself", units::percent_whole(self.took_ns as f64 / all_ns as f64 * 100.0)));
        }
    }
}

/// A context at work.
struct Queue {
    context: Context,
    fds: Vec<RawFd>,
    /// One for each place.
    iocbs: Vec<Iocb>,
    /// Places to submit.
    queued: Vec<u16>,
    carries_syncs: bool,
    submission: Option<Submission>,
}

impl Gate for Queue {
    const ID: &'static str = ENGINE.id;

    #[inline(always)]
    fn carries(&self, kind: SourceKind) -> bool {
        match kind {
            SourceKind::Read | SourceKind::Write => true,
            SourceKind::Trim => false,
            SourceKind::Sync | SourceKind::Datasync => self.carries_syncs,
        }
    }

    fn gives_up(&mut self, kind: SourceKind, errno: i32) -> bool {
        let is_refusal = kind.is_sync() && matches!(errno, libc::EINVAL | libc::EOPNOTSUPP);
        if is_refusal {
            self.carries_syncs = false;
        }
        is_refusal
    }

    #[inline(always)]
    // SAFETY: the caller answers for the buffer, as the trait says; nothing happens to it before the next `enter`.
    unsafe fn queue(&mut self, place: u16, rest: Rest) {
        self.iocbs[usize::from(place)] =
            Iocb::new(self.fds[usize::from(rest.io.file)], place, rest);
        self.queued.push(place);
    }

    #[inline(always)]
    fn enter(&mut self, want: usize, wait_ns: Option<u64>) -> std::io::Result<()> {
        let start_ns = self
            .submission
            .as_ref()
            .map(|submission| submission.clock.now_ns());
        // SAFETY: whoever queued keeps the buffers; the control blocks are copied by the kernel in the call.
        let submitted = unsafe { self.context.submit(&mut self.iocbs, &mut self.queued) };
        if let (Some(submission), Some(start_ns)) = (&mut self.submission, start_ns) {
            submission.took_ns += submission.clock.now_ns().saturating_sub(start_ns);
        }
        submitted?;
        // What the kernel had no room for is no I/O that could be waited for.
        let wait_ns = if self.queued.is_empty() {
            wait_ns
        } else {
            Some(wait_ns.unwrap_or(SLICE_NS).min(SLICE_NS))
        };
        self.context.wait(want, wait_ns)
    }

    #[inline(always)]
    fn completion(&mut self) -> Option<(u16, i32)> {
        self.context.completion()
    }
}
