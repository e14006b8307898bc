//! What tracing the block layer costs: the programs' own time per I/O, and the rate of a load with and without them,
//! beside perf and tracefs.
//!
//! `cargo run --release -p bench-probe` measures on a loop device and rewrites its section of `bench/RESULTS.md`.
//! fio makes the load; the modes take turns in random order, and only runs of one round are compared.
#![allow(clippy::disallowed_methods, reason = "a benchmark starts programs and makes devices of its own")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is for people")]

mod disk;
mod modes;
mod report;

use disk::Disk;
use modes::Mode;
use std::process::{Command, ExitCode};

/// What one run of the load gave.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// I/Os per second.
    pub iops: f64,
    /// I/Os in all.
    pub ios: u64,
    /// The programs' time for each I/O of each device, by the kernel's own statistics, ns; 0 where they were off.
    pub programs_ns: f64,
    /// What of that is the cost of measuring: as many runs of a program that does nothing.
    pub measuring_ns: f64,
    /// Share of the I/Os that no program saw the end of.
    pub unseen: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(10, 2_000),
        ["--rounds", rounds, "--ms", ms] => match (rounds.parse(), ms.parse()) {
            (Ok(rounds), Ok(ms)) => measure(rounds, ms),
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

fn measure(rounds: usize, runtime_ms: u64) -> Result<(), String> {
    let disk = Disk::new(512 << 20)?;
    let mut columns: Vec<(Mode, Vec<Outcome>)> = Mode::ALL.iter().map(|mode| (*mode, Vec::new())).collect();
    let mut random = 0x9E37_79B9_7F4A_7C15u64 ^ host::clock::monotonic_ns();
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        for index in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(index, (random >> 33) as usize % (index + 1));
        }
        for index in order {
            let outcome = columns[index].0.run(&disk, || load(&disk, runtime_ms))?;
            columns[index].1.push(outcome);
        }
        eprint!("\rround {} of {rounds}", round + 1);
    }
    eprintln!();
    report::write(&columns, rounds, runtime_ms)
}

/// 4 KiB random reads at depth 32: I/Os and their rate.
fn load(disk: &Disk, runtime_ms: u64) -> Result<(u64, f64), String> {
    let fixed = ["--name=b", "--rw=randread", "--bs=4k", "--iodepth=32", "--ioengine=io_uring", "--direct=1"];
    let ending = ["--time_based", "--output-format=json"];
    let mut fio = Command::new("fio");
    fio.args(fixed).args(ending).arg(format!("--filename={}", disk.path().display()));
    let output =
        fio.arg(format!("--runtime={runtime_ms}ms")).output().map_err(|error| format!("fio: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let json = text.find('{').map_or("", |at| &text[at..]);
    let document: serde_json::Value =
        serde_json::from_str(json).map_err(|error| format!("fio: {error}: {text}"))?;
    let read = &document["jobs"][0]["read"];
    match (read["total_ios"].as_u64(), read["iops"].as_f64()) {
        (Some(ios), Some(iops)) if ios > 0 => Ok((ios, iops)),
        _ => Err(format!("fio read nothing: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
