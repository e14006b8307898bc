//! Time: one monotonic clock for load and sensors, the CPU's own counter for per-I/O latency, wall time for records.
#![allow(unsafe_code, reason = "reading the time-stamp counter is an intrinsic")]

mod enrolled;
pub mod outer;
mod turns;

use crate::Host;
pub use enrolled::{Enrolled, Participant, recv_until};
pub use jiff::tz::TimeZone;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};
pub use turns::Strike;
use turns::Turns;

/// The time of our own making, once this process lives in one.
static OWN_TIME: OnceLock<OwnTime> = OnceLock::new();
/// Where it begins, ns: no moment before it is negative.
const OWN_BEGIN_NS: u64 = 1_000_000_000_000;

#[derive(Debug)]
struct OwnTime {
    turns: Turns,
    begin_unix_ms: u64,
}

/// From now on the time of this process only passes while it sleeps: for a rehearsal on a simulated disk. What waits for the
/// world outside keeps to [`outer`].
pub fn live_in_own_time(strike: Option<Strike>) {
    OWN_TIME.get_or_init(|| OwnTime {
        turns: Turns::begin(OWN_BEGIN_NS, strike),
        begin_unix_ms: unix_now_ms(),
    });
}

/// Monotonic time in ns (CLOCK_MONOTONIC, the clock eBPF's `bpf_ktime_get_ns` uses too).
#[inline]
pub fn monotonic_ns() -> u64 {
    match OWN_TIME.get() {
        Some(own) => own.turns.now_ns(),
        None => outer::monotonic_ns(),
    }
}

/// Wall clock, ms since 1970.
pub fn unix_ms() -> u64 {
    match OWN_TIME.get() {
        Some(own) => own.begin_unix_ms + (own.turns.now_ns() - OWN_BEGIN_NS) / 1_000_000,
        None => unix_now_ms(),
    }
}

fn unix_now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

/// This machine's time zone: the environment variable TZ, else /etc/localtime; UTC where neither says one.
pub fn time_zone() -> TimeZone {
    TimeZone::try_system().unwrap_or(TimeZone::UTC)
}

/// Sleeps.
pub fn sleep_ms(ms: u64) {
    sleep_ns(ms.saturating_mul(1_000_000));
}

/// Sleeps; the kernel adds its timer slack, 50 µs by default.
pub fn sleep_ns(ns: u64) {
    match OWN_TIME.get() {
        Some(own) => {
            let until_ns = own.turns.now_ns().saturating_add(ns);
            own.turns.sleep_until(until_ns, false);
        }
        None => outer::sleep_ns(ns),
    }
}

/// Sleeps until a moment of [`monotonic_ns`]; returns at once when it has passed.
pub fn sleep_until_ns(deadline_ns: u64) {
    match OWN_TIME.get() {
        Some(own) => own.turns.sleep_until(deadline_ns, false),
        None => outer::sleep_ns(deadline_ns.saturating_sub(monotonic_ns())),
    }
}

/// A clock cheap enough to read twice per I/O: the time-stamp counter where the CPU guarantees that it neither stops
/// nor changes its rate, else `clock_gettime`. `now_ns` is on the time line of [`monotonic_ns`].
#[derive(Clone, Copy, Debug)]
pub struct FastClock {
    source: FastSource,
}

#[derive(Clone, Copy, Debug)]
enum FastSource {
    /// ns = base_ns + ((ticks − base_ticks) × scale) >> 32
    Tsc {
        base_ticks: u64,
        base_ns: u64,
        scale: u64,
    },
    Gettime,
}

impl FastClock {
    /// Chooses the source for this machine. Measuring the counter's rate takes 20 ms.
    pub fn calibrate() -> Self {
        let is_own = OWN_TIME.get().is_some();
        let source = if !is_own && has_steady_counter() {
            measure_counter()
        } else {
            None
        };
        FastClock {
            source: source.unwrap_or(FastSource::Gettime),
        }
    }

    /// The source that [`FastClock::calibrate`] would try first here, without the 20 ms of measuring.
    pub fn expected_name() -> &'static str {
        if has_steady_counter() {
            "tsc"
        } else {
            "clock_gettime"
        }
    }

    /// `tsc` or `clock_gettime`.
    pub fn name(&self) -> &'static str {
        match self.source {
            FastSource::Tsc { .. } => "tsc",
            FastSource::Gettime => "clock_gettime",
        }
    }

    /// Monotonic time, ns.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        match self.source {
            FastSource::Tsc {
                base_ticks,
                base_ns,
                scale,
            } => {
                let ticks = counter().wrapping_sub(base_ticks);
                base_ns.wrapping_add(((ticks as u128 * scale as u128) >> 32) as u64)
            }
            FastSource::Gettime => monotonic_ns(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: rdtsc reads a register; every x86-64 CPU has it and Linux leaves it enabled in user mode.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    monotonic_ns()
}

/// `constant_tsc` and `nonstop_tsc` are what Linux itself asks before it trusts the counter across idle states
/// (arch/x86/kernel/tsc.c).
fn has_steady_counter() -> bool {
    let cpuinfo = Host::live().text("/proc/cpuinfo").unwrap_or_default();
    let has = |flag| {
        kernel::cpuinfo::flags(&cpuinfo).is_some_and(|mut flags| flags.any(|word| word == flag))
    };
    cfg!(target_arch = "x86_64") && has("constant_tsc") && has("nonstop_tsc")
}

/// Both clocks at one moment: of several readings the one that took least time, so that being interrupted between the
/// two spoils nothing.
fn read_together() -> (u64, u64) {
    let read = || {
        let before = counter();
        let ns = monotonic_ns();
        let took = counter() - before;
        (took, before + took / 2, ns)
    };
    let best = (0..8).map(|_| read()).min_by_key(|(took, ..)| *took);
    best.map_or((0, 0), |(_, ticks, ns)| (ticks, ns))
}

fn measure_counter() -> Option<FastSource> {
    let (base_ticks, base_ns) = read_together();
    sleep_ms(20);
    let (end_ticks, end_ns) = read_together();
    let (ticks, ns) = (end_ticks - base_ticks, end_ns - base_ns);
    (ticks > 1_000_000).then(|| {
        let scale = ((u128::from(ns) << 32) / u128::from(ticks)) as u64;
        FastSource::Tsc {
            base_ticks,
            base_ns,
            scale,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_clock_keeps_to_the_monotonic_one() {
        // A calibration that is held up in its midst is a bad one: a sound clock keeps time after some other.
        let keeps_time = (0..50).any(|_| {
            let clock = FastClock::calibrate();
            sleep_ms(50);
            // Between two readings of the other clock, however long this thread is held up in between.
            let (before_ns, now_ns, after_ns) = (monotonic_ns(), clock.now_ns(), monotonic_ns());
            now_ns + 2_000_000 > before_ns && now_ns < after_ns + 2_000_000
        });
        assert!(keeps_time, "{}", FastClock::calibrate().name());
    }
}
