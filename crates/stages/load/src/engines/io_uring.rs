//! # Many I/Os in flight: io_uring
//!
//! ## What it does
//! Each job is a thread with a ring of its own that keeps `iodepth` I/Os in flight. Free places are filled and submitted
//! in one system call, which also waits for a completion (one for every 32 in flight); whatever has completed by then is
//! reaped together.
//! The latency of an I/O runs from just before that system call to reaping. Files and buffers are registered. Syncs and
//! trims are in flight like reads and writes.
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
//! - Linux 5.6 and later. Before 6.1 (SINGLE_ISSUER, DEFER_TASKRUN) and 5.19 (COOP_TASKRUN) completions interrupt the
//!   thread and cost more CPU; the result names the flags in force.
//! - Where io_uring is off (seccomp of containers, `kernel.io_uring_disabled`), libaio stands in for direct I/O and open
//!   loops; for buffered I/O, which libaio does one at a time, psync does.
//! - Before Linux 6.12 trims of a device are done one at a time while the thread waits; those of a file are not.
//! - Where the kernel cannot begin an I/O without waiting (zram, some targets of device mapper), it hands each one
//!   to a worker thread. The engine asks for that at once and for several of them (`IOSQE_ASYNC`), and says so. Their CPU
//!   time is in the result, their places are not pinned.
//!
//! ## Example
//! ```text
//! iodyno run /srv -- --ioengine=io_uring --rw=randread --bs=4k --iodepth=32
//! ```
#![allow(
    unsafe_code,
    reason = "the kernel reads and writes the buffers while the borrow checker looks away"
)]

pub(super) mod buffers;
pub(super) mod flight;

use crate::source::SourceKind;
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, Needs, Runs};
use flight::{Flight, Gate, Rest};
use host::Host;
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, opcode, squeue, types};
use kernel::release::Release;
use std::os::fd::{AsFd, AsRawFd, RawFd};

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "io_uring",
    since: "0.1.0",
    summary: "one ring per job, iodepth I/Os in flight, registered files and buffers",
    has_depth: true,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

/// Setup flags in order of preference, each with its name in the result.
const FLAGS: [&str; 3] = ["SINGLE_ISSUER, DEFER_TASKRUN", "COOP_TASKRUN", "no flags"];

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let (ring, level) = build_ring(worker, worker.job.iodepth)?;
    let mut notes = Vec::new();
    if level > 0 {
        notes.push(format!(
            "this kernel refuses the io_uring flags {}: each completion interrupts the load's thread, which costs CPU",
            FLAGS[0]
        ));
    }
    let flight = Flight::new(worker);
    let fds: Vec<RawFd> = worker
        .files
        .iter()
        .map(|file| file.as_fd().as_raw_fd())
        .collect();
    let fixed_files = ring.submitter().register_files(&fds).is_ok();
    let fixed_buffers = match register_buffers(&ring, &flight, worker) {
        Ok(()) => true,
        Err(error) => {
            notes.push(format!(
                "buffers are not registered ({error}), which costs CPU per I/O: raise RLIMIT_MEMLOCK (ulimit -l)"
            ));
            false
        }
    };
    let registered = match (fixed_files, fixed_buffers) {
        (true, true) => ", registered files and buffers",
        (true, false) => ", registered files",
        (false, true) => ", registered buffers",
        (false, false) => "",
    };
    let handed_over = handed_over(worker);
    let by_workers = if handed_over.contains(&true) {
        ", by kernel worker threads"
    } else {
        ""
    };
    let description = format!("io_uring ({}{registered}{by_workers})", FLAGS[level]);
    let on_devices = worker.files.first().is_some_and(|file| file.is_device());
    let how = How {
        fds,
        handed_over,
        fixed_files,
        fixed_buffers,
        on_devices,
        carries_trims: !on_devices || has_discard(&worker.place.host),
        carries_syncs: true,
    };
    if worker.job.rw.trims() && !how.carries_trims {
        notes.push(TRIMS_WAIT.into());
    }
    Ok(Opened {
        description,
        notes,
        drive: Box::new(move |worker| drive(ring, how, flight, worker)),
    })
}

