//! A connection to a host: lines both ways, bounded, with a watch that ends it when the host says nothing any more.

use fleet::protocol::{FIRST_LINES_MAX, LINE_MAX, TALK_A_SECOND, TALK_MAX};
use host::{Interrupter, Piped, clock};
use model::text::clean_to;
use runner::{Runner, RunnerError, RunnerPlace};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Lines that wait for whoever reads them; the host waits beyond.
const WAITING: usize = 64;
/// How often the watch looks, ms.
const WATCH_MS: u64 = 100;
/// Lines of standard error that are kept, the last ones; and the longest, bytes.
const SAID_MAX: usize = 8;
const SAID_LINE_MAX: u64 = 4 << 10;
/// How long the last words may take after the end, ms.
const LAST_WORDS_MS: u64 = 500;

/// What was heard.
#[derive(Debug)]
pub enum Heard {
    /// A line.
    Line(Vec<u8>),
    /// A line longer than is taken.
    TooLong,
    /// More in all than is taken.
    TooMuch,
    /// The end.
    End,
}

/// When a host is given up.
#[derive(Debug)]
struct Guard {
    silence_ns: u64,
    /// When it has been silent for too long.
    due_ns: AtomicU64,
    /// When its whole time is over.
    end_ns: AtomicU64,
    /// When the time of what it is at is over.
    phase_ns: AtomicU64,
    is_given_up: AtomicBool,
    /// Nobody talks there any more.
    is_left: AtomicBool,
    interrupter: Interrupter,
}

impl Guard {
    fn feed(&self) {
        let due_ns = clock::monotonic_ns().saturating_add(self.silence_ns);
        self.due_ns.store(due_ns, Ordering::Relaxed);
    }

    fn look(&self, now_ns: u64) {
        let due_ns = self.due_ns.load(Ordering::Relaxed);
        let end_ns = self.end_ns.load(Ordering::Relaxed);
        let phase_ns = self.phase_ns.load(Ordering::Relaxed);
        let first_ns = due_ns.min(end_ns).min(phase_ns);
        if now_ns > first_ns && !self.is_given_up.swap(true, Ordering::Relaxed) {
            // What it leads to is at its end too when its standard input ends.
            let _ = self.interrupter.kill_group();
        }
    }
}

/// Looks after all connections, and takes leave of the programs that led to those that were left; on one thread that ends
/// with it.
#[derive(Debug, Default)]
pub struct Watch(Arc<Mutex<Vec<Arc<Guard>>>>);

impl Watch {
    /// With its thread.
    pub fn start() -> Watch {
        let watch = Watch::default();
        let guards = Arc::downgrade(&watch.0);
        std::thread::spawn(move || {
            while let Some(guards) = guards.upgrade() {
                let now_ns = clock::monotonic_ns();
                let mut all = guards.lock().unwrap_or_else(PoisonError::into_inner);
                all.retain(|guard| {
                    let is_left = guard.is_left.load(Ordering::Relaxed);
                    if !is_left {
                        guard.look(now_ns);
                    }
                    !(is_left && guard.interrupter.has_ended())
                });
                drop(all);
                drop(guards);
                clock::sleep_ms(WATCH_MS);
            }
        });
        watch
    }

    fn add(&self, guard: &Arc<Guard>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(guard));
    }
}

/// A connection.
pub struct Talk {
    stdin: Option<Box<dyn Write + Send>>,
    inbox: Receiver<Heard>,
    said: Arc<Said>,
    guard: Arc<Guard>,
    /// The longest line that is taken now, bytes.
    line_max: Arc<AtomicU64>,
    _child: Piped,
}

