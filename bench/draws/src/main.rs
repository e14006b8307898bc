//! How often `check` is right about faults that are drawn at random: which, how many and how strong, on a stack of its own.
//!
//! `bench-draws BINARY --runs N` makes N more draws: of ten, five are one fault, two are two at once, one is three, and two are a healthy
//! stack with benign settings. Every draw is kept in `kept.csv`, the next call goes on from there, and each writes the table of all draws. A
//! family is one shell file in `families/`: its head names the rules that are right and the strengths to draw from.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a benchmark starts programs of its own, and says how far it is"
)]

mod draw;
mod family;
mod judged;
mod stack;
mod table;

use draw::Draw;
use judged::Judged;
use stack::Stack;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [binary] => measure(binary, "10"),
        [binary, "--runs", runs] => measure(binary, runs),
        _ => Err("usage: bench-draws BINARY [--runs N]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-draws: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The directory of this package, where families and kept draws are.
fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn measure(binary: &str, runs: &str) -> Result<(), String> {
    let runs: u64 = runs
        .parse()
        .map_err(|_| format!("--runs {runs}: no number"))?;
    let families = family::all()?;
    let mut kept = judged::kept()?;
    let stack = Stack::make()?;
    let first = kept.last().map_or(0, |last| last.seed + 1);
    for seed in first..first + runs {
        let draw = Draw::of(seed, &families);
        let failed = |error| format!("draw {seed}: {}: {error}", draw.name());
        let checked = stack.checked(binary, &draw).map_err(failed)?;
        let judged = Judged::of(seed, &draw, &checked).map_err(failed)?;
        eprintln!("draw {seed}: {}: {}", draw.name(), judged.words());
        judged::keep(&judged)?;
        kept.push(judged);
    }
    kit::results::publish("draws", &table::text(&kept, &families))
}
