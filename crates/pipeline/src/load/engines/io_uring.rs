//! # Many I/Os in flight: io_uring
//!
//! ## What it does
//! Each job is a thread with a ring of its own that keeps `iodepth` I/Os in flight. Free places are filled and submitted
//! in one system call, which also waits for a completion (one for every 32 in flight); whatever has completed by then is
//! reaped together.
//! The latency of an I/O runs from just before that system call to reaping. The file and the buffers are registered.
//!
//! ## Options
//! `bs`, `size`, `iodepth` (1 to 4096), `numjobs`, `direct`, `rw`, `rwmixread`, `rate_iops`, `cpus_allowed`, `randseed`.
//!
//! ## Danger to data
//! Jobs that write destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! - Linux 5.6 and later. Before 6.1 (SINGLE_ISSUER, DEFER_TASKRUN) and 5.19 (COOP_TASKRUN) completions interrupt the
//!   thread and cost more CPU; the result names the flags in force.
//! - Where io_uring is off (seccomp of containers, `kernel.io_uring_disabled`), psync stands in at depth 1 per job.
//! - A device without non-blocking submission (zram) makes the kernel hand each I/O to a worker thread. Their CPU time
//!   is in the result, their places are not pinned.
//!
//! ## Example
//! ```text
//! iodyno run /srv -- --ioengine=io_uring --rw=randread --bs=4k --iodepth=32
//! ```
#![allow(unsafe_code, reason = "the kernel reads and writes the buffers while the borrow checker looks away")]

use crate::load::pattern::{Blocks, mix64, refresh};
use crate::load::rate::{Pace, SLICE_NS};
use crate::load::source::{Io, Kind, Source};
use crate::load::worker::{OpenError, Opened, Worker};
use crate::load::{Engine, Needs, Runs};
use io_uring::{IoUring, SubmissionQueue, Submitter, cqueue, opcode, squeue, types};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::atomic::Ordering::Relaxed;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "io_uring",
    since: "0.1.0",
    summary: "one ring per job, iodepth I/Os in flight, registered file and buffers",
    has_depth: true,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

/// Setup flags in order of preference, each with its name in the result.
const FLAGS: [&str; 3] = ["SINGLE_ISSUER, DEFER_TASKRUN", "COOP_TASKRUN", "no flags"];

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let depth = worker.job.iodepth;
    let (ring, level) = build_ring(worker, depth)?;
    let mut notes = Vec::new();
    if level > 0 {
        notes.push(format!(
            "this kernel refuses the io_uring flags {}: each completion interrupts the load's thread, which costs CPU",
            FLAGS[0]
        ));
    }
    let memory = Memory::new(worker, depth);
    let fixed_file = ring.submitter().register_files(&[worker.files[0].as_fd().as_raw_fd()]).is_ok();
    let fixed_buffers = match register_buffers(&ring, &memory, worker) {
        Ok(()) => true,
        Err(error) => {
            notes.push(format!(
                "buffers are not registered ({error}), which costs CPU per I/O: raise RLIMIT_MEMLOCK (ulimit -l)"
            ));
            false
        }
    };
    let registered = match (fixed_file, fixed_buffers) {
        (true, true) => ", registered file and buffers",
        (true, false) => ", registered file",
        (false, true) => ", registered buffers",
        (false, false) => "",
    };
    let description = format!("io_uring ({}{registered})", FLAGS[level]);
    let queue = Queue::new(worker, memory, fixed_file, fixed_buffers);
    Ok(Opened { description, notes, drive: Box::new(move |worker| drive(ring, queue, worker)) })
}

