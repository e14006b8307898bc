//! The same information from the tools that people run, in turns with ours.

use crate::cost;
use host::{Host, process};
use observe::Scope;
use std::process::{Child, Command, Stdio};

/// What people have running in four windows, once a second.
const TOOLS: [&[&str]; 3] = [
    &["iostat", "-x", "1"],
    &["mpstat", "-P", "ALL", "-I", "ALL", "1"],
    &["pidstat", "-d", "1"],
];
const SAMPLES: u64 = 5;

/// CPU time a sample, ms.
pub struct Round {
    /// All sensors at one sample a second.
    pub ours_ms: f64,
    /// Each of the tools.
    pub tools_ms: Vec<f64>,
    /// `cat /proc/pressure/io`, which starts anew each time.
    pub cat_ms: f64,
}

/// Ours and theirs, one after the other so that neither disturbs the other; who is first changes.
pub fn round(ours_first: bool) -> Result<Round, String> {
    let first = if ours_first { Some(ours()?) } else { None };
    // Starting and the first report, which is about the time since boot, are taken off.
    let (short, long) = (run(1)?, run(1 + SAMPLES)?);
    let tools_ms = long
        .iter()
        .zip(&short)
        .map(|(long, short)| (long - short) / SAMPLES as f64)
        .collect();
    let cat_ms = cat()?;
    let ours_ms = first.map_or_else(ours, Ok)?;
    Ok(Round {
        ours_ms,
        tools_ms,
        cat_ms,
    })
}

fn ours() -> Result<f64, String> {
    let cost = cost::measure(&Host::live(), &Scope::default(), 1000, SAMPLES)?;
    Ok(cost.cpu_ns as f64 / 1e6 / cost.samples as f64)
}

/// CPU time of each tool for so many reports, ms.
fn run(reports: u64) -> Result<Vec<f64>, String> {
    let started = TOOLS.map(|tool| start(tool, reports));
    started.into_iter().map(|child| used(child?)).collect()
}

fn start(tool: &[&str], reports: u64) -> Result<Child, String> {
    let mut command = Command::new(tool[0]);
    command
        .args(&tool[1..])
        .arg(reports.to_string())
        .stdout(Stdio::null());
    command
        .spawn()
        .map_err(|error| format!("{}: {error}; it is in the package sysstat", tool[0]))
}

/// CPU time of a child and its own children, ms: what the sum of all that were waited for grows by.
fn used(mut child: Child) -> Result<f64, String> {
    let before = process::children_cpu_time();
    let status = child.wait().map_err(|error| error.to_string())?;
    match status.success() {
        true => Ok(process::children_cpu_time().since(before).total_ns() as f64 / 1e6),
        false => Err(format!("a tool failed: {status}")),
    }
}

fn cat() -> Result<f64, String> {
    let mut sum_ms = 0.0;
    for _ in 0..SAMPLES {
        let child = Command::new("cat")
            .arg("/proc/pressure/io")
            .stdout(Stdio::null())
            .spawn();
        sum_ms += used(child.map_err(|error| format!("cat: {error}"))?)?;
    }
    Ok(sum_ms / SAMPLES as f64)
}
