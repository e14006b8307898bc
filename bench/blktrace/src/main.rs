//! Importing a long blktrace, beside blkparse and btt on the same files.
//!
//! `cargo run --release -p bench-blktrace` takes one to three minutes and 1 GB under the temporary directory, and rewrites its
//! section of `bench/RESULTS.md`. The trace is a real one of a guest, repeated with later times and higher numbers; ours and
//! theirs take turns. What is compared is CPU time, of which others on the machine take little away; ours is one thread.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark starts programs and makes files of its own"
)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is for people"
)]

mod report;
mod theirs;
mod trace;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What one round took, s of CPU time.
pub struct Round {
    /// Ours, of the files of all CPUs together.
    pub ours: f64,
    /// Ours, of the files put behind each other.
    pub ours_behind: f64,
    /// Ours, of the one sorted file that blkparse writes.
    pub ours_sorted: f64,
    /// blkparse, which sorts the files into one.
    pub blkparse: f64,
    /// btt, which reads that one.
    pub btt: f64,
}

/// All that was measured.
pub struct Results {
    /// Events in the trace.
    pub events: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// By round.
    pub rounds: Vec<Round>,
    /// Bios from their arrival to their end, as we count them.
    pub bios: u64,
    /// As btt counts them.
    pub their_bios: u64,
    /// The most memory that we and btt had, bytes.
    pub peak: (u64, u64),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // One import in a process of its own, whose time and memory are looked at.
        ["--together", ref files @ ..] => import(&paths(files), true),
        ["--behind", ref files @ ..] => import(&paths(files), false),
        [] => measure(10_000_000, 3),
        ["--events", events, "--rounds", rounds] => match (events.parse(), rounds.parse()) {
            (Ok(events), Ok(rounds)) => measure(events, rounds),
            _ => Err("--events and --rounds want numbers".into()),
        },
        _ => Err("usage: bench-blktrace [--events N --rounds N]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-blktrace: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(events: u64, rounds: usize) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("bench-blktrace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let results = in_folder(&folder, events, rounds);
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    report::write(&results?)
}

fn in_folder(folder: &Path, events: u64, rounds: usize) -> Result<Results, String> {
    eprintln!("writing a trace of {events} events");
    let (files, events) = trace::write(folder, events)?;
    let sorted = folder.join("sorted.bin");
    let mut results = Results {
        events,
        bytes: 0,
        rounds: Vec::new(),
        bios: 0,
        their_bios: 0,
        peak: (0, 0),
    };
    results.bytes = files
        .iter()
        .filter_map(|file| Some(std::fs::metadata(file).ok()?.len()))
        .sum();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        // Theirs first in every second round, but what btt reads is written by blkparse.
        let ours = || timed(|| own("--together", &files));
        let before = if round % 2 == 0 { Some(ours()?) } else { None };
        let blkparse = timed(|| theirs::blkparse(folder, &sorted))?.0;
        let (btt, their_bios) = timed(|| theirs::btt(&sorted))?;
        let (seconds, (bios, peak)) = before.map_or_else(ours, Ok)?;
        let ours_behind = timed(|| own("--behind", &files))?.0;
        let ours_sorted = timed(|| own("--behind", std::slice::from_ref(&sorted)))?.0;
        results.bios = bios;
        results.their_bios = their_bios.0;
        results.peak = (results.peak.0.max(peak), results.peak.1.max(their_bios.1));
        results.rounds.push(Round {
            ours: seconds,
            ours_behind,
            ours_sorted,
            blkparse,
            btt,
        });
    }
    Ok(results)
}

fn paths(files: &[&str]) -> Vec<PathBuf> {
    files.iter().map(PathBuf::from).collect()
}

/// CPU time of the programs that something started and waited for, s, and what it gave.
fn timed<T>(work: impl FnOnce() -> Result<T, String>) -> Result<(f64, T), String> {
    let begin = theirs::children_s();
    let given = work()?;
    Ok((theirs::children_s() - begin, given))
}

/// Ours in a process of its own: bios, and its memory at most.
fn own(how: &str, files: &[PathBuf]) -> Result<(u64, u64), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut words = vec![std::ffi::OsString::from(how)];
    words.extend(files.iter().map(|file| file.clone().into_os_string()));
    let text = theirs::run(program.to_string_lossy().as_ref(), &words)?;
    let numbers: Vec<u64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers[..] {
        [bios, peak] => Ok((bios, peak)),
        _ => Err(format!("the import said {text}")),
    }
}

fn open(path: &Path) -> Result<BufReader<File>, String> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// The import as `iodyno import` makes it of the files, together or put behind each other; bios from arrival to end.
fn import(files: &[PathBuf], is_together: bool) -> Result<(), String> {
    let import = if is_together {
        let mut named: Vec<(String, Box<dyn BufRead>)> = Vec::new();
        for file in files {
            named.push((file.display().to_string(), Box::new(open(file)?)));
        }
        imports::import_trace("trace", named)
    } else {
        let mut all: Box<dyn Read> = Box::new(std::io::empty());
        for file in files {
            all = Box::new(all.chain(open(file)?));
        }
        imports::import("trace", &mut BufReader::with_capacity(1 << 16, all))
    };
    let import = import.map_err(|error| error.to_string())?;
    let sides = import
        .results
        .iter()
        .filter_map(|one| one.load.as_ref())
        .flat_map(|load| load.sides());
    // btt leaves flushes out.
    let bios: u64 = sides
        .filter(|(name, _)| *name != "sync")
        .filter_map(|(_, side)| side.latency("q2c")?.count)
        .sum();
    println!("{bios} {}", theirs::own_peak_bytes());
    Ok(())
}
