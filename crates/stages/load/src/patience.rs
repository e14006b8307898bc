//! Waiting in tests for what a busy machine takes its time over: a disk may stall for seconds, and other programs may
//! hold the processors. A test waits for what it needs to see, never for a time in which it usually happens.

use super::{Running, Snapshot};
use host::clock;

/// The longest that anything is waited for, ns. Only a defect takes so long.
const PATIENCE_NS: u64 = 600_000_000_000;

/// Waits until something holds. Whether it did at last.
pub fn until(mut condition: impl FnMut() -> bool) -> bool {
    let deadline_ns = clock::monotonic_ns() + PATIENCE_NS;
    while !condition() {
        if clock::monotonic_ns() >= deadline_ns {
            return false;
        }
        clock::sleep_ms(2);
    }
    true
}

/// Waits until the completions of a load are as wanted, and gives them. The load must not fail meanwhile.
pub fn until_counted(
    running: &Running,
    label: &str,
    is_wanted: impl Fn(&Snapshot) -> bool,
) -> Snapshot {
    let mut seen = running.snapshot();
    let is_there = until(|| {
        seen = running.snapshot();
        running.failure().is_some() || is_wanted(&seen)
    });
    assert!(
        running.failure().is_none(),
        "{label}: {:?}",
        running.failure()
    );
    assert!(is_there, "{label}: {} I/Os after all this time", seen.ios);
    seen
}

/// Waits until a load has ended by itself, well or not.
pub fn until_over(running: &Running) {
    assert!(
        until(|| running.is_over()),
        "the load does not end by itself"
    );
}

/// Does something with more and more time, ms, until it succeeds: for what no count of this process shows.
pub fn with_more_time<T>(mut attempt: impl FnMut(u64) -> Result<T, String>) -> T {
    let mut ms = 300;
    loop {
        match attempt(ms) {
            Ok(found) => return found,
            Err(why) => assert!(ms < 30_000, "with {ms} ms: {why}"),
        }
        ms *= 2;
    }
}
