//! What watching costs: CPU of all sensors here and on a machine with 100 disks and 64 CPUs, beside the tools that give
//! the same information, and memory over a simulated day.
//!
//! `cargo run --release -p bench-sensors` takes about five and a half minutes and rewrites its section of `bench/RESULTS.md`.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark starts programs of its own"
)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is for people"
)]

mod cost;
mod day;
mod report;
mod tools;
#[path = "../../../crates/stages/observe/src/wide_host.rs"]
mod wide_host;

use host::Host;
use observe::Scope;
use std::process::ExitCode;

/// The machine of the goal.
const DISKS: usize = 100;
const CPUS: usize = 64;

/// Everything that was measured.
pub struct Results {
    here: Vec<cost::Cost>,
    one_disk: Vec<cost::Cost>,
    waking: Vec<f64>,
    wide: Vec<cost::Cost>,
    rounds: Vec<tools::Round>,
    days: Vec<(&'static str, day::Day)>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(7, 5, 8),
        ["--rounds", rounds, "--seconds", seconds] => match (rounds.parse(), seconds.parse()) {
            (Ok(rounds), Ok(seconds)) => measure(rounds, seconds, rounds),
            _ => Err("--rounds and --seconds want numbers".into()),
        },
        _ => Err("usage: bench-sensors [--rounds N --seconds N]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-sensors: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Costs in so many rounds of so many seconds, the tools in so many rounds of their own.
fn measure(rounds: usize, seconds: u64, tool_rounds: usize) -> Result<(), String> {
    let live = Host::live();
    let wide = wide_host::wide_host(DISKS, CPUS);
    let (mut on_live, mut on_one, mut on_wide) = (Vec::new(), Vec::new(), Vec::new());
    let (mut beside, mut waking) = (Vec::new(), Vec::new());
    let (all, one_disk) = (Scope::default(), cost::one_disk(&live));
    for round in 0..rounds {
        eprint!("\rall sensors: round {} of {rounds}", round + 1);
        on_live.push(cost::measure(&live, &all, 100, seconds)?);
        on_one.push(cost::measure(&live, &one_disk, 100, seconds)?);
        waking.push(cost::waking(100, seconds.div_ceil(2)));
        on_wide.push(cost::measure(&wide, &all, 100, seconds)?);
    }
    eprintln!();
    for round in 0..tool_rounds {
        eprint!("\rbeside other tools: round {} of {tool_rounds}", round + 1);
        beside.push(tools::round(round % 2 == 0)?);
    }
    eprintln!("\na day of samples");
    let days = vec![
        ("this machine", day::simulate(&live)),
        ("100 disks, 64 CPUs", day::simulate(&wide)),
    ];
    report::write(&Results {
        here: on_live,
        one_disk: on_one,
        waking,
        wide: on_wide,
        rounds: beside,
        days,
    })
}
