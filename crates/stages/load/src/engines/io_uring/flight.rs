//! Keeping `iodepth` I/Os in flight: what io_uring and libaio have in common. What differs is the [`Gate`].
//!
//! The loop fills free places, enters the kernel once, which submits and waits, and takes whatever has completed by
//! then. An open loop works the same; what has to wait for a place waits in the schedule, which is a number.

use super::buffers::Buffers;
use crate::LoadError;
use crate::feed::{Feed, Next};
use crate::rate::SLICE_NS;
use crate::source::{Io, SourceKind};
use crate::worker::{Data, Worker};
use std::sync::atomic::Ordering::Relaxed;

/// What is left to do of an I/O at a place of the queue.
#[derive(Clone, Copy)]
pub struct Rest {
    /// The I/O.
    pub io: Io,
    /// Which buffer it uses.
    pub buffer: usize,
    /// Where in that buffer the rest begins.
    pub pointer: *mut u8,
    /// Bytes moved by earlier, partial completions.
    pub done: u32,
}

impl Rest {
    /// Where the rest begins, bytes.
    #[inline(always)]
    pub fn offset(&self) -> u64 {
        self.io.offset + u64::from(self.done)
    }

    /// How much is left, bytes.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        self.io.bytes - self.done
    }
}

/// The way into the kernel and back.
pub trait Gate {
    /// The engine, for messages.
    const ID: &'static str;

    /// Whether I/Os of this kind can be in flight. Others are done one at a time while the thread waits.
    fn carries(&self, kind: SourceKind) -> bool;

    /// The kernel refused one in flight: whether they are to be done one at a time from now on.
    fn gives_up(&mut self, kind: SourceKind, errno: i32) -> bool;

    /// Queues what is left of an I/O, to be submitted by the next [`Gate::enter`]. There is room for every place.
    ///
    /// # Safety
    /// The buffer must stay what it is until the place's completion was taken.
    unsafe fn queue(&mut self, place: u16, rest: Rest);

    /// Submits what is queued and waits for `want` completions, at most `wait_ns`.
    fn enter(&mut self, want: usize, wait_ns: Option<u64>) -> std::io::Result<()>;

    /// Takes a completion: its place and its result, bytes or a negative errno.
    fn completion(&mut self) -> Option<(u16, i32)>;
}

/// What is in flight at one place.
#[derive(Clone, Copy)]
struct Slot {
    io: Io,
    /// When it was to begin, ns: with its submission, but in an open loop.
    due_ns: u64,
    started_ns: u64,
    /// Bytes moved by earlier, partial completions.
    done: u32,
    /// The result that completes it.
    wanted: i32,
}

/// Why filling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filled {
    /// All places that may be used are.
    Full,
    /// As much was queued as may be submitted at once, or something has to be submitted before it goes on.
    Batch,
    /// Nothing is due for so many ns.
    Wait(u64),
    /// Nothing may be in flight during the pause that follows.
    Pause,
    /// There is nothing more.
    Over,
}

/// The job's words on when to submit and when to wait.
#[derive(Clone, Copy, Debug)]
struct Batching {
    submit: usize,
    complete_min: usize,
    complete_max: usize,
    low: usize,
}

impl Batching {
    fn new(worker: &Worker) -> Batching {
        let job = &worker.job;
        let or_all = |count: u32| {
            if count == 0 {
                usize::MAX
            } else {
                count as usize
            }
        };
        Batching {
            submit: or_all(job.iodepth_batch),
            complete_min: job.iodepth_batch_complete_min as usize,
            complete_max: or_all(job.iodepth_batch_complete_max),
            low: or_all(job.iodepth_low),
        }
    }

    /// How many completions to wait for when `inflight` I/Os fill the queue.
    ///
    /// Waiting for a batch saves system calls and costs truth: the first of `n` waits for the last, which adds
    /// `(n − 1) / 2` completion intervals, and a latency is as many intervals as I/Os are in flight (Little's law). One
    /// in 32 keeps that below 1/64 of the latency. Four at depth 32 would save a sixth of the CPU time on a loop device,
    /// and add 5 % to every latency. Where completions come in bunches, one wait reaps the bunch anyway. A job that
    /// says how many it wants gets them.
    #[inline(always)]
    fn wanted(&self, inflight: usize) -> usize {
        let asked = if self.complete_min > 0 {
            self.complete_min
        } else {
            inflight / 32
        };
        asked
            .max(inflight.saturating_sub(self.low))
            .clamp(1, inflight)
    }
}

