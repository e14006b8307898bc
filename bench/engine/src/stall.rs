//! A device that stalls for a moment: who shows it.

use crate::fio::Tuning;
use crate::measure::Contestant;
use crate::{Outcome, Work};
use kit::targets::StallingDevice;
use std::fmt::Write;
use std::time::Duration;

const STALL_MS: u64 = 300;
const RUNTIME_MS: u64 = 4_000;
const IOPS: u64 = 500;
const ROUNDS: usize = 3;

/// One way to ask for the rate: its name, who, at random, by the clock.
type Way = (&'static str, Contestant, bool, bool);

const WAYS: [Way; 5] = [
    ("native, open loop", Contestant::Native, false, true),
    ("native, open loop, Poisson", Contestant::Native, true, true),
    ("native, closed loop", Contestant::Native, false, false),
    (
        "fio, rate_iops",
        Contestant::Fio(Tuning::Default),
        false,
        false,
    ),
    (
        "fio, rate_iops, rate_process=poisson",
        Contestant::Fio(Tuning::Default),
        true,
        false,
    ),
];

/// Runs every way and gives the section.
pub fn table(device: &StallingDevice) -> Result<String, String> {
    let mut text = format!(
        "### A device that stalls once for {STALL_MS} ms\n\nio_uring, depth 4, 4 KiB random writes at {IOPS} IOPS for {} \
         s: about {} of {} I/Os are due during the stall, and wait {} ms on average. Medians of {ROUNDS} rounds.\n\n",
        RUNTIME_MS / 1000,
        IOPS * STALL_MS / 1000,
        IOPS * RUNTIME_MS / 1000,
        STALL_MS / 2,
    );
    text += "| | I/Os | p50 ms | p99 ms | p99.9 ms | max ms | service p50 ms |\n|---|---|---|---|---|---|---|\n";
    for (name, contestant, poisson, open_loop) in WAYS {
        let work = Work {
            iodepth: 4,
            write_iops: IOPS,
            poisson,
            open_loop,
            ..Work::reads(device.path(), "io_uring", true, RUNTIME_MS)
        };
        let outcomes: Vec<Outcome> = (0..ROUNDS)
            .map(|_| stalled(device, contestant, &work))
            .collect::<Result<_, _>>()?;
        let median = |quantity: crate::report::Quantity| crate::report::median(&outcomes, quantity);
        let ms = |quantity: fn(&Outcome) -> f64| format!("{:.2}", median(quantity) / 1e6);
        let service = if open_loop {
            ms(|one| one.service_p50_ns)
        } else {
            "–".into()
        };
        let _ = writeln!(
            text,
            "| {name} | {:.0} | {} | {} | {} | {} | {service} |",
            median(|one| one.ios as f64),
            ms(|one| one.p50_ns),
            ms(|one| one.p99_ns),
            ms(|one| one.p999_ns),
            ms(|one| one.max_ns),
        );
    }
    println!("{text}");
    Ok(text)
}

fn stalled(
    device: &StallingDevice,
    contestant: Contestant,
    work: &Work,
) -> Result<Outcome, String> {
    std::thread::scope(|scope| {
        let running = scope.spawn(|| contestant.run(work));
        std::thread::sleep(Duration::from_millis(RUNTIME_MS / 2));
        let stalled = device.stall(Duration::from_millis(STALL_MS));
        let outcome = running.join().map_err(|_| "a run panicked".to_string())?;
        stalled.and(outcome)
    })
}
