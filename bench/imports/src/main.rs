//! How fast a log of fio is summed up, beside pandas' C reader, fio's own script and fio-plot, and what a thousand jobs of
//! JSON+ take.
//!
//! `cargo run --release -p bench-imports` takes about three minutes and rewrites its section of `bench/RESULTS.md`. The big
//! files are made in the target directory and removed. What is compared is CPU time, of which others on the machine take
//! none away; all of it runs on one thread. `--json-only` measures the JSON+ alone, prints it and writes nothing.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark makes files and starts programs of its own"
)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is for people"
)]

mod files;
mod others;
mod report;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lines of the log.
const LINES: u64 = 10_000_000;
/// Lines of the logs that scripts are given, which would take hours for the long one.
const SCRIPT_LINES: u64 = 200_000;
/// Jobs of the JSON+ document.
const JOBS: usize = 1_000;

/// Seconds of CPU time by round.
#[derive(Default)]
pub struct Results {
    /// Bytes of the long log.
    pub log_bytes: u64,
    /// Bytes of the short one.
    pub short_bytes: u64,
    /// Bytes of the JSON+.
    pub json_bytes: u64,
    /// We, the long log.
    pub ours: Vec<f64>,
    /// We, the short log.
    pub ours_short: Vec<f64>,
    /// We, the JSON+.
    pub json: Vec<f64>,
    /// pandas, the long log: its reader alone, and with the statistics.
    pub pandas: Vec<(f64, f64)>,
    /// Script and seconds on the short log.
    pub scripts: Vec<(&'static str, Vec<f64>)>,
    /// What is not there, and why.
    pub missing: Vec<String>,
    /// Most memory of this process, MiB, after the long log and at the end.
    pub peak_mib: (u64, u64),
}

/// A directory that goes when it is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_json_only = arguments
        .first()
        .is_some_and(|first| first == "--json-only");
    arguments.drain(..usize::from(is_json_only));
    let rounds = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Some(7),
        ["--rounds", rounds] => rounds.parse().ok(),
        _ => None,
    };
    let Some(rounds) = rounds else {
        eprintln!("usage: bench-imports [--json-only] [--rounds N]");
        return ExitCode::FAILURE;
    };
    match if is_json_only {
        measure_json(rounds)
    } else {
        measure(rounds)
    } {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-imports: {error}");
            ExitCode::FAILURE
        }
    }
}

fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

impl Scratch {
    fn new() -> Result<Scratch, String> {
        let path = target().join(format!("bench-imports-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }
}

/// The JSON+ alone, one line a round.
fn measure_json(rounds: usize) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let json = scratch.0.join("jobs.json");
    let bytes = files::json(&json, JOBS).map_err(|error| error.to_string())?;
    for _ in 0..rounds {
        let seconds = jobs(&json)?;
        println!(
            "{seconds:.3} s, {:.0} MB/s, at most {} MiB",
            bytes as f64 / 1e6 / seconds,
            peak_mib()
        );
    }
    Ok(())
}

/// Interleaved: every round runs everything once.
fn measure(rounds: usize) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let io = |error: std::io::Error| format!("{}: {error}", scratch.0.display());
    let (log, short) = (
        scratch.0.join("big_lat.1.log"),
        scratch.0.join("short_lat.1.log"),
    );
    let json = scratch.0.join("jobs.json");
    eprintln!("making the files");
    let mut results = Results {
        log_bytes: files::log(&log, LINES).map_err(io)?,
        short_bytes: files::log(&short, SCRIPT_LINES).map_err(io)?,
        json_bytes: files::json(&json, JOBS).map_err(io)?,
        ..Results::default()
    };
    let python = others::python(&target().join("tools/import-venv"));
    let scripts = others::scripts(python.as_deref(), &scratch.0, &mut results.missing);
    results.scripts = scripts
        .iter()
        .map(|script| (script.name, Vec::new()))
        .collect();
    for round in 0..rounds {
        eprint!("\rround {} of {rounds}", round + 1);
        results.ours.push(import(&log, LINES)?);
        results.peak_mib.0 = results
            .peak_mib
            .0
            .max(if round == 0 { peak_mib() } else { 0 });
        if let Some(python) = &python {
            results.pandas.push(others::pandas(python, &log, LINES)?);
        }
        results.ours_short.push(import(&short, SCRIPT_LINES)?);
        for (script, (_, seconds)) in scripts.iter().zip(&mut results.scripts) {
            seconds.push(others::run(script, &short)?);
        }
        results.json.push(jobs(&json)?);
    }
    eprintln!();
    results.peak_mib.1 = peak_mib();
    report::write(&results)
}

fn open(path: &Path) -> Result<BufReader<File>, String> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

/// Seconds for a log; its statistics are looked at, so that none is left out.
fn import(path: &Path, lines: u64) -> Result<f64, String> {
    let begun = cpu_s();
    let name = path.to_string_lossy();
    let import = imports::import(&name, &mut open(path)?).map_err(|error| error.to_string())?;
    let seconds = cpu_s() - begun;
    let load = import
        .results
        .first()
        .and_then(|result| result.load.as_ref())
        .ok_or("no result in the log")?;
    let ios: u64 = load.sides().filter_map(|(_, side)| side.ios).sum();
    let percentiles = load
        .sides()
        .flat_map(|(_, side)| &side.latencies)
        .map(|latency| latency.percentiles.len());
    if ios != lines || percentiles.sum::<usize>() < 34 || import.results[0].series.is_empty() {
        return Err(format!("{ios} I/Os of {lines} were read"));
    }
    Ok(seconds)
}

fn jobs(path: &Path) -> Result<f64, String> {
    let begun = cpu_s();
    let import =
        imports::import("jobs.json", &mut open(path)?).map_err(|error| error.to_string())?;
    let seconds = cpu_s() - begun;
    if import.results.len() != JOBS || !import.unread.is_empty() {
        return Err(format!("{} jobs of {JOBS} were read", import.results.len()));
    }
    Ok(seconds)
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

/// CPU time of this thread, s.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ')
        .next()
        .and_then(|ns| ns.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e9
}