/// The places of the queue. `free[..top]` are the free ones, last used first, so that a job that does not fill its
/// queue keeps to buffers that are in the CPU's cache.
pub struct Flight {
    buffers: Buffers,
    data: Data,
    checks: bool,
    is_open_loop: bool,
    batching: Batching,
    slots: Vec<Slot>,
    free: Vec<u16>,
    top: usize,
    /// An I/O that cannot be in flight and waits until what is queued was submitted.
    alone: Option<(Io, u64)>,
    checked: u64,
}

impl Flight {
    /// The queue of a job thread.
    pub fn new(worker: &Worker) -> Flight {
        let depth = worker.job.iodepth as usize;
        let data = worker.data();
        let nothing = Io {
            offset: 0,
            number: 0,
            bytes: 0,
            file: 0,
            kind: SourceKind::Read,
        };
        Flight {
            buffers: Buffers::new(worker, depth, &data),
            checks: data.checks(),
            data,
            is_open_loop: worker.job.open_loop,
            batching: Batching::new(worker),
            slots: vec![
                Slot {
                    io: nothing,
                    due_ns: 0,
                    started_ns: 0,
                    done: 0,
                    wanted: 0
                };
                depth
            ],
            free: (0..depth as u16).rev().collect(),
            top: depth,
            alone: None,
            checked: 0,
        }
    }

    /// The memory of the I/Os, to be registered.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    #[inline(always)]
    fn inflight(&self) -> usize {
        self.slots.len() - self.top
    }

    /// The thread's loop: fill, submit and wait, reap.
    pub fn run<G: Gate>(&mut self, gate: &mut G, worker: &Worker) {
        let mut feed = Feed::new(worker);
        let mut filled = Filled::Wait(0);
        loop {
            let was_full = filled == Filled::Full;
            filled = match worker.is_stopping() {
                false => self.fill(gate, &mut feed, worker),
                true => Filled::Over,
            };
            if filled == Filled::Over && was_full && self.is_open_loop {
                // What was due while there was no place; counted once, since nothing fills the queue any more.
                worker
                    .shared
                    .waiting_arrivals
                    .fetch_add(feed.waiting(worker), Relaxed);
            }
            worker
                .counters
                .inflight
                .store(self.inflight() as u32, Relaxed);
            match (self.inflight(), filled) {
                (0, Filled::Over) => break,
                (0, Filled::Pause) => feed.pause(worker),
                (0, Filled::Wait(ns)) => host::clock::sleep_ns(ns.min(SLICE_NS)),
                (0, _) => {}
                (inflight, _) => {
                    let (want, wait_ns) = self.patience(inflight, filled);
                    if let Err(error) = gate.enter(want, wait_ns) {
                        let why = format!("submitting I/O: {error}");
                        worker.shared.fail(LoadError::Engine {
                            engine: G::ID.into(),
                            why,
                        });
                        break;
                    }
                    self.reap(gate, worker);
                }
            }
        }
        if self.checked > 0 {
            worker
                .shared
                .verified(std::mem::take(&mut self.checked), &[]);
        }
    }

    /// For how many completions to wait, and how long.
    #[inline(always)]
    fn patience(&self, inflight: usize, filled: Filled) -> (usize, Option<u64>) {
        match filled {
            Filled::Batch => (0, None),
            Filled::Wait(ns) => (1, Some(ns.min(SLICE_NS))),
            Filled::Full | Filled::Pause | Filled::Over => (self.batching.wanted(inflight), None),
        }
    }

    /// Fills free places and gives them their start time. `limit` is read anew: it may change while the load runs.
    #[inline(always)]
    fn fill<G: Gate>(&mut self, gate: &mut G, feed: &mut Feed, worker: &Worker) -> Filled {
        if let Some((io, due_ns)) = self.alone.take() {
            self.do_alone(worker, io, due_ns);
        }
        let limit = worker
            .shared
            .depth_limit
            .load(Relaxed)
            .clamp(1, self.slots.len() as u32) as usize;
        let keep = self.slots.len() - limit;
        let before = self.top;
        let filled = loop {
            if self.top <= keep {
                break Filled::Full;
            }
            if before - self.top >= self.batching.submit {
                break Filled::Batch;
            }
            match feed.next(worker) {
                Next::Io { io, due_ns } if gate.carries(io.kind) => self.begin(gate, io, due_ns),
                Next::Io { io, due_ns } => {
                    self.alone = Some((io, due_ns));
                    break Filled::Batch;
                }
                Next::Wait(ns) => break Filled::Wait(ns),
                Next::Pause => break Filled::Pause,
                Next::Over => break Filled::Over,
            }
        };
        // One reading for the whole batch, after the last of it is prepared: all enter the kernel with the next call.
        let started_ns = worker.clock.now_ns();
        for &place in &self.free[self.top..before] {
            self.slots[usize::from(place)].started_ns = started_ns;
        }
        filled
    }

