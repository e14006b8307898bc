//! How long it takes to list, open and follow records in a store of 10,000 records with 100 million samples.
//!
//! `cargo run --release -p bench-store -- BINARY` makes the store below `target`, measures, deletes it, and rewrites
//! its section of `bench/RESULTS.md`. `--records N` makes a smaller one and rewrites nothing.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is no part of the product: it starts processes and writes its own report"
)]

mod measure;
mod report;
mod synthetic;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (binary, records) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [binary] => (binary.to_string(), synthetic::RECORDS),
        [binary, "--records", count] => (binary.to_string(), count.parse().unwrap_or(0)),
        _ => {
            eprintln!("usage: bench-store BINARY [--records N]");
            return ExitCode::FAILURE;
        }
    };
    match run(&binary, records) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-store: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(binary: &str, records: u64) -> Result<(), String> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../target/bench-store-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let measured = measure::all(&dir, binary, records).map_err(|error| error.to_string());
    let removed =
        std::fs::remove_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()));
    let text = report::text(&measured?);
    print!("{text}");
    removed?;
    if records == synthetic::RECORDS {
        kit::results::publish("store", &text)
    } else {
        Ok(())
    }
}
