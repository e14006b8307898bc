//! What the native engine costs, against fio and against the smallest loop that does the same I/O.
//!
//! `cargo run --release -p bench-engine` measures all and rewrites its section of `bench/RESULTS.md`. Every run is a
//! process of its own, pinned to one CPU; its CPU time is what the kernel charges to it when it ends, less that of
//! the same program running for a millisecond. Rounds are interleaved in random order, and only runs of one round are
//! compared.
#![allow(clippy::disallowed_methods, reason = "a benchmark starts programs and reads clocks of its own")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is for people and for its own parent"
)]

mod child;
mod fio;
mod floor;
mod measure;
mod native;
mod report;
mod targets;

use std::path::PathBuf;
use std::process::ExitCode;

/// What one run measured.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Outcome {
    /// Completed I/Os.
    pub ios: u64,
    /// Time they took, s.
    pub elapsed_s: f64,
    /// Median latency, ns; 0 where none is measured.
    pub p50_ns: f64,
    /// 99th percentile, ns; 0 where none is measured.
    pub p99_ns: f64,
    /// CPU time of the process, start-up taken off, s.
    #[serde(default)]
    pub cpu_s: f64,
}

/// The work that every contestant of a comparison does.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Work {
    /// File or device.
    pub path: PathBuf,
    /// `io_uring` or `psync`.
    pub ioengine: String,
    /// I/Os in flight.
    pub iodepth: u32,
    /// O_DIRECT.
    pub direct: bool,
    /// How long, ms.
    pub runtime_ms: u64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["native", work] => child::serve(work, native::run),
        ["floor", work] => child::serve(work, floor::run),
        [] => measure::all(12, 1000),
        ["--rounds", rounds, "--ms", ms] => match (rounds.parse(), ms.parse()) {
            (Ok(rounds), Ok(ms)) => measure::all(rounds, ms),
            _ => Err("--rounds and --ms want numbers".into()),
        },
        _ => Err("usage: bench-engine [--rounds N --ms N]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-engine: {error}");
            ExitCode::FAILURE
        }
    }
}