    #[inline(always)]
    fn begin<G: Gate>(&mut self, gate: &mut G, io: Io, due_ns: u64) {
        self.top -= 1;
        let place = self.free[self.top];
        let wanted = if matches!(io.kind, SourceKind::Read | SourceKind::Write) {
            io.bytes as i32
        } else {
            0
        };
        self.slots[usize::from(place)] = Slot {
            io,
            due_ns,
            started_ns: 0,
            done: 0,
            wanted,
        };
        if io.kind == SourceKind::Write {
            // SAFETY: the place was free, so nothing is in flight there.
            self.data
                .prepare(unsafe { self.buffers.bytes_of(place, &io) }, &io);
        }
        self.queue(gate, place);
    }

    /// Queues what is left to do at one place.
    #[inline(always)]
    fn queue<G: Gate>(&mut self, gate: &mut G, place: u16) {
        let Slot { io, done, .. } = self.slots[usize::from(place)];
        let buffer = self.buffers.index(place, &io);
        let pointer = self.buffers.pointer(buffer).wrapping_add(done as usize);
        // SAFETY: buffers outlive the I/O: `run` waits for all in flight, and `drop` leaks the memory where it did not,
        // be it for an error or a panic: the place was taken before this and is released after its completion. Its
        // buffer is touched by nobody in between.
        unsafe {
            gate.queue(
                place,
                Rest {
                    io,
                    buffer,
                    pointer,
                    done,
                },
            )
        };
    }

    /// Takes what has completed.
    #[inline(always)]
    fn reap<G: Gate>(&mut self, gate: &mut G, worker: &Worker) {
        let now_ns = worker.clock.now_ns();
        let (mut taken, mut counted) = (0, 0);
        while taken < self.batching.complete_max
            && let Some((place, result)) = gate.completion()
        {
            taken += 1;
            let slot = self.slots[usize::from(place)];
            if result == slot.wanted {
                self.complete(worker, place, slot, now_ns);
                counted += u32::from(!slot.io.kind.is_sync());
            } else {
                counted += u32::from(self.take_odd(gate, worker, place, result));
            }
        }
        if taken > 0 {
            worker
                .counters
                .bin(now_ns.saturating_sub(worker.origin_ns), counted);
            worker.counters.last_ns.store(now_ns, Relaxed);
        }
    }

    #[inline(always)]
    fn complete(&mut self, worker: &Worker, place: u16, slot: Slot, now_ns: u64) {
        let service_ns = now_ns.saturating_sub(slot.started_ns);
        let latency_ns = match self.is_open_loop && slot.due_ns > 0 {
            true => now_ns.saturating_sub(slot.due_ns),
            false => service_ns,
        };
        worker.completed(slot.io, latency_ns, service_ns);
        if self.checks && slot.io.kind == SourceKind::Read {
            self.check(worker, place, slot.io);
        }
        self.release(place);
    }

    #[inline(always)]
    fn release(&mut self, place: u16) {
        self.free[self.top] = place;
        self.top += 1;
    }

    fn check(&mut self, worker: &Worker, place: u16, io: Io) {
        self.checked += 1;
        // SAFETY: the place's I/O has completed, and nothing new was begun there.
        if let Some(what) = self
            .data
            .check(unsafe { self.buffers.bytes_of(place, &io) }, &io)
        {
            worker.bad_block(io, what);
        }
    }

    /// A partial, failed or refused completion: the rest is queued again, the latency goes on. Whether the I/O is done
    /// and counts.
    #[cold]
    fn take_odd<G: Gate>(
        &mut self,
        gate: &mut G,
        worker: &Worker,
        place: u16,
        result: i32,
    ) -> bool {
        let Slot {
            io, due_ns, wanted, ..
        } = self.slots[usize::from(place)];
        match -result {
            libc::EAGAIN | libc::EINTR => self.queue(gate, place),
            errno if errno > 0 && wanted == 0 && gate.gives_up(io.kind, errno) => {
                self.release(place);
                return self.do_alone(worker, io, due_ns) && !io.kind.is_sync();
            }
            errno if errno >= 0 => {
                worker.fail(io, errno);
                self.release(place);
            }
            _ => {
                let slot = &mut self.slots[usize::from(place)];
                slot.done += result as u32;
                slot.wanted -= result;
                self.queue(gate, place);
            }
        }
        false
    }

