//! What the account of an I/O's time costs the load, and by how much its sources differ.
//!
//! `cargo run --release -p bench-accounts` has the native engine load loop devices, with the threads unwatched, looked at, and
//! followed by programs, in random order, and rewrites its section of `bench/RESULTS.md`. `--rounds N` says how often.
#![allow(
    clippy::print_stderr,
    reason = "a benchmark says why it cannot be made"
)]

mod ways;

use kit::targets::LoopDevice;
use stats::FiveNumbers;
use stats::dice::Dice;
use std::fmt::Write;
use std::process::ExitCode;
use ways::{Outcome, Way};

/// Loads: what they are called, whether the device is in memory, and how deep they go.
const LOADS: [(&str, bool, u32); 4] = [
    (
        "a loop device with direct I/O on this machine's disk, one at a time",
        false,
        1,
    ),
    ("the same, depth 32", false, 32),
    (
        "a loop device over a file in memory, one at a time",
        true,
        1,
    ),
    ("the same, depth 32", true, 32),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rounds = match &words[..] {
        [] => Some(15),
        [flag, rounds] if flag == "--rounds" => rounds.parse().ok(),
        _ => None,
    };
    let usage = "usage: bench-accounts [--rounds N]";
    let done = rounds.map_or_else(|| Err(usage.into()), measure);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-accounts: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(rounds: usize) -> Result<(), String> {
    let mut tables = String::new();
    for (name, is_in_memory, depth) in LOADS {
        let device = match is_in_memory {
            true => LoopDevice::in_memory(256 << 20)?,
            false => LoopDevice::attach(256 << 20)?,
        };
        tables += &table(name, &in_turns(&device, depth, rounds)?);
    }
    let text = format!(
        "{}, {}, {rounds} rounds of {} ms each in random order, load average {} at the end: 4 KiB random reads by one thread. \
         The rate is against that with nothing in the same round. What differs is the share of the threads' time that they were \
         asleep, as the kernel's schedstat counts it and as it was seen: a check of one source by another. The programs' own time is by the kernel's statistics, \
         with the two readings of a clock a run that those cost. Medians, in brackets the quartiles and the extremes.\n",
        kit::results::machine(),
        kit::results::date(),
        ways::RUN_MS,
        kit::results::load_average(),
    );
    kit::results::publish("accounts", &(text + &tables))
}

/// The outcomes of each way, one a round.
fn in_turns(
    device: &LoopDevice,
    depth: u32,
    rounds: usize,
) -> Result<Vec<(Way, Vec<Outcome>)>, String> {
    let mut ways: Vec<(Way, Vec<Outcome>)> = Way::ALL.map(|way| (way, Vec::new())).into();
    // The first run is slower than all others.
    Way::Nothing.run(device, depth)?;
    let mut dice = Dice::new(host::clock::unix_ms());
    for _ in 0..rounds {
        let mut order: Vec<usize> = (0..ways.len()).collect();
        dice.shuffle(&mut order);
        for place in order {
            let outcome = ways[place].0.run(device, depth)?;
            ways[place].1.push(outcome);
        }
    }
    Ok(ways)
}

fn table(name: &str, ways: &[(Way, Vec<Outcome>)]) -> String {
    let mut text = format!(
        "\n### {}{}\n\n| threads | k IOPS | rate against nothing | programs, ns per I/O | the same, % of one CPU | the two differ by, points |\n|---|---|---|---|---|---|\n",
        name[..1].to_uppercase(),
        &name[1..]
    );
    let nothing = &ways[0].1;
    for (way, outcomes) in ways {
        let rates = outcomes.iter().map(|one| one.iops / 1e3).collect();
        let ratios = outcomes.iter().zip(nothing);
        let ratios = ratios.map(|(one, nothing)| one.iops / nothing.iops);
        let programs = |scale: fn(&Outcome) -> f64| -> Vec<f64> {
            let with = outcomes.iter();
            with.filter_map(|one| Some(one.programs_ns? * scale(one)))
                .collect()
        };
        let off: Vec<f64> = outcomes.iter().filter_map(|one| one.off).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            way.label(),
            spread(rates, 1),
            spread(ratios.collect(), 3),
            spread(programs(|_| 1.0), 0),
            spread(programs(|one| one.iops / 1e9 * 100.0), 1),
            spread(off.into_iter().map(|off| off * 100.0).collect(), 1)
        );
    }
    text
}

fn spread(values: Vec<f64>, decimals: usize) -> String {
    let five = FiveNumbers::of(&values);
    five.map_or("–".into(), |five| {
        format!(
            "{:.decimals$} ({:.decimals$}–{:.decimals$}, all {:.decimals$}–{:.decimals$})",
            five.median, five.lower_quartile, five.upper_quartile, five.least, five.greatest
        )
    })
}