/// Of each file, whether the kernel hands its direct I/O to worker threads, so that it is better asked to at once.
///
/// Left to itself the kernel tries each I/O in vain first, and then gives all of them to one worker, who wakes the load's
/// thread at every completion. That thread has used less CPU and so takes its place in the middle of the next one: two
/// switches for each I/O, and the less the engine costs, the more often. Several workers have many completions ready by
/// the time the thread gets its turn, with the same wait for one. On a RAM device under 6.18 that is half of the CPU time
/// and two fifths of the latency, on one CPU and on two, and no loss at depth 1. Buffered I/O stays in order, for
/// read-ahead's sake.
fn handed_over(worker: &Worker) -> Vec<bool> {
    let files = worker.files.iter();
    files
        .map(|file| worker.job.direct && !file.can_begin_at_once())
        .collect()
}

/// What to say where discards cannot be in flight.
const TRIMS_WAIT: &str = "trims of a device are done one at a time, whatever iodepth says: io_uring can carry them from \
                          Linux 6.12 on";

/// Whether this kernel's block devices take discards from a ring (Linux 6.12).
fn has_discard(host: &Host) -> bool {
    let text = host.text("/proc/sys/kernel/osrelease");
    let release = text.and_then(|text| Release::parse(&text));
    release.is_some_and(|release| release.at_least(6, 12))
}

/// A ring with the best flags this kernel takes, and their place in `FLAGS`.
fn build_ring(worker: &Worker, depth: u32) -> Result<(IoUring, usize), OpenError> {
    let mut last = std::io::Error::from_raw_os_error(libc::EINVAL);
    for level in 0..FLAGS.len() {
        let fault = worker
            .faults
            .ring
            .or(worker.faults.flags.filter(|_| level < 2));
        let mut builder = IoUring::builder();
        match level {
            0 => _ = builder.setup_single_issuer().setup_defer_taskrun(),
            1 => _ = builder.setup_coop_taskrun(),
            _ => {}
        }
        match fault.map_or_else(
            || builder.build(depth),
            |errno| Err(std::io::Error::from_raw_os_error(errno)),
        ) {
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

/// Registers the buffers, which saves the look-up of their pages for each direct I/O: a sixth of its CPU time on a RAM
/// device. For buffered I/O it makes no difference that could be measured.
fn register_buffers(ring: &IoUring, flight: &Flight, worker: &Worker) -> std::io::Result<()> {
    if let Some(errno) = worker.faults.buffers {
        return Err(std::io::Error::from_raw_os_error(errno));
    }
    let buffers = flight.buffers();
    let iovecs: Vec<libc::iovec> = (0..buffers.count())
        .map(|index| libc::iovec {
            iov_base: buffers.pointer(index).cast(),
            iov_len: buffers.bytes(),
        })
        .collect();
    // SAFETY: the kernel touches a registered buffer only for an I/O that names it, and `Flight` leaks the memory when it
    // goes, by an error or a panic too, while such an I/O may be in flight. Until the ring is closed the kernel holds
    // the pages themselves, not their addresses.
    unsafe { ring.submitter().register_buffers(&iovecs) }
}

/// How I/Os are put into the ring.
struct How {
    fds: Vec<RawFd>,
    handed_over: Vec<bool>,
    fixed_files: bool,
    fixed_buffers: bool,
    on_devices: bool,
    carries_trims: bool,
    carries_syncs: bool,
}

fn drive(mut ring: IoUring, how: How, mut flight: Flight, worker: &Worker) {
    let has_timeout = ring.params().is_feature_ext_arg();
    let (mut submitter, sq, cq) = ring.split();
    // Linux 5.18; saves the look-up of the ring's descriptor in each call. Without it nothing changes but that.
    let _ = submitter.register_ring_fd();
    flight.run(
        &mut Ring {
            submitter,
            sq,
            cq,
            how,
            has_timeout,
        },
        worker,
    );
    // The way into the kernel is closed before the buffers go. After a panic they go first, leaked where the kernel may
    // still use them.
    drop(ring);
    drop(flight);
}

/// A ring at work.
struct Ring<'a> {
    submitter: Submitter<'a>,
    sq: SubmissionQueue<'a>,
    cq: CompletionQueue<'a>,
    how: How,
    /// Whether a wait can have an end (Linux 5.11).
    has_timeout: bool,
}

impl Gate for Ring<'_> {
    const ID: &'static str = ENGINE.id;

    #[inline(always)]
    fn carries(&self, kind: SourceKind) -> bool {
        match kind {
            SourceKind::Read | SourceKind::Write => true,
            SourceKind::Trim => self.how.carries_trims,
            SourceKind::Sync | SourceKind::Datasync => self.how.carries_syncs,
        }
    }

    fn gives_up(&mut self, kind: SourceKind, errno: i32) -> bool {
        // What the ring cannot carry the plain call may do; where it cannot either, its error is the one to show.
        let is_refusal = matches!(errno, libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY);
        match kind {
            SourceKind::Trim if is_refusal => self.how.carries_trims = false,
            SourceKind::Sync | SourceKind::Datasync if is_refusal => self.how.carries_syncs = false,
            _ => return false,
        }
        true
    }

    #[inline(always)]
    // SAFETY: the caller answers for the buffer, as the trait says.
    unsafe fn queue(&mut self, place: u16, rest: Rest) {
        let file = usize::from(rest.io.file);
        let mut entry = self.entry(file, rest);
        if self.how.handed_over[file] {
            entry = entry.flags(squeue::Flags::ASYNC);
        }
        // SAFETY: the caller keeps the buffer, `How` names open files, and the ring has an entry for each place, each of
        // which is queued once, so that there is always room.
        let pushed = unsafe { self.sq.push(&entry.user_data(u64::from(place))) };
        debug_assert!(pushed.is_ok(), "the ring has an entry for each place");
    }

    #[inline(always)]
    fn enter(&mut self, want: usize, wait_ns: Option<u64>) -> std::io::Result<()> {
        self.sq.sync();
        let result = match wait_ns {
            Some(ns) if self.has_timeout => {
                let time = types::Timespec::new()
                    .sec(ns / 1_000_000_000)
                    .nsec((ns % 1_000_000_000) as u32);
                self.submitter
                    .submit_with_args(want, &types::SubmitArgs::new().timespec(&time))
            }
            _ => self.submitter.submit_and_wait(want),
        };
        self.sq.sync();
        self.cq.sync();
        match result.map_err(|error| (error.raw_os_error(), error)) {
            // EBUSY: completions have to be reaped before more can be submitted (5.5 and later).
            Err((Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN), _)) | Ok(_) => {
                Ok(())
            }
            Err((_, error)) => Err(error),
        }
    }

    #[inline(always)]
    fn completion(&mut self) -> Option<(u16, i32)> {
        self.cq
            .next()
            .map(|entry| (entry.user_data() as u16, entry.result()))
    }
}

