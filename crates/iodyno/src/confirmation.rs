//! `--confirm`: what was changed stays only if somebody says in time that it may. Whoever has locked himself out, or has made
//! the machine too slow to answer, has it put back by waiting.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::signals::{self, JobControl, Stop};
use model::units;
use std::io::BufRead;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// What has to stand alone on a line of stdin.
const WORD: &str = "keep";
/// The longest line that is kept, bytes.
const LINE_MAX: usize = 64;
/// How often it looks for signals, ms.
const LOOK_MS: u64 = 100;
const NO_PAUSE: &str = "iodyno: Ctrl-Z does not pause this, because the settings would stay changed meanwhile. Ctrl-C puts everything back.";

/// Waits for the word.
///
/// # Errors
/// When it does not come: the time is over, stdin has ended, or a signal asked for an end. The caller puts back.
pub fn wait(within_ms: u64, stop: &Stop, context: &Context) -> Result<(), Failure> {
    let deaf = |error| Failure::new(Exit::Failed, format!("cannot watch for signals: {error}"));
    signals::background_reads_fail().map_err(deaf)?;
    let jobs = JobControl::withstand().map_err(deaf)?;
    let within = units::span_ms(within_ms);
    context.out.note(format!(
        "iodyno: all values are in place. Type {WORD} and Enter within {within}; otherwise everything is put back."
    ));
    let lines = lines();
    let begun_ns = host::clock::monotonic_ns();
    loop {
        if stop.is_asked() {
            let why = format!("Not confirmed: {} came.", stop.signal_name());
            return Err(Failure::new(Exit::Interrupted, why));
        }
        if jobs.take_stop() {
            context.out.note(NO_PAUSE);
        }
        let passed_ms = (host::clock::monotonic_ns() - begun_ns) / 1_000_000;
        let left_ms = within_ms.saturating_sub(passed_ms);
        if left_ms == 0 {
            let why = format!("Not confirmed within {within}.");
            return Err(Failure::new(Exit::Refused, why));
        }
        match lines.recv_timeout(Duration::from_millis(left_ms.min(LOOK_MS))) {
            Ok(line) if line.trim() == WORD => return Ok(()),
            Ok(_) => context
                .out
                .note(format!("iodyno: type {WORD} to leave it so.")),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if stop.is_asked() => {}
            Err(RecvTimeoutError::Disconnected) => {
                let why = "Not confirmed: stdin has ended, so nobody can.";
                return Err(Failure::new(Exit::Refused, why));
            }
        }
    }
}

/// Lines of stdin as they come, each cut off where it is longer than any answer, and no more of them ahead than one: whatever is sent
/// there takes no memory. The thread that reads ends with the process.
fn lines() -> Receiver<String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        each_line(std::io::stdin().lock(), |line| sender.send(line).is_ok())
    });
    receiver
}

/// Gives each line of a text, cut off, until it is not wanted any more.
fn each_line(mut text: impl BufRead, mut give: impl FnMut(String) -> bool) {
    let (mut line, mut has_more) = (Vec::new(), true);
    while has_more {
        let Ok(bytes) = text.fill_buf() else { return };
        let (count, is_end) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        has_more = count > 0;
        let room = LINE_MAX.saturating_sub(line.len());
        line.extend(&bytes[..count.min(room)]);
        text.consume(count);
        if is_end && (has_more || !line.is_empty()) {
            let whole = String::from_utf8_lossy(&line).into_owned();
            line.clear();
            if !give(whole) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_off_and_the_last_needs_no_end() {
        let long = format!("{}\nkeep\n\n  keep", "x".repeat(1 << 20));
        let mut lines = Vec::new();
        each_line(
            std::io::BufReader::with_capacity(7, long.as_bytes()),
            |line| {
                lines.push(line.trim().to_string());
                true
            },
        );
        assert_eq!(lines[0].len(), LINE_MAX);
        assert_eq!(lines[1..], ["keep", "", "keep"]);
        let mut count = 0;
        each_line(long.as_bytes(), |_| {
            count += 1;
            false
        });
        assert_eq!(count, 1);
    }
}