    /// Does an I/O that cannot be in flight, and waits for it. Whether it was done.
    #[cold]
    fn do_alone(&mut self, worker: &Worker, io: Io, due_ns: u64) -> bool {
        let started_ns = worker.clock.now_ns();
        if let Err(errno) = worker.do_and_wait(io) {
            worker.fail(io, errno);
            return false;
        }
        let now_ns = worker.clock.now_ns();
        let service_ns = now_ns.saturating_sub(started_ns);
        let is_late = self.is_open_loop && due_ns > 0;
        worker.completed(
            io,
            if is_late {
                now_ns.saturating_sub(due_ns)
            } else {
                service_ns
            },
            service_ns,
        );
        worker.counters.last_ns.store(now_ns, Relaxed);
        if !io.kind.is_sync() {
            worker
                .counters
                .bin(now_ns.saturating_sub(worker.origin_ns), 1);
        }
        true
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if self.inflight() > 0 {
            // The kernel may still write to these buffers: better leaked than reused. A panic comes by here as well.
            self.buffers.leak();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes I/Os and never gives one back.
    struct Broken {
        first: Option<*mut u8>,
        panics: bool,
    }

    impl Gate for Broken {
        const ID: &'static str = "broken";

        fn carries(&self, _kind: SourceKind) -> bool {
            true
        }

        fn gives_up(&mut self, _kind: SourceKind, _errno: i32) -> bool {
            false
        }

        // SAFETY: nothing is done with the buffer.
        unsafe fn queue(&mut self, _place: u16, rest: Rest) {
            self.first.get_or_insert(rest.pointer);
        }

        fn enter(&mut self, _want: usize, _wait_ns: Option<u64>) -> std::io::Result<()> {
            assert!(!self.panics, "the injected panic");
            Err(std::io::Error::from_raw_os_error(libc::EIO))
        }

        fn completion(&mut self) -> Option<(u16, i32)> {
            None
        }
    }

    /// Whether a page belongs to this process.
    fn is_mapped(address: *mut u8) -> bool {
        let mut resident = 0;
        // SAFETY: mincore looks at no memory but the one byte it writes its answer to, and says ENOMEM of a page that
        // is not mapped.
        unsafe { libc::mincore(address.cast(), 1, &mut resident) == 0 }
    }

    #[test]
    fn buffers_in_flight_outlive_an_error_and_a_panic() {
        for panics in [false, true] {
            let (_dir, mut worker) = crate::tests::worker_on(&[0; 4096]);
            // So large that the allocator gives it back to the kernel at once when it is freed.
            let bytes = 64 << 20;
            worker.job = std::sync::Arc::new(model::job::Job {
                bs: bytes,
                iodepth: 1,
                ..model::job::Job::default()
            });
            worker.span.bytes = bytes;
            let mut flight = Flight::new(&worker);
            // Another thread may get the same address at once, though not time and again.
            let is_given_back = || {
                let idle = Flight::new(&worker);
                let buffer = idle.buffers.pointer(0);
                drop(idle);
                !is_mapped(buffer)
            };
            assert!((0..50).any(|_| is_given_back()), "without I/O in flight");
            let mut gate = Broken {
                first: None,
                panics,
            };
            let run = std::panic::AssertUnwindSafe(|| {
                flight.run(&mut gate, &worker);
                drop(flight);
            });
            assert_eq!(std::panic::catch_unwind(run).is_err(), panics);
            let buffer = gate.first.expect("an I/O was queued");
            assert!(is_mapped(buffer), "in flight, panic: {panics}");
        }
    }

    #[test]
    fn waits_for_what_the_job_says_and_never_for_more_than_is_there() {
        let own = Batching {
            submit: usize::MAX,
            complete_min: 0,
            complete_max: usize::MAX,
            low: usize::MAX,
        };
        assert_eq!(
            [1, 31, 64, 256].map(|inflight| own.wanted(inflight)),
            [1, 1, 2, 8]
        );
        let asked = Batching {
            complete_min: 16,
            ..own
        };
        assert_eq!(
            [4, 16, 32].map(|inflight| asked.wanted(inflight)),
            [4, 16, 16]
        );
        let low = Batching { low: 8, ..own };
        assert_eq!(
            [8, 32].map(|inflight| low.wanted(inflight)),
            [1, 24],
            "drains to the low mark"
        );
    }
}
