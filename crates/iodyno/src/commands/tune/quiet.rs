//! Waiting for a quiet moment of the device, where the user asks for it.

use crate::context::Context;
use crate::exit::Failure;
use crate::live::LiveLine;
use host::clock;
use host::signals::Stop;
use model::units::{share, span_ms};
use observe::DeviceCounters;

/// The device is looked at over this time.
const LOOK_MS: u64 = 1_000;
/// It is quiet when something is in flight during less than this part of the time,
const BUSY_MAX: f64 = 0.05;
/// in so many looks one after the other.
const QUIET_LOOKS: u32 = 3;

/// Waits until nobody else has used the device for three seconds, at the most for so long. What others do when the time
/// is over is no error: it costs pairs.
pub fn wait(context: &Context, device: &str, limit_ms: u64, stop: &Stop) -> Result<(), Failure> {
    let failed = |error: host::Error| Failure::from(error);
    let mut counters = DeviceCounters::open(&context.host, device).map_err(failed)?;
    let line = LiveLine::new();
    let begin_ns = clock::monotonic_ns();
    let mut before = counters.read().map_err(failed)?;
    let mut quiet_looks = 0;
    loop {
        let waited_ms = (clock::monotonic_ns() - begin_ns) / 1_000_000;
        if stop.is_asked() || quiet_looks == QUIET_LOOKS {
            line.clear();
            return Ok(());
        }
        if waited_ms >= limit_ms {
            line.clear();
            let limit = span_ms(limit_ms);
            let others = "what others do costs pairs, not the verdict";
            context.out.note(format!(
                "note: {device} was not quiet for 3 s within {limit}; going on: {others}"
            ));
            return Ok(());
        }
        sleep(LOOK_MS.min(limit_ms - waited_ms), stop);
        let now = counters.read().map_err(failed)?;
        let busy = now.since(&before).io_ticks_ms as f64 / LOOK_MS as f64;
        before = now;
        quiet_looks = if busy < BUSY_MAX { quiet_looks + 1 } else { 0 };
        let (busy, left) = (share(busy.min(1.0)), span_ms(limit_ms - waited_ms));
        line.say(format!(
            "waiting for a quiet moment of {device}: busy {busy} of the time, {left} left"
        ));
    }
}

/// Sleeps in steps of a tenth of a second, so that a request to stop is heard.
fn sleep(time_ms: u64, stop: &Stop) {
    let end_ns = clock::monotonic_ns() + time_ms * 1_000_000;
    while clock::monotonic_ns() < end_ns && !stop.is_asked() {
        clock::sleep_until_ns(end_ns.min(clock::monotonic_ns() + 100_000_000));
    }
}
