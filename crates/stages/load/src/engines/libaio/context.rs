//! The kernel's asynchronous I/O: its system calls and the ring in which it leaves completions.
//!
//! A context's number is the address of that ring (fs/aio.c), which the process may read and whose head it may move: QEMU
//! and fio do. Where the ring does not look as expected, completions are fetched with `io_getevents`.

use crate::engines::io_uring::flight::Rest;
use crate::source::SourceKind;
use std::collections::VecDeque;
use std::io::{Error, Result};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the kernel is asked, `struct iocb` of include/uapi/linux/aio_abi.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Iocb {
    data: u64,
    // The kernel's order of these two depends on the byte order; both are zero here.
    key: u32,
    rw_flags: u32,
    opcode: u16,
    priority: i16,
    fd: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    resfd: u32,
}

impl Iocb {
    /// What is left of an I/O.
    #[inline(always)]
    pub fn new(fd: RawFd, place: u16, rest: Rest) -> Iocb {
        let opcode = match rest.io.kind {
            SourceKind::Read => 0,
            SourceKind::Write => 1,
            SourceKind::Datasync => 3,
            SourceKind::Sync | SourceKind::Trim => 2,
        };
        let common = Iocb {
            data: place.into(),
            opcode,
            fd: fd as u32,
            ..Iocb::default()
        };
        if rest.io.kind.is_sync() {
            return common;
        }
        Iocb {
            buffer: rest.pointer as u64,
            bytes: rest.length().into(),
            offset: rest.offset() as i64,
            ..common
        }
    }
}

/// A completion, `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct AioEvent {
    data: u64,
    iocb: u64,
    result: i64,
    result2: i64,
}

/// The ring that the kernel shares, `struct aio_ring` of fs/aio.c; the events follow it.
#[repr(C)]
struct Shared {
    id: u32,
    count: u32,
    head: AtomicU32,
    tail: AtomicU32,
    magic: u32,
    compatible: u32,
    incompatible: u32,
    header_bytes: u32,
}

const MAGIC: u32 = 0xa10a_10a1;

/// A queue of the kernel's. Dropping it waits for what is in flight.
#[derive(Debug)]
pub struct Context {
    number: usize,
    has_shared_ring: bool,
    /// Fetched and not taken yet; those that could not be submitted as well.
    fetched: VecDeque<(u16, i32)>,
    events: Vec<AioEvent>,
    pointers: Vec<*mut Iocb>,
}

// SAFETY: a context belongs to the process; `pointers` is empty between calls.
unsafe impl Send for Context {}

impl Context {
    /// For `depth` I/Os in flight.
    pub fn new(depth: u32) -> Result<Context> {
        let mut number: usize = 0;
        // SAFETY: io_setup writes one number to the pointer, which is valid for the call.
        let result =
            unsafe { libc::syscall(libc::SYS_io_setup, libc::c_long::from(depth), &mut number) };
        if result < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the kernel maps at least a page of ring at the address that is the context's number, for as long as the
        // context lives.
        let ring = unsafe { &*(number as *const Shared) };
        let has_shared_ring = ring.magic == MAGIC
            && ring.incompatible == 0
            && ring.header_bytes as usize == size_of::<Shared>()
            && ring.count > depth;
        let depth = depth as usize;
        Ok(Context {
            number,
            has_shared_ring,
            fetched: VecDeque::with_capacity(depth),
            events: vec![AioEvent::default(); depth],
            pointers: Vec::with_capacity(depth),
        })
    }

    /// Whether completions can be read without a system call.
    pub fn has_shared_ring(&self) -> bool {
        self.has_shared_ring
    }

