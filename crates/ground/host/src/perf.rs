//! Trace events through `perf_event_open(2)`: a ring of memory for each CPU, into which the kernel writes and which this
//! process reads. It needs no BPF, no type information of the kernel and no buffers of tracefs.
//!
//! include/uapi/linux/perf_event.h has the structures; what is used here has been there since Linux 3.7, and the choice
//! of the clock since 4.1.
#![allow(
    unsafe_code,
    reason = "perf_event_open has no typed form, and its ring is memory shared with the kernel"
)]

use crate::{Error, Result};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

const TYPE_TRACEPOINT: u32 = 2;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_RAW: u64 = 1 << 10;
const FLAG_DISABLED: u64 = 1;
const FLAG_USE_CLOCKID: u64 = 1 << 25;
const OPEN_CLOEXEC: libc::c_ulong = 1 << 3;
/// _IO and _IOW of `'$'`: the same on every architecture that iodyno builds for.
const ENABLE: libc::Ioctl = 0x2400;
const SET_OUTPUT: libc::Ioctl = 0x2405;
const SET_FILTER: libc::Ioctl = 0x4008_2406;
/// Where the kernel's end of the ring and ours are in its first page (`struct perf_event_mmap_page`).
const HEAD_AT: usize = 1024;
const TAIL_AT: usize = 1032;
/// 2 MiB for each CPU: some 26,000 events, a fiftieth of a second of more than any CPU makes.
const BYTES_MOST: usize = 2 << 20;
const BYTES_LEAST: usize = 64 << 10;

/// `struct perf_event_attr` up to the size of Linux 3.7 (PERF_ATTR_SIZE_VER3).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    kind: u32,
    bytes: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clock: i32,
}

/// What the times of events are times of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventClock {
    /// The monotonic clock, which everything else here goes by.
    Monotonic,
    /// The kernel's own of `perf`, where it lets nobody choose (before 4.1): the same for all CPUs, but not comparable to
    /// another.
    Own,
}

/// The events of one CPU.
#[derive(Debug)]
pub struct PerfRing {
    events: Vec<OwnedFd>,
    memory: *mut u8,
    page_bytes: usize,
    data_bytes: usize,
}

// SAFETY: the memory is shared with the kernel alone; nothing of it belongs to the thread that mapped it.
unsafe impl Send for PerfRing {}

impl PerfRing {
    /// Opens trace events by their numbers on one CPU, off for now; only those that pass the filter are written.
    ///
    /// # Errors
    /// Without root (CAP_PERFMON), where `perf_event_open` is forbidden, and on a CPU that is not there.
    pub fn open(
        cpu: u32,
        ids: &[u16],
        filter: Option<&str>,
        clock: EventClock,
    ) -> Result<PerfRing> {
        let refused =
            |error: std::io::Error| Error::io("open", format!("perf events of CPU {cpu}"), error);
        let events = ids
            .iter()
            .map(|id| open(cpu, *id, clock))
            .collect::<std::io::Result<Vec<_>>>();
        let events = events.map_err(refused)?;
        let Some(first) = events.first() else {
            return Err(refused(std::io::ErrorKind::InvalidInput.into()));
        };
        let page_bytes = crate::rights::page_bytes() as usize;
        let (memory, data_bytes) = map(first, page_bytes).map_err(refused)?;
        let ring = PerfRing {
            events,
            memory,
            page_bytes,
            data_bytes,
        };
        for event in &ring.events[1..] {
            ring.control(event, SET_OUTPUT, ring.events[0].as_raw_fd() as usize)
                .map_err(refused)?;
        }
        // A filter is for sparing work: whoever reads looks at the device anyway.
        if let Some(filter) = filter.and_then(|filter| CString::new(filter).ok()) {
            for event in &ring.events {
                let _ = ring.control(event, SET_FILTER, filter.as_ptr() as usize);
            }
        }
        Ok(ring)
    }

    /// Turns the event of that place among the numbers on.
    pub fn enable(&self, index: usize) -> Result<()> {
        let event = &self.events[index];
        self.control(event, ENABLE, 0)
            .map_err(|error| Error::io("turn on", "a perf event", error))
    }

