//! `proof`: how often the experiment is right, measured on simulated disks whose truth is known.
//!
//! Every run goes through the decision code that the product ships, in this process or, with `--judge`, in a process
//! of its own over pipes; both give the same figures. The tables go to standard output and between the markers of
//! `bench/RESULTS.md`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is no part of the product: it reads a clock, starts processes and writes its own report"
)]

mod cell;
mod judge;
mod pool;
mod report;
mod tally;
mod trial;

use std::process::ExitCode;

use clap::Parser;

/// Measures how often the experiment is right.
#[derive(Parser, Debug)]
struct Options {
    /// Runs of each row.
    #[arg(long, default_value_t = 200)]
    runs: u64,
    /// Path of an `iodyno` binary to drive over pipes in place of the code linked in.
    #[arg(long)]
    judge: Option<String>,
    /// Only rows whose table or name contains this text; the report is then only printed.
    #[arg(long)]
    only: Vec<String>,
    /// Threads; one for each processor when absent.
    #[arg(long)]
    workers: Option<usize>,
}

fn main() -> ExitCode {
    match measure(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("proof: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &Options) -> Result<(), String> {
    let started = std::time::Instant::now();
    let cells = cell::all()
        .into_iter()
        .filter(|cell| is_wanted(cell, &options.only))
        .collect();
    let workers = options
        .workers
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let rows = pool::run(cells, options.runs, workers, options.judge.as_deref())?;
    let heading = report::Heading {
        machine: kit::results::machine(),
        date: kit::results::date(),
        runs: options.runs,
        elapsed_s: started.elapsed().as_secs(),
        over_pipes: options.judge.is_some(),
    };
    let text = report::text(&heading, &rows);
    if options.only.is_empty() {
        kit::results::publish("proof", &text)
    } else {
        println!("{text}");
        Ok(())
    }
}

fn is_wanted(cell: &cell::Cell, only: &[String]) -> bool {
    let name = format!("{:?} {}", cell.table, cell.label());
    only.is_empty() || only.iter().any(|part| name.contains(part.as_str()))
}