/// A ring with the best flags this kernel takes, and their place in `FLAGS`.
fn build_ring(worker: &Worker, depth: u32) -> Result<(IoUring, usize), OpenError> {
    let mut last = std::io::Error::from_raw_os_error(libc::EINVAL);
    for level in 0..FLAGS.len() {
        let fault = worker.faults.ring.or(worker.faults.flags.filter(|_| level < 2));
        let mut builder = IoUring::builder();
        match level {
            0 => _ = builder.setup_single_issuer().setup_defer_taskrun(),
            1 => _ = builder.setup_coop_taskrun(),
            _ => {}
        }
        match fault
            .map_or_else(|| builder.build(depth), |errno| Err(std::io::Error::from_raw_os_error(errno)))
        {
            Ok(ring) => return Ok((ring, level)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(refusal(&error)),
        }
    }
    Err(refusal(&last))
}

fn refusal(error: &std::io::Error) -> OpenError {
    OpenError::Refused(match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no io_uring (Linux 5.6 and later do)".into(),
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is not permitted here (kernel.io_uring_disabled, or the seccomp profile of a container)"
                .into()
        }
        // Before Linux 5.12 the rings themselves counted as locked memory.
        Some(libc::ENOMEM) => "no memory for the ring: raise RLIMIT_MEMLOCK (ulimit -l)".into(),
        _ => format!("io_uring_setup: {error}"),
    })
}

fn register_buffers(ring: &IoUring, memory: &Memory, worker: &Worker) -> std::io::Result<()> {
    if let Some(errno) = worker.faults.buffers {
        return Err(std::io::Error::from_raw_os_error(errno));
    }
    let iovecs: Vec<libc::iovec> = (0..memory.count)
        .map(|index| libc::iovec { iov_base: memory.pointer(index).cast(), iov_len: memory.bytes })
        .collect();
    // SAFETY: the buffers belong to `memory`, which outlives the ring: `drive` drops the ring first, and forgets the
    // memory when I/O may still be in flight.
    unsafe { ring.submitter().register_buffers(&iovecs) }
}

/// The buffers, reached by pointers only once the kernel may write to them.
struct Memory {
    blocks: Blocks,
    base: *mut u8,
    stride: usize,
    bytes: usize,
    count: usize,
}

impl Memory {
    /// A buffer for each place of the queue; a mix has a second one each, because what a read brings must not become
    /// the data of a write.
    fn new(worker: &Worker, depth: u32) -> Memory {
        let (bytes, rw) = (worker.job.bs as usize, worker.job.rw);
        let count = depth as usize * if rw.reads() && rw.writes() { 2 } else { 1 };
        let mut blocks = match rw.writes() {
            true => Blocks::random(count, bytes, worker.seed),
            false => Blocks::new(count, bytes),
        };
        let (base, stride) = (blocks.base(), blocks.stride());
        Memory { blocks, base, stride, bytes, count }
    }

    #[inline(always)]
    fn pointer(&self, index: usize) -> *mut u8 {
        debug_assert!(index < self.count, "buffer {index} of {}", self.count);
        // SAFETY: `index` is below `count`, so the result lies inside the blocks' allocation, which does not move.
        unsafe { self.base.add(index * self.stride) }
    }

    /// Gives a buffer that no I/O uses new content.
    #[inline]
    fn refresh(&mut self, index: usize, counter: u64) {
        // SAFETY: the caller's place in the queue is free, so neither the kernel nor anyone else uses these bytes.
        refresh(unsafe { std::slice::from_raw_parts_mut(self.pointer(index), self.bytes) }, counter);
    }
}

/// What is in flight at one place of the queue.
#[derive(Clone, Copy)]
struct Slot {
    io: Io,
    started_ns: u64,
    /// Bytes moved by earlier, partial completions.
    done: u32,
}

/// The places of the queue. `free[..top]` are the free ones, last used first, so that a job that does not fill its
/// queue keeps to buffers that are in the CPU's cache.
struct Queue {
    memory: Memory,
    slots: Vec<Slot>,
    free: Vec<u16>,
    top: usize,
    fd: RawFd,
    fixed_file: bool,
    fixed_buffers: bool,
    /// Distance from a read's to a write's buffer of one place.
    write_buffers: usize,
    data_seed: u64,
}

impl Queue {
    fn new(worker: &Worker, memory: Memory, fixed_file: bool, fixed_buffers: bool) -> Queue {
        let depth = worker.job.iodepth as usize;
        let empty = Slot {
            io: Io { offset: 0, number: 0, bytes: 0, file: 0, kind: Kind::Read },
            started_ns: 0,
            done: 0,
        };
        Queue {
            slots: vec![empty; depth],
            free: (0..depth as u16).rev().collect(),
            top: depth,
            fd: worker.files[0].as_fd().as_raw_fd(),
            fixed_file,
            fixed_buffers,
            write_buffers: memory.count - depth,
            data_seed: mix64(worker.seed),
            memory,
        }
    }