impl Ring<'_> {
    #[inline(always)]
    fn entry(&self, file: usize, rest: Rest) -> squeue::Entry {
        let (pointer, length, offset, buffer) = (
            rest.pointer,
            rest.length(),
            rest.offset(),
            rest.buffer as u16,
        );
        macro_rules! entry {
            ($target:expr) => {
                match (rest.io.kind, self.how.fixed_buffers) {
                    (SourceKind::Read, true) => {
                        opcode::ReadFixed::new($target, pointer, length, buffer)
                            .offset(offset)
                            .build()
                    }
                    (SourceKind::Read, false) => opcode::Read::new($target, pointer, length)
                        .offset(offset)
                        .build(),
                    (SourceKind::Write, true) => {
                        opcode::WriteFixed::new($target, pointer, length, buffer)
                            .offset(offset)
                            .build()
                    }
                    (SourceKind::Write, false) => opcode::Write::new($target, pointer, length)
                        .offset(offset)
                        .build(),
                    (SourceKind::Trim, _) if self.how.on_devices => discard!($target),
                    (SourceKind::Trim, _) => {
                        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                        opcode::Fallocate::new($target, length.into())
                            .offset(offset)
                            .mode(mode)
                            .build()
                    }
                    (SourceKind::Sync, _) => opcode::Fsync::new($target).build(),
                    (SourceKind::Datasync, _) => opcode::Fsync::new($target)
                        .flags(types::FsyncFlags::DATASYNC)
                        .build(),
                }
            };
        }
        // The command's length is where an entry has its third address (include/uapi/linux/io_uring.h), the first eight
        // bytes of what the crate calls the command's data (block/ioctl.c, blkdev_uring_cmd).
        macro_rules! discard {
            ($target:expr) => {{
                let mut command = [0; 16];
                command[..8].copy_from_slice(&u64::from(length).to_ne_bytes());
                opcode::UringCmd16::new($target, BLOCK_URING_CMD_DISCARD)
                    .cmd(command)
                    .addr(Some(offset))
                    .build()
            }};
        }
        match self.how.fixed_files {
            true => entry!(types::Fixed(file as u32)),
            false => entry!(types::Fd(self.how.fds[file])),
        }
    }
}

/// `_IO(0x12, 0)`, include/uapi/linux/blkdev.h.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;