    fn control(
        &self,
        event: &OwnedFd,
        request: libc::Ioctl,
        argument: usize,
    ) -> std::io::Result<()> {
        // SAFETY: of these requests only SET_FILTER takes a pointer, to a text that ends in 0 and outlives the call.
        let result = unsafe { libc::ioctl(event.as_raw_fd(), request, argument) };
        if result < 0 {
            Err(std::io::Error::last_os_error())
        } else {
            Ok(())
        }
    }

    /// Adds what the kernel has written since the last time, whole records, and makes room for more.
    pub fn take(&mut self, out: &mut Vec<u8>) {
        let (head, tail) = (self.counter(HEAD_AT), self.counter(TAIL_AT));
        // The kernel publishes its end after the records before it (smp_wmb in perf_output_put_handle).
        let end = head.load(Ordering::Acquire);
        let begin = tail.load(Ordering::Relaxed);
        let length = (end.wrapping_sub(begin) as usize).min(self.data_bytes);
        let at = begin as usize % self.data_bytes;
        let first = length.min(self.data_bytes - at);
        out.reserve(length);
        for (from, bytes) in [(at, first), (0, length - first)] {
            // SAFETY: `from + bytes` is within the ring, and the kernel writes nothing between our end and its own until
            // ours is moved, below.
            let part = unsafe {
                std::slice::from_raw_parts(self.memory.add(self.page_bytes + from), bytes)
            };
            out.extend_from_slice(part);
        }
        tail.store(end, Ordering::Release);
    }

    fn counter(&self, at: usize) -> &AtomicU64 {
        // SAFETY: both places are within the first page and aligned to 8 bytes; the page lives as long as `self`, and
        // whatever the kernel does to it at the same time is one store of 8 bytes.
        unsafe { AtomicU64::from_ptr(self.memory.add(at).cast()) }
    }
}

impl Drop for PerfRing {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length, and no reference into it outlives a call.
        let _ = unsafe { munmap(self.memory.cast(), self.page_bytes + self.data_bytes) };
    }
}

fn open(cpu: u32, id: u16, clock: EventClock) -> std::io::Result<OwnedFd> {
    let (flags, clock) = match clock {
        EventClock::Monotonic => (FLAG_DISABLED | FLAG_USE_CLOCKID, libc::CLOCK_MONOTONIC),
        EventClock::Own => (FLAG_DISABLED, 0),
    };
    let attributes = Attributes {
        kind: TYPE_TRACEPOINT,
        bytes: size_of::<Attributes>() as u32,
        config: u64::from(id),
        sample_period: 1,
        sample_type: SAMPLE_TIME | SAMPLE_RAW,
        flags,
        clock,
        ..Attributes::default()
    };
    match open_once(cpu, &attributes) {
        Err(error) if error.raw_os_error() == Some(libc::EMFILE) && may_open_more() => {
            open_once(cpu, &attributes)
        }
        opened => opened,
    }
}

fn open_once(cpu: u32, attributes: &Attributes) -> std::io::Result<OwnedFd> {
    let (any_process, no_group) = (-1, -1);
    // SAFETY: the kernel reads the attributes, whose size they say themselves, during the call alone.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            attributes,
            any_process,
            cpu as i32,
            no_group,
            OPEN_CLOEXEC,
        )
    };
    match i32::try_from(fd) {
        // SAFETY: the kernel has just made this descriptor for us, and nobody else knows of it.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Each event of each CPU takes a file descriptor, which is more than 1,024 where there are many CPUs.
fn may_open_more() -> bool {
    let limit = getrlimit(Resource::Nofile);
    let is_lower = limit.current != limit.maximum;
    is_lower
        && setrlimit(
            Resource::Nofile,
            Rlimit {
                current: limit.maximum,
                ..limit
            },
        )
        .is_ok()
}

/// As large a ring as the limits on locked memory allow.
fn map(event: &OwnedFd, page_bytes: usize) -> std::io::Result<(*mut u8, usize)> {
    let mut data_bytes = BYTES_MOST.max(page_bytes);
    loop {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let length = page_bytes + data_bytes;
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
        match unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                access,
                MapFlags::SHARED,
                event,
                0,
            )
        } {
            Ok(memory) => return Ok((memory.cast(), data_bytes)),
            Err(_) if data_bytes / 2 >= BYTES_LEAST.max(page_bytes) => data_bytes /= 2,
            Err(error) => return Err(error.into()),
        }
    }
}
