//! Waiting for a terminal's user, and noticing that the terminal is gone.

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What came of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// Nothing, or a signal.
    Nothing,
    /// Something to read.
    Input,
    /// The terminal hung up: whoever reads it again reads nothing, for ever.
    Gone,
}

/// Waits for input on the terminal that is stdout, so long at most.
pub fn wait(ms: u64) -> Came {
    let stdout = std::io::stdout();
    let mut terminals = [PollFd::new(&stdout, PollFlags::IN)];
    let limit = Timespec { tv_sec: (ms / 1000) as i64, tv_nsec: (ms % 1000 * 1_000_000) as _ };
    match poll(&mut terminals, Some(&limit)) {
        Ok(0) | Err(_) => Came::Nothing,
        Ok(_) if terminals[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {
            Came::Gone
        }
        Ok(_) => Came::Input,
    }
}
