//! The rounds: every contestant once per round, in random order.

use crate::fio::{self, Tuning};
use crate::{Outcome, Work, child, report, stall};
use kit::targets::{DataFile, LoopDevice, RamDevice, StallingDevice};
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
            Contestant::Fio(Tuning::BestHandedOver) => "fio, best flags, force_async",
        }
    }

    /// Does the work in a process of its own.
    pub fn run(self, work: &Work) -> Result<Outcome, String> {
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
        command
            .arg(word)
            .arg(serde_json::to_string(work).map_err(|error| error.to_string())?);
        Ok(command)
    }
}

/// One comparison: what was done and what each contestant measured in each round.
pub struct Comparison {
    /// For people.
    pub title: String,
    /// In the table's order, each with an outcome for every round.
    pub columns: Vec<(Contestant, Vec<Outcome>)>,
    /// Whether the device, not the CPU, is the limit: then rate and latency are compared.
    pub device_bound: bool,
}

const FIOS: [Contestant; 3] = [
    Contestant::Fio(Tuning::Default),
    Contestant::Fio(Tuning::Best),
    Contestant::Fio(Tuning::BestBlind),
];

/// Measures everything and writes the section of the results.
pub fn all(rounds: usize, runtime_ms: u64) -> Result<(), String> {
    child::pin()?;
    let mut comparisons = Vec::new();
    let mut done = |comparison: Comparison| {
        report::print(&comparison);
        comparisons.push(comparison);
    };
    page_cache(rounds, runtime_ms, &mut done)?;
    match RamDevice::add(256 << 20) {
        Err(why) => println!("skipped: no RAM device: {why}"),
        Ok(device) => ram_device(device.path(), rounds, runtime_ms, &mut done)?,
    }
    match LoopDevice::attach(1 << 30) {
        Err(why) => println!("skipped: no loop device: {why}"),
        Ok(device) => loop_device(device.path(), rounds, runtime_ms, &mut done)?,
    }
    let stall = match StallingDevice::attach(64 << 20) {
        Err(why) => {
            println!("skipped: no device that stalls: {why}");
            None
        }
        Ok(device) => Some(stall::table(&device)?),
    };
    report::write(&comparisons, stall.as_deref(), rounds, runtime_ms)
}

/// What is done with a comparison.
type Done<'a> = &'a mut dyn FnMut(Comparison);

/// The CPU is the limit: what an engine itself costs shows here.
fn page_cache(rounds: usize, runtime_ms: u64, done: Done<'_>) -> Result<(), String> {
    let cached = DataFile::write("cached", 256 << 20)?;
    for ioengine in ["io_uring", "libaio", "psync", "sync", "pvsync2", "mmap"] {
        let work = Work::reads(cached.path(), ioengine, false, runtime_ms);
        let has_floor = matches!(ioengine, "io_uring" | "psync");
        let floor = has_floor.then_some(Contestant::Floor);
        let contestants: Vec<Contestant> = [Contestant::Native]
            .into_iter()
            .chain(floor)
            .chain(FIOS)
            .collect();
        let columns = rounds_of(&contestants, &work, rounds, || cached.warm())?;
        done(Comparison {
            title: title("Page cache", &work),
            columns,
            device_bound: false,
        });
    }
    Ok(())
}

/// A block device whose only cost is that of the CPU.
fn ram_device(path: &Path, rounds: usize, runtime_ms: u64, done: Done<'_>) -> Result<(), String> {
    for ioengine in ["io_uring", "libaio", "psync"] {
        let mut contestants = [&[Contestant::Native], &FIOS[1..]].concat();
        if ioengine == "io_uring" {
            contestants.push(Contestant::Fio(Tuning::BestHandedOver));
        }
        let work = Work::reads(path, ioengine, true, runtime_ms);
        let columns = rounds_of(&contestants, &work, rounds, || Ok(()))?;
        let what = "RAM device (zram with data that does not compress), direct";
        done(Comparison {
            title: title(what, &work),
            columns,
            device_bound: false,
        });
    }
    Ok(())
}

/// The device is the limit: both must reach it, with the same latency.
fn loop_device(path: &Path, rounds: usize, runtime_ms: u64, done: Done<'_>) -> Result<(), String> {
    let contestants = [&[Contestant::Native], &FIOS[..2]].concat();
    for ioengine in ["io_uring", "libaio", "psync"] {
        let work = Work::reads(path, ioengine, true, runtime_ms);
        let columns = rounds_of(&contestants, &work, rounds, || Ok(()))?;
        let what = "Loop device with direct I/O over a written file";
        done(Comparison {
            title: title(what, &work),
            columns,
            device_bound: true,
        });
    }
    Ok(())
}

fn title(what: &str, work: &Work) -> String {
    let depth = if work.iodepth > 1 {
        format!(", depth {}", work.iodepth)
    } else {
        String::new()
    };
    format!("{what}, {}{depth}, 4 KiB random reads", work.ioengine)
}

fn rounds_of(
    contestants: &[Contestant],
    work: &Work,
    rounds: usize,
    ready: impl Fn() -> Result<(), String>,
) -> Result<Vec<(Contestant, Vec<Outcome>)>, String> {
    ready()?;
    let mut columns: Vec<(Contestant, Vec<Outcome>)> = contestants
        .iter()
        .map(|contestant| (*contestant, Vec::new()))
        .collect();
    let start_up: Vec<f64> = contestants
        .iter()
        .map(|contestant| start_up_cpu_s(*contestant, work))
        .collect::<Result<_, _>>()?;
    let mut random = u64::from(std::process::id());
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        for index in (1..order.len()).rev() {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
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
    let work = Work {
        runtime_ms: 1,
        ..work.clone()
    };
    let mut times = Vec::new();
    for _ in 0..3 {
        times.push(contestant.run(&work)?.cpu_s);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[1])
}
