//! How often a whole `iodyno tune` is right on real I/O.
//!
//! `bench-tunes known BINARY` tries limits of a control group whose effect is known, `bench-tunes aa BINARY` changes
//! nothing, and `bench-tunes grid BINARY` chooses schedulers beside the grids of fio runs that people make. A run takes a
//! minute or more, so that a table takes hours: every run is kept in a file of `bench/tunes`, the next call goes on from
//! there, and each writes the table of all runs kept so far.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a benchmark starts programs and reads clocks of its own, and says how far it is"
)]

mod aa;
mod grid;
mod kept;
mod known;
mod tune;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [table, binary] => measure(table, binary, "1"),
        [table, binary, "--runs", runs] => measure(table, binary, runs),
        _ => Err("usage: bench-tunes known|aa|grid BINARY [--runs N]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-tunes: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(table: &str, binary: &str, runs: &str) -> Result<(), String> {
    let runs = runs
        .parse()
        .map_err(|_| format!("--runs {runs}: no number"))?;
    match table {
        "known" => known::measure(binary, runs),
        "aa" => aa::measure(binary, runs),
        "grid" => grid::measure(binary, runs),
        _ => Err(format!("{table}: the tables are known, aa and grid")),
    }
}
