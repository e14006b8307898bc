//! Whether `iodyno dataset` takes as long as what people read trees with: `tar` and a plain reader in Python.
//!
//! `cargo run --release -p bench-dataset -- BINARY` makes trees of small files on loop devices in memory (ext4 and xfs),
//! takes `/usr/share/doc` of the disk as it is, reads each whole, cold and warm, in rounds of random order, and rewrites its
//! section of `bench/RESULTS.md`. `-- BINARY TREE…` reads these trees and rewrites nothing. Needs root for the loop devices.
//!
//! tar is read through a pipe: with `cf /dev/null` GNU tar notices its archive and reads no file at all, only their inodes.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is no part of the product: it starts processes and writes its own report"
)]

mod contest;
mod grounds;

use contest::Contest;
use grounds::Ground;
use std::path::PathBuf;
use std::process::ExitCode;

/// Rounds: each contestant once, in random order.
const ROUNDS: usize = 15;
/// Files of a made tree.
const FILES: usize = 20_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((binary, trees)) = arguments.split_first() else {
        eprintln!("usage: bench-dataset BINARY [TREE…]");
        return ExitCode::FAILURE;
    };
    match run(binary, trees) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-dataset: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(binary: &str, trees: &[String]) -> Result<(), String> {
    let mut lines = vec![
        format!(
            "{} · {} · load average {} at the start.",
            kit::results::date(),
            kit::results::machine(),
            kit::results::load_average()
        ),
        String::new(),
    ];
    let mut grounds = Vec::new();
    if trees.is_empty() {
        for fstype in ["ext4", "xfs"] {
            grounds.push(Ground::made(fstype, FILES)?);
        }
        grounds.push(Ground::there("/usr/share/doc".into(), "the disk"));
    } else {
        let there = |tree: &String| Ground::there(PathBuf::from(tree), "as given");
        grounds.extend(trees.iter().map(there));
    }
    lines.extend(contest::head());
    for ground in &grounds {
        lines.extend(Contest::new(binary, ground)?.rows(ROUNDS)?);
    }
    let text = lines.join("\n");
    match trees.is_empty() {
        true => kit::results::publish("dataset", &text),
        false => {
            println!("{text}");
            Ok(())
        }
    }
}
