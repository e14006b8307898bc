//! What tracing the block layer costs: CPU time per I/O of a load with and without it, ours beside the tools that people
//! trace with, and the programs' own time by the kernel's statistics.
//!
//! `cargo run --release -p bench-probe` measures on loop devices in memory, beside blktrace in a guest of the lab, and
//! rewrites its section of `bench/RESULTS.md`. fio makes the load; the ways take turns in random order, and only runs of
//! one round are compared.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark starts programs and makes devices of its own"
)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is for people"
)]

mod disk;
mod guest;
mod machine;
mod modes;
mod report;
mod tools;

use disk::Disk;
use modes::Mode;
use std::process::{Command, ExitCode};

/// What the load itself says.
pub struct Load {
    /// I/Os in all.
    pub ios: u64,
    /// Of them per second.
    pub iops: f64,
}

/// What one run of the load gave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// I/Os per second.
    pub iops: f64,
    /// I/Os in all.
    pub ios: u64,
    /// CPU time of the whole machine for each, ns.
    pub cpu_ns: f64,
    /// The programs' time for each I/O, both devices together, by the kernel's own statistics, ns; 0 where they were off.
    pub programs_ns: f64,
    /// What of that is the cost of measuring: as many runs of a program that does nothing.
    pub measuring_ns: f64,
    /// Share of the I/Os that ours did not see; none of other tools.
    pub unseen: Option<f64>,
}

/// What one way of tracing gave: a run of each round, or why it cannot be had here.
pub struct Way {
    /// Which.
    pub mode: Mode,
    /// One for each round.
    pub outcomes: Vec<Outcome>,
    /// Why there are none.
    pub refusal: Option<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--hold", ref words @ ..] => return guest::hold(words),
        [] => measure(6, 2_000, 4),
        ["--rounds", rounds, "--ms", ms] => match (rounds.parse(), ms.parse()) {
            (Ok(rounds), Ok(ms)) => measure(rounds, ms, rounds),
            _ => Err("--rounds and --ms want numbers".into()),
        },
        _ => Err("usage: bench-probe [--rounds N --ms N]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-probe: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(rounds: usize, runtime_ms: u64, guest_rounds: usize) -> Result<(), String> {
    let ways = in_turns(rounds, runtime_ms)?;
    eprintln!("booting a guest");
    let in_guest = guest::measure(guest_rounds);
    report::write(&ways, &in_guest, rounds, runtime_ms)
}

fn in_turns(rounds: usize, runtime_ms: u64) -> Result<Vec<Way>, String> {
    let disk = Disk::new(256 << 20)?;
    let way = |mode: &Mode| Way {
        mode: *mode,
        outcomes: Vec::new(),
        refusal: None,
    };
    let mut ways: Vec<Way> = Mode::ALL.iter().map(way).collect();
    // The first run is slower than all others.
    load(&disk, runtime_ms)?;
    let mut random = 0x9E37_79B9_7F4A_7C15u64 ^ host::clock::monotonic_ns();
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..ways.len()).collect();
        for index in (1..order.len()).rev() {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            order.swap(index, (random >> 33) as usize % (index + 1));
        }
        for index in order {
            let way = &mut ways[index];
            if way.refusal.is_some() {
                continue;
            }
            let run = || way.mode.run(&disk, || load(&disk, runtime_ms));
            // What ran before may fail once on a machine that is busy with other things.
            let outcome = if way.outcomes.is_empty() {
                run()
            } else {
                run().or_else(|_| run())
            };
            match outcome {
                Ok(outcome) => way.outcomes.push(outcome),
                Err(why) if way.outcomes.is_empty() => way.refusal = Some(why),
                Err(why) => return Err(format!("{}: {why}", way.mode.label())),
            }
        }
        eprint!("\rround {} of {rounds}", round + 1);
    }
    eprintln!();
    Ok(ways)
}

/// 4 KiB random reads at depth 32.
fn load(disk: &Disk, runtime_ms: u64) -> Result<Load, String> {
    let fixed = [
        "--name=b",
        "--rw=randread",
        "--bs=4k",
        "--iodepth=32",
        "--ioengine=io_uring",
        "--direct=1",
    ];
    let ending = ["--time_based", "--output-format=json"];
    let mut fio = Command::new("fio");
    fio.args(fixed)
        .args(ending)
        .arg(format!("--filename={}", disk.path().display()));
    let output = fio
        .arg(format!("--runtime={runtime_ms}ms"))
        .output()
        .map_err(|error| format!("fio: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let json = text.find('{').map_or("", |at| &text[at..]);
    let document: serde_json::Value =
        serde_json::from_str(json).map_err(|error| format!("fio: {error}: {text}"))?;
    let read = &document["jobs"][0]["read"];
    match (read["total_ios"].as_u64(), read["iops"].as_f64()) {
        (Some(ios), Some(iops)) if ios > 0 => Ok(Load { ios, iops }),
        _ => Err(format!(
            "fio read nothing: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
