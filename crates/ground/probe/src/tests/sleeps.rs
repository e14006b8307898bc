//! Sleep of threads, in the live kernel.

use crate::{LoadSleeps, ProbeError};
use host::clock;
use model::time_account::{OffCpu, TimedSleep};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All threads of this process are followed, so that one test at a time has any.
static TURNS: Mutex<()> = Mutex::new(());

fn attached() -> Option<(LoadSleeps, MutexGuard<'static, ()>)> {
    let turn = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    match LoadSleeps::attach() {
        Ok(sleeps) => Some((sleeps, turn)),
        Err(error @ (ProbeError::NoBtf { .. } | ProbeError::NotPermitted { .. })) => {
            super::cannot_trace(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Where a thread is that naps.
const NAP: &str = "hrtimer_nanosleep";

/// Sleeps so many µs and computes so many in turns.
fn in_turns(name: &str, times: u64, sleep_us: u64, spin_us: u64) -> std::thread::JoinHandle<u64> {
    let work = move || {
        let begin_ns = clock::monotonic_ns();
        for _ in 0..times {
            clock::sleep_ns(sleep_us * 1_000);
            let end_ns = clock::monotonic_ns() + spin_us * 1_000;
            while clock::monotonic_ns() < end_ns {
                std::hint::spin_loop();
            }
        }
        clock::monotonic_ns() - begin_ns
    };
    let named = std::thread::Builder::new().name(name.into());
    named.spawn(work).expect("a thread")
}

fn is_in(off_cpu: &OffCpu, function: &str) -> f64 {
    let of_it = off_cpu
        .places
        .iter()
        .filter(|place| place.functions.iter().any(|name| name == function));
    of_it.map(|place| place.ms).sum()
}

/// The naps are all its sleeps, unless it waited elsewhere too: another test's thread may hold the lock of the address space
/// when this one gives its stack back. Every such place is told and costs one sleep or more.
fn assert_naps(off_cpu: &OffCpu, naps: u64) {
    let is_nap = |place: &&TimedSleep| place.functions.iter().any(|name| name == NAP);
    match off_cpu.places.iter().filter(|place| !is_nap(place)).count() {
        0 => assert_eq!(off_cpu.sleeps, naps, "{off_cpu:?}"),
        elsewhere => assert!(off_cpu.sleeps >= naps + elsewhere as u64, "{off_cpu:?}"),
    }
}

#[test]
#[ignore = "live"]
fn sleep_is_timed_and_has_its_place() {
    let Some((mut sleeps, _turn)) = attached() else {
        return;
    };
    let before = sleeps.read().unwrap();
    in_turns("iodyno-load-0", 20, 10_000, 1_000).join().unwrap();
    let off_cpu = sleeps.since(&before).unwrap().expect("a thread of a load");
    assert_naps(&off_cpu, 20);
    // A sleep is never shorter than asked for.
    assert!(off_cpu.slept_ms >= 200.0, "{off_cpu:?}");
    assert!(off_cpu.slept_ms <= off_cpu.followed_ms, "{off_cpu:?}");
    assert!(is_in(&off_cpu, NAP) >= 200.0, "{off_cpu:?}");
    let told: f64 = off_cpu.places.iter().map(|place| place.ms).sum();
    assert!((told - off_cpu.slept_ms).abs() < 1.0, "{off_cpu:?}");
}

#[test]
#[ignore = "live"]
fn places_that_were_not_read_are_stood_for() {
    let Some((mut sleeps, _turn)) = attached() else {
        return;
    };
    let before = sleeps.read().unwrap();
    in_turns("iodyno-load-0", 3_000, 20, 0).join().unwrap();
    let off_cpu = sleeps.since(&before).unwrap().expect("a thread of a load");
    assert!(off_cpu.sleeps > 2_500, "{off_cpu:?}");
    let told: f64 = off_cpu.places.iter().map(|place| place.ms).sum();
    // 256 are read, and about 170 of the others: by chance that is off by 7 % of their time.
    assert!(
        (0.6..1.6).contains(&(told / off_cpu.slept_ms)),
        "{off_cpu:?}"
    );
}

#[test]
fn other_threads_and_earlier_loads_are_none() {
    let Some((mut sleeps, _turn)) = attached() else {
        return;
    };
    let before = sleeps.read().unwrap();
    in_turns("iodyno-other", 5, 1_000, 0).join().unwrap();
    assert_eq!(sleeps.since(&before).unwrap(), None);
    let before = sleeps.read().unwrap();
    in_turns("iodyno-load-0", 5, 1_000, 0).join().unwrap();
    assert!(sleeps.since(&before).unwrap().is_some());
    let after = sleeps.read().unwrap();
    assert_eq!(sleeps.since(&after).unwrap(), None, "it was told already");
    in_turns("iodyno-load-1", 5, 2_000, 0).join().unwrap();
    let off_cpu = sleeps.since(&after).unwrap().expect("the second load");
    assert_naps(&off_cpu, 5);
    assert!(
        is_in(&off_cpu, NAP) <= 1.05 * off_cpu.slept_ms,
        "{off_cpu:?}"
    );
}

/// Another process has threads of the same name.
#[test]
fn loads_of_other_processes_are_none() {
    let Some((mut sleeps, _turn)) = attached() else {
        return;
    };
    let before = sleeps.read().unwrap();
    let script = "printf iodyno-load-0 > /proc/self/comm; for i in 1 2 3 4 5; do sleep 0.01; done";
    let done = Command::new("sh").args(["-c", script]).status().unwrap();
    assert!(done.success());
    assert_eq!(sleeps.since(&before).unwrap(), None);
}
