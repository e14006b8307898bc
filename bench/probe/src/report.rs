//! The section of `bench/RESULTS.md`.

use crate::guest::Beside;
use crate::modes::Mode;
use crate::{Outcome, Way};
use stats::FiveNumbers;
use std::fmt::Write;

/// Goals for each I/O, both devices together, ns.
const GOALS: [(&str, f64); 2] = [("ours, lite", 200.0), ("ours, full", 1200.0)];

fn median(values: impl Iterator<Item = f64>) -> f64 {
    stats::median(&values.collect::<Vec<_>>())
}

/// Median, quartiles and extremes, with so many decimals.
fn spread(values: impl Iterator<Item = f64>, decimals: usize) -> String {
    let five = FiveNumbers::of(&values.collect::<Vec<_>>());
    five.map_or("–".into(), |five| {
        format!(
            "{:.decimals$} ({:.decimals$} to {:.decimals$}, all {:.decimals$} to {:.decimals$})",
            five.median, five.lower_quartile, five.upper_quartile, five.least, five.greatest
        )
    })
}

/// Prints the tables and puts them between their marks.
pub fn write(
    ways: &[Way],
    in_guest: &Result<(String, Vec<Beside>), String>,
    rounds: usize,
    runtime_ms: u64,
) -> Result<(), String> {
    let text = format!(
        "{}\n{}\n{}",
        beside_each_other(ways, rounds, runtime_ms),
        programs(ways),
        guest(in_guest)
    );
    kit::results::publish("probe", &text)
}

fn beside_each_other(ways: &[Way], rounds: usize, runtime_ms: u64) -> String {
    let host = host::Host::live();
    let kernel = host.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = host.text("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_string();
    let mut text = format!(
        "Linux {kernel}, two layers with requests: a loop device with direct I/O on a loop device on a file in memory. \
         4 KiB random reads, io_uring, depth 32; {rounds} rounds of {runtime_ms} ms each in random order, load average \
         {load} at the end.\n\n### All on the same load\n\nCPU time is that of the whole machine, the tools' own reading \
         included, shared out over the load's I/Os; what it is more than with nothing is taken within each round: \
         median, quartiles and extremes. Two runs with nothing say what the differences are worth.\n\n\
         | tracing | k IOPS | CPU ns per I/O | more than nothing, ns per I/O | rate against nothing | not seen |\n\
         |---|---|---|---|---|---|\n"
    );
    let off = &ways[0].outcomes;
    for way in ways
        .iter()
        .filter(|way| !matches!(way.mode, Mode::Measured(_)))
    {
        let label = way.mode.label();
        if let Some(why) = &way.refusal {
            let _ = writeln!(
                text,
                "| {label} | – | – | cannot be had here: {} | – | – |",
                why.replace('|', "/")
            );
            continue;
        }
        let of = |pick: fn(&Outcome) -> f64| median(way.outcomes.iter().map(pick));
        let pairs = || way.outcomes.iter().zip(off);
        let (more, rate) = match way.mode {
            Mode::Nothing => ("–".into(), "1".into()),
            _ => (
                spread(pairs().map(|(one, off)| one.cpu_ns - off.cpu_ns), 0),
                spread(pairs().map(|(one, off)| one.iops / off.iops), 3),
            ),
        };
        let unseen: Vec<f64> = way.outcomes.iter().filter_map(|one| one.unseen).collect();
        let unseen = match unseen.is_empty() {
            true => "–".into(),
            false => format!("{:.3} %", median(unseen.into_iter()) * 100.0),
        };
        let (iops, cpu_ns) = (of(|one| one.iops / 1e3), of(|one| one.cpu_ns));
        let _ = writeln!(
            text,
            "| {label} | {iops:.1} | {cpu_ns:.0} | {more} | {rate} | {unseen} |"
        );
    }
    text + "\nperf and blktrace drop what their buffers cannot hold, and do less then. `biolatency` is bpftrace's present \
            one, by tracepoints: it knows an I/O by its sector alone, and of two stacked devices follows the lower.\n"
}

fn programs(ways: &[Way]) -> String {
    let mut text = String::from(
        "### The programs alone, by the kernel's statistics\n\nns for each I/O, both layers together. The statistics read \
         a clock twice for each run of a program and count that as its time; a program that does nothing, attached beside \
         ours, says how much that is.\n\n\
         | programs | with measuring | measuring | without it | goal |\n|---|---|---|---|---|\n",
    );
    for way in ways
        .iter()
        .filter(|way| matches!(way.mode, Mode::Measured(_)))
    {
        let label = way.mode.label();
        let goal = GOALS
            .iter()
            .find(|(name, _)| *name == label)
            .map_or(0.0, |(_, goal)| *goal);
        if let Some(why) = &way.refusal {
            let _ = writeln!(
                text,
                "| {label} | – | – | cannot be had here: {why} | ≤ {goal:.0} |"
            );
            continue;
        }
        let of = |pick: fn(&Outcome) -> f64| spread(way.outcomes.iter().map(pick), 0);
        let _ = writeln!(
            text,
            "| {label} | {} | {:.0} | {} | ≤ {goal:.0} |",
            of(|one| one.programs_ns),
            median(way.outcomes.iter().map(|one| one.measuring_ns)),
            of(|one| one.programs_ns - one.measuring_ns)
        );
    }
    text
}

fn guest(in_guest: &Result<(String, Vec<Beside>), String>) -> String {
    let title = "### Beside blktrace, in a guest\n\n";
    let (uname, ways) = match in_guest {
        Ok(measured) => measured,
        Err(why) => return format!("{title}There was no guest: {why}\n"),
    };
    let mut text = format!(
        "{title}Linux {uname} on an emulated CPU, where only ratios mean anything: 4 KiB direct reads one at a time from \
         null_blk, one layer, {} rounds in turns.\n\n| tracing | time of an I/O against nothing |\n|---|---|\n",
        ways.first().map_or(0, |way| way.ratios.len())
    );
    for way in ways {
        let _ = writeln!(
            text,
            "| {} | {} |",
            way.label,
            spread(way.ratios.iter().copied(), 3)
        );
    }
    text
}
