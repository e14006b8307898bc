//! Waits, with everything prepared, for the moment to begin: what leads a fleet gives every host the same one, each on the
//! host's own clock.

use crate::context::Context;
use host::clock;
use host::signals::Stop;
use serde::Serialize;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The furthest moment that is waited for, ns.
const AHEAD_MAX_NS: u64 = 60_000_000_000;
/// How often a request to stop is looked for meanwhile, ns.
const LOOK_NS: u64 = 50_000_000;

#[derive(Serialize)]
struct ReadyLine {
    schema: &'static str,
}

#[derive(Serialize)]
struct BeganLine {
    schema: &'static str,
    /// When, ns of the monotonic clock.
    at_ns: u64,
}

/// Says that all is prepared, and returns at the moment that is answered, or once a stop is asked for. Whoever would answer
/// and is gone asks for one.
pub fn wait(context: &Context, stop: &Stop) {
    context.out.line(&ReadyLine {
        schema: "iodyno.ready/1",
    });
    let (sender, answer) = channel();
    // A read goes on after a signal, so it has a thread of its own, which ends with the program.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        let _ = sender.send(read.ok().and_then(|_| line.trim().parse::<u64>().ok()));
    });
    while !stop.is_asked() {
        match answer.recv_timeout(Duration::from_nanos(LOOK_NS)) {
            Ok(Some(at_ns)) => return until(at_ns, stop),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => stop.ask(),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Says when the load began.
pub fn began(context: &Context, at_ns: u64) {
    context.out.line(&BeganLine {
        schema: "iodyno.began/1",
        at_ns,
    });
}

fn until(at_ns: u64, stop: &Stop) {
    let at_ns = at_ns.min(clock::monotonic_ns() + AHEAD_MAX_NS);
    let mut now_ns = clock::monotonic_ns();
    while now_ns < at_ns && !stop.is_asked() {
        clock::sleep_until_ns(at_ns.min(now_ns + LOOK_NS));
        now_ns = clock::monotonic_ns();
    }
}
