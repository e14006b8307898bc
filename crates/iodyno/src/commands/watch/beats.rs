//! The moments at which a line or a document of `watch` is due.

use super::args::WatchArgs;
use host::signals::Stop;

/// The moments at which lines or documents are due, until a stop is asked for or there were enough.
pub struct Beats<'a> {
    stop: &'a Stop,
    start_ns: u64,
    every_ns: u64,
    left: Option<u64>,
    next: u64,
}

impl<'a> Beats<'a> {
    /// From now on.
    pub fn new(args: &WatchArgs, stop: &'a Stop) -> Self {
        let start_ns = host::clock::monotonic_ns();
        Beats {
            stop,
            start_ns,
            every_ns: args.every_ms() * 1_000_000,
            left: args.count,
            next: 1,
        }
    }

    /// Waits for the next moment; false when it is over. Moments that have passed are skipped.
    pub fn wait(&mut self) -> bool {
        if self.left == Some(0) {
            return false;
        }
        let due_ns = self.start_ns + self.next * self.every_ns;
        while host::clock::monotonic_ns() < due_ns {
            if self.stop.is_asked() {
                return false;
            }
            let left_ns = due_ns.saturating_sub(host::clock::monotonic_ns());
            host::clock::sleep_ns(left_ns.min(50_000_000));
        }
        let passed = (host::clock::monotonic_ns() - self.start_ns) / self.every_ns;
        self.next = passed.max(self.next) + 1;
        !self.stop.is_asked()
    }

    /// Counts what was said: a moment without a new sample says nothing.
    pub fn said(&mut self) {
        self.left = self.left.map(|left| left.saturating_sub(1));
    }
}
