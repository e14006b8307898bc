//! `--confirm`: what was changed stays only if somebody says in time that it may. Whoever has locked himself out, or has made
//! the machine too slow to answer, has it put back by waiting.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::signals::{self, JobControl, Stop};
use model::units;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// What has to stand alone on a line of stdin.
const WORD: &str = "keep";
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

/// Lines of stdin as they come; the thread that reads ends with the process.
fn lines() -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = std::io::stdin().lines().map_while(Result::ok);
        for line in lines {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}
