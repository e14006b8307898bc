//! The rounds: every contestant once per round, in random order.

use crate::fio::{self, Tuning};
use crate::targets::{DataFile, LoopDevice};
use crate::{Outcome, Work, child, report};
use std::path::Path;
use std::process::Command;

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// The native engine.
    Native,
    /// The smallest loop.
    Floor,
    /// fio.
    Fio(Tuning),
}

impl Contestant {
    /// For the table.
    pub fn label(self) -> &'static str {
        match self {
            Contestant::Native => "native",
            Contestant::Floor => "smallest loop, no latency",
            Contestant::Fio(Tuning::Default) => "fio, default",
            Contestant::Fio(Tuning::Best) => "fio, best flags",
            Contestant::Fio(Tuning::BestBlind) => "fio, best flags, no latency",
        }
    }

    fn run(self, work: &Work) -> Result<Outcome, String> {
        let (text, cpu_s) = child::run(self.command(work)?)?;
        let outcome = match self {
            Contestant::Fio(_) => fio::parse(&text),
            _ => serde_json::from_str(&text).map_err(|error| format!("{error}: {text}")),
        };
        Ok(Outcome { cpu_s, ..outcome? })
    }

    fn command(self, work: &Work) -> Result<Command, String> {
        let word = match self {
            Contestant::Native => "native",
            Contestant::Floor => "floor",
            Contestant::Fio(tuning) => return Ok(fio::command(work, tuning)),
        };
        let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
        command.arg(word).arg(serde_json::to_string(work).map_err(|error| error.to_string())?);
        Ok(command)
    }
}

/// One comparison: what was done and what each contestant measured in each round.
pub struct Comparison {
    /// For people.
    pub title: &'static str,
    /// In the table's order, each with an outcome for every round.
    pub columns: Vec<(Contestant, Vec<Outcome>)>,
    /// Whether the device, not the CPU, is the limit: then rate and latency are compared.
    pub device_bound: bool,
}

/// Measures everything and writes the section of the results.
pub fn all(rounds: usize, runtime_ms: u64) -> Result<(), String> {
    child::pin()?;
    let mut comparisons = Vec::new();
    let cached = DataFile::write("cached", 256 << 20)?;
    let fios = [Tuning::Default, Tuning::Best, Tuning::BestBlind].map(Contestant::Fio);
    let cpu_bound = [[Contestant::Native, Contestant::Floor].as_slice(), &fios].concat();
    for (title, ioengine, iodepth) in [
        ("Page cache, io_uring, depth 32, 4 KiB random reads", "io_uring", 32),
        ("Page cache, psync, 4 KiB random reads", "psync", 1),
    ] {
        let work = Work {
            path: cached.path().into(),
            ioengine: ioengine.into(),
            iodepth,
            direct: false,
            runtime_ms,
        };
        let columns = rounds_of(&cpu_bound, &work, rounds, || cached.warm())?;
        comparisons.push(Comparison { title, columns, device_bound: false });
        report::print(&comparisons[comparisons.len() - 1]);
    }
    match LoopDevice::attach(1 << 30) {
        Err(why) => println!("skipped: no loop device: {why}"),
        Ok(device) => {
            comparisons.push(device_bound(device.path(), rounds, runtime_ms)?);
            report::print(&comparisons[comparisons.len() - 1]);
        }
    }
    report::write(&comparisons, rounds, runtime_ms)
}

fn device_bound(path: &Path, rounds: usize, runtime_ms: u64) -> Result<Comparison, String> {
    let work = Work { path: path.into(), ioengine: "io_uring".into(), iodepth: 32, direct: true, runtime_ms };
    let contestants = [Contestant::Native, Contestant::Fio(Tuning::Default), Contestant::Fio(Tuning::Best)];
    Ok(Comparison {
        title: "Loop device with direct I/O over a written file, io_uring, depth 32, 4 KiB random reads",
        columns: rounds_of(&contestants, &work, rounds, || Ok(()))?,
        device_bound: true,
    })
}

fn rounds_of(
    contestants: &[Contestant],
    work: &Work,
    rounds: usize,
    ready: impl Fn() -> Result<(), String>,
) -> Result<Vec<(Contestant, Vec<Outcome>)>, String> {
    ready()?;
    let mut columns: Vec<(Contestant, Vec<Outcome>)> =
        contestants.iter().map(|contestant| (*contestant, Vec::new())).collect();
    let start_up: Vec<f64> =
        contestants.iter().map(|contestant| start_up_cpu_s(*contestant, work)).collect::<Result<_, _>>()?;
    let mut random = u64::from(std::process::id());
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        for index in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(index, (random >> 33) as usize % (index + 1));
        }
        for index in order {
            ready()?;
            let mut outcome = columns[index].0.run(work)?;
            outcome.cpu_s -= start_up[index];
            columns[index].1.push(outcome);
        }
        eprint!("\rround {} of {rounds}", round + 1);
    }
    eprintln!();
    Ok(columns)
}

/// CPU time of a run that ends at once: the middle of three.
fn start_up_cpu_s(contestant: Contestant, work: &Work) -> Result<f64, String> {
    let work = Work { runtime_ms: 1, ..work.clone() };
    let mut times = Vec::new();
    for _ in 0..3 {
        times.push(contestant.run(&work)?.cpu_s);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[1])
}
