//! The clock of the world outside, for waits on what lives there: processes, sockets, the kernel.

use std::time::Duration;

/// Monotonic time in ns, whatever time this process lives in.
#[inline]
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps.
pub fn sleep_ms(ms: u64) {
    sleep_ns(ms.saturating_mul(1_000_000));
}

/// Sleeps; the kernel adds its timer slack, 50 µs by default.
pub fn sleep_ns(ns: u64) {
    std::thread::sleep(Duration::from_nanos(ns));
}