/// What came on standard error.
#[derive(Debug, Default)]
struct Said {
    lines: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

/// How long a host may be silent, and how long it may take in all, ms.
#[derive(Clone, Copy, Debug)]
pub struct TalkLimits {
    /// Silence.
    pub silence_ms: u64,
    /// All; none without a limit.
    pub whole_ms: Option<u64>,
}

impl Talk {
    /// Starts `executable` with these words in a place. The thread that does so has to live as long as the talk.
    ///
    /// # Errors
    /// When the program that leads there cannot be started.
    pub fn start(
        place: &RunnerPlace,
        (executable, words): (&str, Vec<String>),
        limits: TalkLimits,
        watch: &Watch,
    ) -> Result<Talk, RunnerError> {
        let mut child = Runner::new(place.clone(), executable).talk(words)?;
        let stdin = child.stdin();
        let stdin = stdin.map(|stdin| Box::new(stdin) as Box<dyn Write + Send>);
        let whole = |ms: u64| clock::monotonic_ns().saturating_add(ms.saturating_mul(1_000_000));
        let guard = Arc::new(Guard {
            silence_ns: limits.silence_ms.saturating_mul(1_000_000),
            due_ns: AtomicU64::new(u64::MAX),
            end_ns: AtomicU64::new(limits.whole_ms.map_or(u64::MAX, whole)),
            phase_ns: AtomicU64::new(u64::MAX),
            is_left: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
            interrupter: child.interrupter(),
        });
        guard.feed();
        watch.add(&guard);
        let (sender, inbox) = sync_channel(WAITING);
        let line_max = Arc::new(AtomicU64::new(FIRST_LINES_MAX));
        let (stdout, stderr) = (child.stdout(), child.stderr());
        let of_reader = Arc::clone(&line_max);
        in_thread(move || {
            if let Some(stdout) = stdout {
                read_lines(stdout, &of_reader, &sender);
            }
        })?;
        let said = Arc::new(Said::default());
        let kept = Arc::clone(&said);
        in_thread(move || {
            if let Some(stderr) = stderr {
                keep_last(stderr, &kept);
            }
            kept.is_over.store(true, Ordering::Release);
        })?;
        Ok(Talk {
            stdin,
            inbox,
            said,
            guard,
            line_max,
            _child: child,
        })
    }

    /// From now on long lines are taken: a verb was started.
    pub fn take_long_lines(&self) {
        self.line_max.store(LINE_MAX, Ordering::Relaxed);
    }

    /// What it is at now may take so long at the most, ms; none for what has no end of its own.
    pub fn phase_within_ms(&self, ms: Option<u64>) {
        let end = |ms: u64| clock::monotonic_ns().saturating_add(ms.saturating_mul(1_000_000));
        let phase_ns = ms.map_or(u64::MAX, end);
        self.guard.phase_ns.store(phase_ns, Ordering::Relaxed);
    }

    /// Whether the watch ended it because that took too long.
    pub fn is_over_phase(&self) -> bool {
        clock::monotonic_ns() > self.guard.phase_ns.load(Ordering::Relaxed)
    }

    /// What comes next; none where nothing comes for so long.
    pub fn hear(&self, limit: Duration) -> Option<Heard> {
        match self.inbox.recv_timeout(limit) {
            Ok(heard) => {
                self.guard.feed();
                Some(heard)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Heard::End),
        }
    }

    /// Says something; a host that is gone is noticed where it is heard.
    pub fn say(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Says much, piece by piece: as long as it is taken, the host is no silent one.
    ///
    /// # Errors
    /// When it is not taken any more.
    pub fn say_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Ok(());
        };
        for piece in bytes.chunks(256 << 10) {
            stdin.write_all(piece)?;
            self.guard.feed();
        }
        stdin.flush()
    }

    /// Whether the watch ended it.
    pub fn is_given_up(&self) -> bool {
        self.guard.is_given_up.load(Ordering::Relaxed)
    }

    /// Whether that was for its whole time, and not for silence.
    pub fn is_over_time(&self) -> bool {
        clock::monotonic_ns() > self.guard.end_ns.load(Ordering::Relaxed)
    }

    /// From now on it may take so long at the most, ms.
    pub fn end_within_ms(&self, ms: u64) {
        let end_ns = clock::monotonic_ns().saturating_add(ms.saturating_mul(1_000_000));
        self.guard.end_ns.fetch_min(end_ns, Ordering::Relaxed);
    }

    /// The last that was said on standard error, on one line; none where nothing was.
    pub fn last_words(&self) -> Option<String> {
        let end_ns = clock::monotonic_ns() + LAST_WORDS_MS * 1_000_000;
        while !self.said.is_over.load(Ordering::Acquire) && clock::monotonic_ns() < end_ns {
            clock::sleep_ms(5);
        }
        let lines = self
            .said
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        lines.last().cloned()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.stdin = None;
        self.guard.is_left.store(true, Ordering::Relaxed);
        let _ = self.guard.interrupter.interrupt_group();
    }
}