    #[inline(always)]
    fn inflight(&self) -> usize {
        self.slots.len() - self.top
    }

    /// Fills free places up to `limit` in flight and gives them their start time. Returns how many.
    #[inline]
    fn fill(
        &mut self,
        sq: &mut SubmissionQueue<'_>,
        from: &mut Stream,
        worker: &Worker,
        limit: usize,
    ) -> usize {
        let before = self.top;
        let keep = self.slots.len().saturating_sub(limit);
        let now_ns = if from.pace.is_limited() { worker.clock.now_ns() } else { 0 };
        while self.top > keep && (!from.pace.is_limited() || from.pace.take(now_ns)) {
            let Some(io) = from.source.next_io() else {
                from.is_over = true;
                break;
            };
            self.top -= 1;
            let place = self.free[self.top];
            self.slots[place as usize] = Slot { io, started_ns: 0, done: 0 };
            if io.kind == Kind::Write {
                self.memory.refresh(place as usize + self.write_buffers, self.data_seed ^ io.number);
            }
            self.push(sq, place);
        }
        // One reading for the whole batch, after the last of it is prepared: all enter the kernel with the next call.
        let started_ns = worker.clock.now_ns();
        for &place in &self.free[self.top..before] {
            self.slots[place as usize].started_ns = started_ns;
        }
        before - self.top
    }

    /// Queues what is left to do at one place.
    #[inline]
    fn push(&mut self, sq: &mut SubmissionQueue<'_>, place: u16) {
        let slot = self.slots[place as usize];
        let buffer = place as usize + if slot.io.kind == Kind::Write { self.write_buffers } else { 0 };
        let length = self.memory.bytes as u32 - slot.done;
        // SAFETY: `done` is below the buffer's length, so the pointer stays inside it.
        let pointer = unsafe { self.memory.pointer(buffer).add(slot.done as usize) };
        let entry = self.entry(slot, buffer as u16, pointer, length).user_data(u64::from(place));
        // SAFETY: buffer and file outlive the I/O: `drive` waits for all in flight, and forgets the memory where it
        // cannot. The ring has an entry for each place and each place is queued once, so there is always room.
        let pushed = unsafe { sq.push(&entry) };
        debug_assert!(pushed.is_ok(), "the ring has an entry for each place");
    }

    #[inline(always)]
    fn entry(&self, slot: Slot, buffer: u16, pointer: *mut u8, length: u32) -> squeue::Entry {
        let offset = slot.io.offset + u64::from(slot.done);
        macro_rules! entry {
            ($target:expr) => {
                match (slot.io.kind == Kind::Write, self.fixed_buffers) {
                    (false, true) => {
                        opcode::ReadFixed::new($target, pointer, length, buffer).offset(offset).build()
                    }
                    (false, false) => opcode::Read::new($target, pointer, length).offset(offset).build(),
                    (true, true) => {
                        opcode::WriteFixed::new($target, pointer, length, buffer).offset(offset).build()
                    }
                    (true, false) => opcode::Write::new($target, pointer, length).offset(offset).build(),
                }
            };
        }
        if self.fixed_file { entry!(types::Fixed(0)) } else { entry!(types::Fd(self.fd)) }
    }

    /// Takes one completion. Whether the I/O is done whole.
    #[inline(always)]
    fn take(
        &mut self,
        sq: &mut SubmissionQueue<'_>,
        worker: &Worker,
        cqe: &cqueue::Entry,
        now_ns: u64,
    ) -> bool {
        let place = cqe.user_data() as u16;
        let slot = &mut self.slots[place as usize];
        if cqe.result() != (self.memory.bytes as u32 - slot.done) as i32 {
            return self.take_odd(sq, worker, place, cqe.result());
        }
        worker.counters.completed(
            slot.io.kind.lane(),
            u64::from(slot.io.bytes),
            now_ns.saturating_sub(slot.started_ns),
        );
        self.release(place);
        true
    }

    #[inline(always)]
    fn release(&mut self, place: u16) {
        self.free[self.top] = place;
        self.top += 1;
    }

