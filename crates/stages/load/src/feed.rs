//! What a job thread does next, and when: its stream of I/Os, their schedule, and the pauses between them.

use super::rate::{Pace, SLICE_NS};
use super::source::{Io, OffsetSource};
use super::worker::Worker;
use model::job::Thinktime;
use std::sync::atomic::Ordering::Relaxed;

/// What a thread may do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// An I/O; `due_ns` is when it was to begin, 0 without a schedule.
    Io {
        /// What.
        io: Io,
        /// When, ns.
        due_ns: u64,
    },
    /// Nothing for so many ns.
    Wait(u64),
    /// Nothing until all in flight has come back and [`Feed::pause`] was called.
    Pause,
    /// Nothing any more.
    Over,
}

/// The stream of one job thread.
#[derive(Debug)]
pub struct Feed {
    source: OffsetSource,
    pace: Pace,
    think: Thinktime,
    /// I/Os handed out since the last pause.
    since_pause: u32,
    /// Taken from the source, not due yet.
    held: Option<Io>,
    is_over: bool,
    /// Whether there is neither schedule nor pause: then the source alone decides.
    is_free: bool,
}

impl Feed {
    /// The thread's stream, to be made when it begins to work.
    pub fn new(worker: &Worker) -> Feed {
        // A further stage of a job begins where the one before ended, not in arrears.
        let start_ns = match worker.counters.last_ns.load(Relaxed) {
            0 => worker.origin_ns,
            last_ns => last_ns,
        };
        let pace = Pace::new(&worker.job, start_ns, worker.seed);
        let think = worker.job.thinktime;
        if pace.is_limited() || think.us > 0 {
            host::process::wake_precisely();
        }
        Feed {
            source: worker.source(),
            is_free: !pace.is_limited() && think.us == 0,
            pace,
            think,
            since_pause: 0,
            held: None,
            is_over: false,
        }
    }

    /// What to do now.
    #[inline(always)]
    pub fn next(&mut self, worker: &Worker) -> Next {
        if !self.is_free {
            return self.next_in_time(worker);
        }
        match self.source.next_io() {
            Some(io) => Next::Io { io, due_ns: 0 },
            None => Next::Over,
        }
    }

    fn next_in_time(&mut self, worker: &Worker) -> Next {
        if self.is_over {
            return Next::Over;
        }
        if self.think.us > 0 && self.since_pause >= self.think.blocks.max(1) {
            return Next::Pause;
        }
        let now_ns = worker.clock.now_ns();
        if self.held.is_none() {
            self.source.steer(self.pace.turn(now_ns));
            self.held = self.source.next_io();
        }
        let Some(io) = self.held else {
            self.is_over = true;
            return Next::Over;
        };
        let due_ns = self.pace.due_ns(io.kind);
        if due_ns > now_ns {
            return Next::Wait(due_ns - now_ns);
        }
        self.held = None;
        self.pace.take(&io);
        self.since_pause += u32::from(!io.kind.is_sync());
        Next::Io { io, due_ns }
    }

    /// Pauses as `thinktime` asks, or until the load is stopped. Nothing may be in flight.
    pub fn pause(&mut self, worker: &Worker) {
        self.since_pause = 0;
        let start_ns = worker.clock.now_ns();
        let spin_end_ns = start_ns + self.think.spin_us.min(self.think.us) * 1_000;
        let end_ns = start_ns + self.think.us * 1_000;
        while worker.clock.now_ns() < spin_end_ns && !worker.is_stopping() {
            std::hint::spin_loop();
        }
        sleep_until(worker, end_ns);
    }

    /// Arrivals that are due and were not handed out.
    pub fn waiting(&self, worker: &Worker) -> u64 {
        if self.is_over {
            0
        } else {
            self.pace.waiting(worker.clock.now_ns())
        }
    }
}

/// Sleeps until a moment of the thread's clock, or until the load is stopped.
pub fn sleep_until(worker: &Worker, end_ns: u64) {
    while !worker.is_stopping() {
        let left_ns = end_ns.saturating_sub(worker.clock.now_ns());
        if left_ns == 0 {
            return;
        }
        host::clock::sleep_ns(left_ns.min(SLICE_NS));
    }
}
