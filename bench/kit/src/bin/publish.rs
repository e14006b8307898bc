//! Puts a table from standard input into its section of `bench/RESULTS.md`, with the date and the machine: `publish SECTION`.
#![allow(
    clippy::print_stderr,
    reason = "a benchmark prints why it cannot do its work"
)]

use kit::results;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(section) = std::env::args().nth(1) else {
        eprintln!("usage: publish SECTION < TABLE");
        return ExitCode::from(2);
    };
    let published = std::io::read_to_string(std::io::stdin())
        .map_err(|error| format!("standard input: {error}"))
        .and_then(|table| {
            let head = format!("{} · {}", results::date(), results::machine());
            let report = format!("{head}\n\n```text\n{}\n```", table.trim_end());
            results::publish(&section, &report)
        });
    match published {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