    /// A partial or failed completion: the rest is queued again, the latency goes on.
    #[cold]
    fn take_odd(&mut self, sq: &mut SubmissionQueue<'_>, worker: &Worker, place: u16, result: i32) -> bool {
        match -result {
            libc::EAGAIN | libc::EINTR => self.push(sq, place),
            errno if errno >= 0 => {
                worker.fail(self.slots[place as usize].io, errno);
                self.release(place);
            }
            _ => {
                self.slots[place as usize].done += result as u32;
                self.push(sq, place);
            }
        }
        false
    }
}

/// What comes next and when.
struct Stream {
    source: Source,
    pace: Pace,
    /// Whether all was submitted that was asked for.
    is_over: bool,
}

fn drive(mut ring: IoUring, mut queue: Queue, worker: &Worker) {
    run(&mut ring, &mut queue, worker);
    drop(ring);
    if queue.inflight() > 0 {
        // The kernel may still write to these buffers after the ring is gone: better leaked than reused.
        std::mem::forget(queue.memory.blocks);
    }
}

/// The thread's loop: fill, submit and wait, reap.
fn run(ring: &mut IoUring, queue: &mut Queue, worker: &Worker) {
    let mut stream = Stream { source: worker.source(), pace: worker.pace(), is_over: false };
    let has_timeout = ring.params().is_feature_ext_arg();
    let (mut submitter, mut sq, mut cq) = ring.split();
    // Linux 5.18; saves the look-up of the ring's descriptor in each call. Without it nothing changes but that.
    let _ = submitter.register_ring_fd();
    let (counters, depth) = (&worker.counters, worker.job.iodepth);
    loop {
        let stopping = worker.is_stopping() || stream.is_over;
        if !stopping {
            let limit = worker.shared.depth_limit.load(Relaxed).clamp(1, depth);
            queue.fill(&mut sq, &mut stream, worker, limit as usize);
        }
        counters.inflight.store(queue.inflight() as u32, Relaxed);
        if queue.inflight() == 0 {
            if stopping {
                break;
            }
            host::clock::sleep_ns(stream.pace.wait_ns(worker.clock.now_ns()).min(SLICE_NS));
            continue;
        }
        sq.sync();
        let wait_ns = if stream.pace.is_limited() && !stopping && has_timeout && queue.top > 0 {
            Some(stream.pace.wait_ns(worker.clock.now_ns()))
        } else {
            None
        };
        if let Err(error) = enter(&submitter, wait_ns, wanted(queue.inflight())) {
            worker.shared.fail(crate::load::LoadError::Engine {
                engine: ENGINE.id.into(),
                why: format!("io_uring_enter: {error}"),
            });
            break;
        }
        sq.sync();
        cq.sync();
        let now_ns = worker.clock.now_ns();
        let mut done = 0;
        for cqe in &mut cq {
            done += u32::from(queue.take(&mut sq, worker, &cqe, now_ns));
        }
        if done > 0 {
            counters.bin(now_ns.saturating_sub(worker.origin_ns), done);
            counters.last_ns.store(now_ns, Relaxed);
        }
    }
}

/// How many completions to wait for: one for every 32 in flight.
///
/// Waiting for a batch saves system calls and costs truth: the first of `n` waits for the last, which adds
/// `(n − 1) / 2` completion intervals, and a latency is as many intervals as I/Os are in flight (Little's law). One in 32
/// keeps that below 1/64 of the latency. Four at depth 32 would save a sixth of the CPU time on a loop device, and add
/// 5 % to every latency. Where completions come in bunches, one wait reaps the bunch anyway.
#[inline(always)]
fn wanted(inflight: usize) -> usize {
    (inflight / 32).max(1)
}

/// Submits all that is queued and waits for `want` completions, at most `wait_ns` where a rate is to be kept.
#[inline(always)]
fn enter(submitter: &Submitter<'_>, wait_ns: Option<u64>, want: usize) -> std::io::Result<()> {
    let result = match wait_ns {
        None => submitter.submit_and_wait(want),
        Some(ns) => {
            let time = types::Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32);
            submitter.submit_with_args(1, &types::SubmitArgs::new().timespec(&time))
        }
    };
    match result.map_err(|error| (error.raw_os_error(), error)) {
        // EBUSY: completions have to be reaped before more can be submitted (5.5 and later).
        Err((Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN), _)) | Ok(_) => Ok(()),
        Err((_, error)) => Err(error),
    }
}
