//! A verb at work: read line by line, or as a whole.

use crate::RunnerError;
use crate::cancel::Cancel;
use crate::ended::{self, Answer, Ended};
use host::signals::Stop;
use host::{Interrupter, Piped, clock};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The most that is kept of the words beside a document, bytes.
const WORDS_MAX: u64 = 64 << 10;
/// How often a request to stop is looked for, ms.
const LOOK_MS: u64 = 100;
/// The longest line of words, bytes; what is beyond begins another.
const WORDS_LINE_MAX: u64 = 64 << 10;

/// A verb at work. Dropped, it is asked to end and not waited for.
#[derive(Debug)]
pub struct Running {
    child: Piped,
}

/// Who is told what a verb says while it runs.
pub struct RunningLines<'a> {
    /// The longest document that is taken, bytes; longer ones are left out.
    pub longest: u64,
    /// Told each document, which is one line; not the one that says why the verb failed.
    pub document: &'a mut (dyn FnMut(&str) + Send),
    /// Told each line of words for people.
    pub words: &'a mut (dyn FnMut(&str) + Send),
}

impl Running {
    pub(crate) fn new(child: Piped) -> Running {
        Running { child }
    }

    /// Its process id here.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it reads, once; none for one that is not talked with. Dropped, it reads its end.
    pub fn stdin(&mut self) -> Option<impl Write + Send + use<>> {
        self.child.stdin()
    }

    /// What asks it to end, from any thread.
    pub fn interrupter(&self) -> Interrupter {
        self.child.interrupter()
    }

    /// Follows it to its end, line by line.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn lines(mut self, lines: RunningLines<'_>) -> Result<Ended, RunnerError> {
        let (stdout, stderr) = (self.child.stdout(), self.child.stderr());
        let RunningLines {
            longest,
            document,
            words,
        } = lines;
        let last = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut source = stderr.map(BufReader::new);
                let mut line = Vec::new();
                while source
                    .as_mut()
                    .is_some_and(|source| is_piece(source, &mut line, WORDS_LINE_MAX))
                {
                    words(String::from_utf8_lossy(&line).trim_end());
                }
            });
            stdout.map_or_else(Vec::new, |source| documents(source, longest, document))
        });
        let exit = self.child.wait()?;
        Ok(Ended {
            exit,
            error: ended::why(exit, &last),
        })
    }

    /// Follows it to its end, for a document of at most so many bytes.
    ///
    /// # Errors
    /// When the document is longer, or the verb cannot be waited for.
    pub fn whole(mut self, most: u64) -> Result<Answer, RunnerError> {
        let (stdout, stderr) = (self.child.stdout(), self.child.stderr());
        let ((document, is_whole), words) = std::thread::scope(|scope| {
            let words = scope.spawn(|| stderr.map(|source| read_some(source, WORDS_MAX).0));
            let document = stdout.map_or((Vec::new(), true), |source| read_some(source, most));
            (document, words.join().ok().flatten().unwrap_or_default())
        });
        let exit = self.child.wait()?;
        if !is_whole {
            return Err(RunnerError::TooMuch(most));
        }
        Ok(Answer {
            exit,
            error: ended::why(exit, &document),
            document,
            words: String::from_utf8_lossy(&words).into_owned(),
        })
    }

    /// The same; a request to stop is passed on, and what the verb then says is its answer.
    ///
    /// # Errors
    /// See [`Running::whole`].
    pub fn whole_or_stopped(self, most: u64, stop: &Stop) -> Result<Answer, RunnerError> {
        let (interrupter, is_over) = (self.interrupter(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if stop.is_asked() {
                        let _ = interrupter.interrupt();
                        return;
                    }
                    clock::sleep_ms(LOOK_MS);
                }
            });
            let answer = self.whole(most);
            is_over.store(true, Ordering::Relaxed);
            answer
        })
    }

    /// The same as [`Running::whole`], but it is ended after `limit`, and at once when it is cancelled.
    ///
    /// # Errors
    /// See [`Running::whole`]; when it took too long.
    pub fn whole_within(
        self,
        most: u64,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Answer, RunnerError> {
        let interrupter = self.interrupter();
        cancel.begins(self.interrupter());
        let (ends, ended) = channel::<()>();
        let timer = std::thread::spawn(move || {
            let is_over = ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            is_over && interrupter.kill().is_ok()
        });
        let done = self.whole(most);
        drop(ends);
        match timer.join() {
            Ok(true) => Err(RunnerError::TooLong(limit)),
            _ => done,
        }
    }
}

/// Passes on each line, and gives back the last one.
fn documents(source: impl Read, longest: u64, document: &mut dyn FnMut(&str)) -> Vec<u8> {
    let mut source = BufReader::new(source);
    let (mut line, mut last) = (Vec::new(), Vec::new());
    while is_piece(&mut source, &mut line, longest) {
        let is_cut = line.len() as u64 == longest && line.last() != Some(&b'\n');
        if is_cut {
            skip_line(&mut source);
            continue;
        }
        match std::str::from_utf8(&line) {
            Ok(text) if !ended::is_failure(&line) => document(text),
            _ => {}
        }
        std::mem::swap(&mut last, &mut line);
    }
    last
}

/// Reads the next line, or so much of it, into `line`; false at the end.
fn is_piece(source: &mut impl BufRead, line: &mut Vec<u8>, longest: u64) -> bool {
    line.clear();
    source
        .take(longest)
        .read_until(b'\n', line)
        .is_ok_and(|length| length > 0)
}

/// Reads on to the end of the line, and forgets it.
fn skip_line(source: &mut impl BufRead) {
    let mut rest = Vec::new();
    while is_piece(source, &mut rest, 64 << 10) && rest.last() != Some(&b'\n') {}
}

/// Reads so much, and says whether that was all; what is beyond is read too, so that nobody waits for us, and forgotten.
fn read_some(mut source: impl Read, most: u64) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let _ = source.by_ref().take(most).read_to_end(&mut bytes);
    let beyond = std::io::copy(&mut source, &mut std::io::sink());
    (bytes, beyond.is_ok_and(|bytes| bytes == 0))
}

#[cfg(test)]
mod tests;