    /// Submits the control blocks of these places. One that the kernel refuses is completed with its error.
    ///
    /// # Safety
    /// The buffers named in them must stay until their completions were taken.
    #[inline(always)]
    pub unsafe fn submit(&mut self, iocbs: &mut [Iocb], places: &mut Vec<u16>) -> Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let base = iocbs.as_mut_ptr();
        self.pointers.clear();
        self.pointers.extend(
            places
                .iter()
                .map(|place| base.wrapping_add(usize::from(*place))),
        );
        let mut done = 0;
        while done < places.len() {
            let left = &mut self.pointers[done..];
            // SAFETY: the pointers are to control blocks of this slice, which the kernel reads in the call; the caller
            // answers for the buffers.
            let result = unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.number,
                    left.len() as libc::c_long,
                    left.as_mut_ptr(),
                )
            };
            if result >= 0 {
                done += result as usize;
                continue;
            }
            match Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::EINTR) => {}
                // The ring is full of completions: they are taken first, and the rest is submitted with the next call.
                error if error.raw_os_error() == Some(libc::EAGAIN) => break,
                error => {
                    self.fetched
                        .push_back((places[done], -error.raw_os_error().unwrap_or(libc::EIO)));
                    done += 1;
                }
            }
        }
        self.pointers.clear();
        places.drain(..done);
        Ok(())
    }

    /// Waits until `want` completions can be taken, at most `wait_ns`.
    #[inline(always)]
    pub fn wait(&mut self, want: usize, wait_ns: Option<u64>) -> Result<()> {
        let there = self.fetched.len() + self.ready();
        if there >= want && (self.has_shared_ring || want == 0) {
            return Ok(());
        }
        self.fetch(want.saturating_sub(there), wait_ns)
    }

    /// Completions in the shared ring.
    #[inline(always)]
    fn ready(&self) -> usize {
        if !self.has_shared_ring {
            return 0;
        }
        let ring = self.shared();
        let (head, tail) = (
            ring.head.load(Ordering::Relaxed),
            ring.tail.load(Ordering::Acquire),
        );
        (if tail >= head {
            tail - head
        } else {
            ring.count - head + tail
        }) as usize
    }

    #[inline(always)]
    fn shared(&self) -> &Shared {
        // SAFETY: the ring is mapped as long as the context lives; what both sides change are atomics.
        unsafe { &*(self.number as *const Shared) }
    }

    /// Enters the kernel for completions: at least `least` of them, or as many as come in time.
    fn fetch(&mut self, least: usize, wait_ns: Option<u64>) -> Result<()> {
        let time = wait_ns.map(|ns| libc::timespec {
            tv_sec: (ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (ns % 1_000_000_000) as libc::c_long,
        });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let (least, most) = (least as libc::c_long, self.events.len() as libc::c_long);
        // SAFETY: the kernel writes at most `most` events to the vector, which has as many, and reads the time.
        let result = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.number,
                least,
                most,
                self.events.as_mut_ptr(),
                time,
            )
        };
        if result < 0 {
            let error = Error::last_os_error();
            return if error.raw_os_error() == Some(libc::EINTR) {
                Ok(())
            } else {
                Err(error)
            };
        }
        let events = self.events.iter().take(result as usize);
        self.fetched
            .extend(events.map(|event| (event.data as u16, event.result as i32)));
        Ok(())
    }

    /// Takes a completion: its place and its result.
    #[inline(always)]
    pub fn completion(&mut self) -> Option<(u16, i32)> {
        if let Some(fetched) = self.fetched.pop_front() {
            return Some(fetched);
        }
        if self.ready() == 0 {
            return None;
        }
        let ring = self.shared();
        let head = ring.head.load(Ordering::Relaxed);
        let events = (self.number + size_of::<Shared>()) as *const AioEvent;
        // SAFETY: `head` is below the ring's count, and `ready` has seen with acquire that the kernel wrote this event.
        let event = unsafe { events.add(head as usize).read() };
        let next = if head + 1 >= ring.count { 0 } else { head + 1 };
        // The event was read: from here on the kernel may use its place.
        ring.head.store(next, Ordering::Release);
        Some((event.data as u16, event.result as i32))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the number is that of a context of ours, and nothing uses it afterwards. The call waits until all that
        // is in flight was completed (Linux 3.16 and later).
        unsafe { libc::syscall(libc::SYS_io_destroy, self.number) };
    }
}
