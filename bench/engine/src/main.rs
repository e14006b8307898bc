//! What the native engine costs, against fio and against the smallest loop that does the same I/O.
//!
//! `cargo run --release -p bench-engine` measures all and rewrites its section of `bench/RESULTS.md`. Every run is a
//! process of its own, pinned to one CPU; its CPU time is what the kernel charges to it when it ends, less that of
//! the same program running for a millisecond. Rounds are interleaved in random order, and only runs of one round are
//! compared.
//!
//! `bench-engine builds BINARY BINARY` compares two builds of iodyno.
//!
//! `bench-engine breaker BINARY` stalls a device under tunes of that `iodyno` and writes a section on `--stop-if`.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark starts programs and reads clocks of its own"
)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is for people and for its own parent"
)]

mod breaker;
mod builds;
mod child;
mod fio;
mod floor;
mod measure;
mod native;
mod report;
mod stall;

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
    /// 99.9th percentile, ns.
    #[serde(default)]
    pub p999_ns: f64,
    /// Largest latency, ns.
    #[serde(default)]
    pub max_ns: f64,
    /// Median service time of an open loop, ns.
    #[serde(default)]
    pub service_p50_ns: f64,
    /// CPU time of the process, start-up taken off, s.
    #[serde(default)]
    pub cpu_s: f64,
}

/// The work that every contestant of a comparison does.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Work {
    /// File or device.
    pub path: PathBuf,
    /// Engine, named alike by both.
    pub ioengine: String,
    /// I/Os in flight.
    pub iodepth: u32,
    /// O_DIRECT.
    pub direct: bool,
    /// How long, ms.
    pub runtime_ms: u64,
    /// Random writes at so many I/Os per second in place of random reads as fast as they go; 0 is none.
    pub write_iops: u64,
    /// Whether the writes arrive at random.
    pub poisson: bool,
    /// Whether they arrive by the clock, for the native engine.
    pub open_loop: bool,
}

impl Work {
    /// Random 4 KiB reads as fast as they go.
    pub fn reads(path: &std::path::Path, ioengine: &str, direct: bool, runtime_ms: u64) -> Work {
        let iodepth = if matches!(ioengine, "io_uring" | "libaio") {
            32
        } else {
            1
        };
        Work {
            path: path.into(),
            ioengine: ioengine.into(),
            iodepth,
            direct,
            runtime_ms,
            write_iops: 0,
            poisson: false,
            open_loop: false,
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["native", work] => child::serve(work, native::run),
        ["floor", work] => child::serve(work, floor::run),
        [] => measure::all(10, 1000),
        ["--rounds", rounds, "--ms", ms] => match (rounds.parse(), ms.parse()) {
            (Ok(rounds), Ok(ms)) => measure::all(rounds, ms),
            _ => Err("--rounds and --ms want numbers".into()),
        },
        ["breaker", binary] => breaker::all(binary, 100),
        ["breaker", binary, "--rounds", rounds] => match rounds.parse() {
            Ok(rounds) => breaker::all(binary, rounds),
            Err(_) => Err("--rounds wants a number".into()),
        },
        ["builds", first, second] => builds::all([first, second], 20),
        ["builds", first, second, "--rounds", rounds] => match rounds.parse() {
            Ok(rounds) => builds::all([first, second], rounds),
            Err(_) => Err("--rounds wants a number".into()),
        },
        _ => Err(
            "usage: bench-engine [--rounds N --ms N | breaker BINARY [--rounds N] | builds BINARY BINARY [--rounds N]]"
                .into(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-engine: {error}");
            ExitCode::FAILURE
        }
    }
}
