//! Whether perf gives the events of interrupts that find a CPU idle, as most completions of a disk do.
//!
//! The kernel writes no event while it is writing another one of the same kind of interrupt for the same task. A count
//! kept for that in the idle task of a CPU can be off for good; this was met on Linux 6.18. Then all events of
//! interrupts of that CPU are left out while it is idle, and nothing says so.

use crate::ProbeError;
use crate::events::format::Format;
use crate::events::pairs::PairEvent;
use crate::events::refused;
use host::perf::{EventClock, PerfRing};
use host::trace::TraceEvents;
use host::{clock, process};

use super::record::PerfIntake;
use super::{WHAT, online_cpus};

/// An interrupt that anybody can have for the asking.
const EVENT: &str = "timer/hrtimer_expire_entry";
const SLEEPS: usize = 20;
const SLEEP_NS: u64 = 200_000;

/// Asks each CPU for a few interrupts of its timer, and counts their events. Takes some 10 ms.
///
/// # Errors
/// Where there are no perf events, and where a CPU gave fewer than half of those that happened.
pub fn check() -> Result<(), ProbeError> {
    let events = TraceEvents::open().map_err(|error| refused(WHAT, &error))?;
    let text = events
        .format(EVENT)
        .map_err(|error| refused(WHAT, &error))?;
    let Some(format) = Format::parse(&text) else {
        return Ok(());
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = online_cpus()
            .into_iter()
            .map(|cpu| scope.spawn(move || on_cpu(cpu, format.id)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })
}

/// A CPU where this process may not run is not asked.
fn on_cpu(cpu: u32, id: u16) -> Result<(), ProbeError> {
    if process::pin_thread(cpu).is_err() {
        return Ok(());
    }
    // The clock does not matter here, and every kernel has its own.
    let mut ring =
        PerfRing::open(cpu, &[id], None, EventClock::Own).map_err(|error| refused(WHAT, &error))?;
    ring.enable(0).map_err(|error| refused(WHAT, &error))?;
    for _ in 0..SLEEPS {
        clock::sleep_until_ns(clock::monotonic_ns() + SLEEP_NS);
    }
    let (mut bytes, mut given) = (Vec::new(), Vec::new());
    ring.take(&mut bytes);
    PerfIntake::default().take(&bytes, &mut given, |at_ns, _| Some(PairEvent::lost(at_ns)));
    match given.len() < SLEEPS / 2 {
        true => Err(ProbeError::LosesEvents {
            cpu,
            wanted: SLEEPS,
            given: given.len(),
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_is_never_idle_loses_nothing() {
        let stop = std::sync::atomic::AtomicBool::new(false);
        let spin = &|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        };
        let found = std::thread::scope(|scope| {
            for cpu in online_cpus() {
                scope.spawn(move || {
                    let _ = process::pin_thread(cpu);
                    spin();
                });
            }
            let found = check();
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            found
        });
        match found {
            Ok(()) => {}
            Err(error @ ProbeError::LosesEvents { .. }) => panic!("{error}"),
            Err(error) => crate::tests::cannot_trace(&error),
        }
    }
}
