//! Starting a contestant as a process, pinned, and charging it what the kernel says it used.

use crate::{Outcome, Work};
use host::process;
use std::process::Command;

/// The CPU that all contestants run on.
const CPU: u32 = 1;

/// The contestant's side: does the work given as JSON and prints its outcome.
pub fn serve(work: &str, run: fn(&Work) -> Result<Outcome, String>) -> Result<(), String> {
    let work: Work = serde_json::from_str(work).map_err(|error| error.to_string())?;
    let outcome = run(&work)?;
    println!(
        "{}",
        serde_json::to_string(&outcome).map_err(|error| error.to_string())?
    );
    Ok(())
}

/// Pins this process, and so the contestants it starts, to the CPU they share. Rounds never overlap.
pub fn pin() -> Result<(), String> {
    process::pin_thread(CPU).map_err(|error| error.to_string())
}

/// Runs a program to its end: its standard output and its CPU time, s, threads and waited-for children included.
pub fn run(mut command: Command) -> Result<(String, f64), String> {
    let before = process::children_cpu_time();
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}: {text}{why}", output.status));
    }
    Ok((
        text,
        process::children_cpu_time().since(before).total_ns() as f64 / 1e9,
    ))
}