/// Does something on a thread of its own; a machine that gives no thread is no reason to panic.
fn in_thread(work: impl FnOnce() + Send + 'static) -> Result<(), RunnerError> {
    let thread = std::thread::Builder::new().spawn(work);
    thread.map(drop).map_err(|error| {
        RunnerError::from(host::Error::Program {
            program: "a thread for the connection".into(),
            why: error.to_string(),
        })
    })
}

/// Reads lines to the end, and no more than is taken.
fn read_lines(source: impl Read, longest: &AtomicU64, sender: &SyncSender<Heard>) {
    let mut source = BufReader::new(source);
    let (mut taken, begun_ns) = (0u64, clock::monotonic_ns());
    loop {
        let mut line = Vec::new();
        let is_whole = read_line(&mut source, longest, &mut line);
        taken = taken.saturating_add(line.len() as u64);
        let seconds = clock::monotonic_ns().saturating_sub(begun_ns) / 1_000_000_000;
        let most = TALK_MAX.saturating_add(seconds.saturating_mul(TALK_A_SECOND));
        let heard = match line.len() {
            0 => Heard::End,
            _ if !is_whole => Heard::TooLong,
            _ if taken > most => Heard::TooMuch,
            _ => Heard::Line(line),
        };
        let is_line = matches!(heard, Heard::Line(_));
        if sender.send(heard).is_err() || !is_line {
            return;
        }
    }
}

/// Reads a line in pieces, each by the limit of its moment; false for one that is too long.
fn read_line(source: &mut impl BufRead, longest: &AtomicU64, line: &mut Vec<u8>) -> bool {
    loop {
        let piece = source
            .by_ref()
            .take(FIRST_LINES_MAX)
            .read_until(b'\n', line);
        if piece.unwrap_or(0) == 0 || line.last() == Some(&b'\n') {
            return true;
        }
        if line.len() as u64 >= longest.load(Ordering::Relaxed) {
            return false;
        }
    }
}

/// Reads standard error to its end, and keeps the last lines of it.
fn keep_last(source: impl Read, said: &Said) {
    let mut source = BufReader::new(source);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = source
            .by_ref()
            .take(SAID_LINE_MAX)
            .read_until(b'\n', &mut line);
        if read.unwrap_or(0) == 0 {
            return;
        }
        let text = clean_to(String::from_utf8_lossy(&line).trim(), 300);
        if !text.is_empty() {
            let mut lines = said.lines.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() >= SAID_MAX {
                lines.remove(0);
            }
            lines.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(script: &str, limits: TalkLimits) -> (Talk, Watch) {
        let watch = Watch::start();
        let words = vec!["-c".to_string(), script.to_string()];
        let talk = Talk::start(&RunnerPlace::Here, ("sh", words), limits, &watch).unwrap();
        (talk, watch)
    }

    const LONG: TalkLimits = TalkLimits {
        silence_ms: 60_000,
        whole_ms: None,
    };

    fn hear(talk: &Talk) -> Heard {
        talk.hear(Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn lines_come_and_the_last_words_are_kept() {
        let (mut talk, _watch) = talk("read -r a; echo got $a; echo one >&2; echo two >&2", LONG);
        talk.say(b"x\n");
        assert!(matches!(hear(&talk), Heard::Line(line) if line == b"got x\n"));
        assert!(matches!(hear(&talk), Heard::End));
        assert_eq!(talk.last_words().as_deref(), Some("two"));
        assert!(!talk.is_given_up());
    }

    #[test]
    fn a_silent_one_is_ended_and_one_that_takes_too_long_too() {
        let limits = TalkLimits {
            silence_ms: 200,
            whole_ms: None,
        };
        let (silent, _watch) = talk("exec sleep 60", limits);
        assert!(matches!(hear(&silent), Heard::End));
        assert!(silent.is_given_up() && !silent.is_over_time());
        let limits = TalkLimits {
            silence_ms: 60_000,
            whole_ms: Some(200),
        };
        let (late, _watch) = talk("exec sleep 60", limits);
        assert!(matches!(hear(&late), Heard::End));
        assert!(late.is_given_up() && late.is_over_time());
    }

    #[test]
    fn a_flood_ends_with_what_is_taken() {
        let (talk, _watch) = talk("exec head -c 7000000 /dev/zero", LONG);
        assert!(matches!(hear(&talk), Heard::TooLong));
        assert!(matches!(hear(&talk), Heard::End), "and no more is heard");
    }
}
