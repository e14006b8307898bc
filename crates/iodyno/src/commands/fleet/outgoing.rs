//! What a host says, written by a thread of its own: a reader that stands still never keeps a verb from putting everything
//! back.

use fleet::protocol;
use host::clock;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// Lines that may wait before those that are not essential are dropped.
const WAITING_MAX: usize = 256;
/// How long the last lines may take, ns.
const FINISH_NS: u64 = 10_000_000_000;

/// The way out.
pub struct Outgoing {
    lines: Sender<String>,
    waiting: Arc<AtomicUsize>,
}

impl Outgoing {
    /// With its thread, which ends with the program.
    pub fn start() -> Outgoing {
        let (lines, inbox) = channel::<String>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        std::thread::spawn(move || {
            for line in inbox {
                let mut stdout = std::io::stdout().lock();
                // Whoever reads no more is noticed by the end of what we read.
                let _ = stdout
                    .write_all(line.as_bytes())
                    .and_then(|()| stdout.flush());
                written.fetch_sub(1, Ordering::Release);
            }
        });
        Outgoing { lines, waiting }
    }

    /// Says something that has to arrive.
    pub fn say(&self, tell: &protocol::Tell) {
        self.waiting.fetch_add(1, Ordering::Release);
        if self.lines.send(protocol::line(tell)).is_err() {
            self.waiting.fetch_sub(1, Ordering::Release);
        }
    }

    /// Says something that may be left out while nobody reads.
    pub fn say_lightly(&self, tell: &protocol::Tell) {
        if self.waiting.load(Ordering::Acquire) < WAITING_MAX {
            self.say(tell);
        }
    }

    /// Waits until all is written, but not for ever.
    pub fn finish(&self) {
        let end_ns = clock::monotonic_ns() + FINISH_NS;
        while self.waiting.load(Ordering::Acquire) > 0 && clock::monotonic_ns() < end_ns {
            clock::sleep_ms(5);
        }
    }
}
