//! What a command prints, read by a thread that can be ended whoever holds the other end of the pipe.

use super::{PrintedLine, lock};
use crate::clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::{self, PipeWriter};
use std::process::ChildStdout;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A longer line is cut, bytes.
const LINE_MAX: usize = 16 << 10;
/// Lines kept for whoever takes them late; older ones go.
const LINES_MAX: usize = 10_000;
/// Last lines kept for a message.
const LAST_LINES: usize = 5;
/// So much is still read after the end, bytes: what a pipe holds. Whoever goes on printing is not listened to for ever.
const REST_MAX: usize = 1 << 20;

/// Lines that were read.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub lines: VecDeque<PrintedLine>,
    pub last: VecDeque<String>,
}

/// The thread that reads.
#[derive(Debug)]
pub(super) struct Reader {
    output: Arc<ChildStdout>,
    thread: Option<JoinHandle<()>>,
    /// Closed, it ends the thread.
    ends: Option<PipeWriter>,
}

impl Reader {
    /// Reads from now on.
    pub fn start(output: ChildStdout, printed: Arc<Mutex<Printed>>) -> io::Result<Reader> {
        let (ended, ends) = io::pipe()?;
        let output = Arc::new(output);
        let source = Arc::clone(&output);
        let thread = std::thread::Builder::new().name("command".into());
        let thread = thread.spawn(move || {
            let mut lines = Lines {
                printed: &printed,
                begun: Vec::new(),
            };
            let mut rest = REST_MAX;
            while let Some(is_ended) = wait(&source, &ended) {
                match lines.read(&source) {
                    Some(bytes) if is_ended => rest = rest.saturating_sub(bytes),
                    Some(_) => {}
                    None => break,
                }
                if rest == 0 {
                    break;
                }
            }
            lines.end();
        })?;
        Ok(Reader {
            output,
            thread: Some(thread),
            ends: Some(ends),
        })
    }

    /// Whether all was read and nobody can print more.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Whether nobody else holds the pipe.
    pub fn is_closed_by_others(&self) -> bool {
        state(&self.output).is_some_and(|state| state.contains(PollFlags::HUP))
    }

    /// The end that is read.
    pub fn output(&self) -> &ChildStdout {
        &self.output
    }
}

impl Drop for Reader {
    /// Reads what is there, and ends.
    fn drop(&mut self) {
        self.ends = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

const AT_ONCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// What can be done with the pipe now.
fn state(output: &ChildStdout) -> Option<PollFlags> {
    let mut fds = [PollFd::new(output, PollFlags::IN)];
    poll(&mut fds, Some(&AT_ONCE)).ok()?;
    Some(fds[0].revents())
}

/// Waits until there is something to read, and says whether the end was asked for; none when it was, and nothing is left.
fn wait(output: &ChildStdout, ended: &io::PipeReader) -> Option<bool> {
    loop {
        let mut fds = [
            PollFd::new(output, PollFlags::IN),
            PollFd::new(ended, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => continue,
            Err(_) => return None,
            Ok(_) => {}
        }
        let is_ended = !fds[1].revents().is_empty();
        match fds[0].revents().is_empty() {
            true if is_ended => return None,
            true => {}
            false => return Some(is_ended),
        }
    }
}

/// Cuts what is read into lines.
struct Lines<'a> {
    printed: &'a Mutex<Printed>,
    begun: Vec<u8>,
}

impl Lines<'_> {
    /// Reads once; how much there was, none at the end.
    fn read(&mut self, output: &ChildStdout) -> Option<usize> {
        let mut bytes = [0; LINE_MAX];
        let count = match rustix::io::read(output, &mut bytes) {
            Ok(0) => return None,
            Ok(count) => count,
            Err(Errno::INTR) => return Some(0),
            Err(_) => return None,
        };
        for piece in bytes[..count].split_inclusive(|byte| *byte == b'\n') {
            self.take(piece);
        }
        Some(count)
    }

    /// A piece that ends at most with a line.
    fn take(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let room = LINE_MAX - self.begun.len();
            let (fits, rest) = piece.split_at(room.min(piece.len()));
            self.begun.extend(fits);
            piece = rest;
            if self.begun.len() == LINE_MAX || fits.ends_with(b"\n") {
                self.keep();
            }
        }
    }

    fn keep(&mut self) {
        let at_ns = clock::monotonic_ns();
        let text = String::from_utf8_lossy(&self.begun).trim_end().to_string();
        self.begun.clear();
        let mut printed = lock(self.printed);
        keep(&mut printed.last, text.clone(), LAST_LINES);
        keep(&mut printed.lines, PrintedLine { at_ns, text }, LINES_MAX);
    }

    /// A last line needs no end.
    fn end(mut self) {
        if !self.begun.is_empty() {
            self.keep();
        }
    }
}

fn keep<T>(all: &mut VecDeque<T>, new: T, most: usize) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(new);
}
