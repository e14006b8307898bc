//! Two builds of iodyno side by side: whether one that is quicker to make, or smaller, measures as well and works as fast.

use crate::{child, report};
use kit::targets::DataFile;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cached, so that the CPU is the limit.
const CACHED_BYTES: usize = 256 << 20;
const RUNTIME_MS: u64 = 1000;
/// A run of this length is nearly all start-up.
const SHORT_MS: u64 = 20;
const ENGINES: [(&str, u32); 3] = [("io_uring", 32), ("libaio", 32), ("psync", 1)];
const LOG_LINES: usize = 1_000_000;

/// Where the work is done.
struct Place {
    cached: DataFile,
    log: PathBuf,
    state: PathBuf,
}

/// Work of which the CPU time is compared: what it is called, and the words behind the binary.
type Work = (&'static str, fn(&Place) -> Vec<String>);

const WORKS: [Work; 4] = [
    (
        "`import` of a fio latency log of a million lines",
        |place| words(&["import", "--json"], &[&place.log]),
    ),
    ("`inspect --json` of the file", |place| {
        words(&["inspect", "--json"], &[place.cached.path()])
    }),
    ("`tune --rehearse`, 3 minutes of its own time", |place| {
        let tune = ["tune", "--rehearse", "cloud,scheduler=bfq:-10%"];
        let rest = ["--knob", "scheduler", "--budget", "3m", "--seed", "7"];
        words(&[&tune[..], &rest].concat(), &[place.cached.path()])
    }),
    (
        "`watch --json` of the disk for 3 s, a reading every 10 ms",
        |place| {
            let watch = ["watch", "--json", "--interval", "10ms"];
            let rest = ["--every", "1s", "--count", "3"];
            words(&[&watch[..], &rest].concat(), &[place.cached.path()])
        },
    ),
];

fn words(plain: &[&str], paths: &[&Path]) -> Vec<String> {
    let plain = plain.iter().map(|word| word.to_string());
    let paths = paths.iter().map(|path| path.display().to_string());
    plain.chain(paths).collect()
}

/// Compares the second build with the first, and writes the section of the results.
pub fn all(builds: [&str; 2], rounds: usize) -> Result<(), String> {
    child::pin()?;
    let directory = std::env::temp_dir().join(format!("iodyno-builds-{}", std::process::id()));
    let result = in_directory(&directory, builds, rounds);
    let _ = std::fs::remove_dir_all(&directory);
    kit::results::publish("builds", &result?)
}

fn in_directory(directory: &Path, builds: [&str; 2], rounds: usize) -> Result<String, String> {
    std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    let place = Place {
        cached: DataFile::write("builds", CACHED_BYTES)?,
        log: directory.join("big_clat.1.log"),
        state: directory.join("state"),
    };
    std::fs::write(&place.log, log()).map_err(|error| error.to_string())?;
    let mut text = format!(
        "{}; {rounds} rounds, the builds one after the other in an order that alternates, all on one CPU. Medians; ratios are \
         paired, with quartiles and extremes. CPU is that of the whole process, start-up taken off for loads.\n\n\
         | | first build | second build | second ÷ first |\n|---|---|---|---|\n",
        report::machine()
    );
    let mib: Vec<String> = builds.iter().map(|build| size_mib(build)).collect();
    let _ = writeln!(text, "| size, MiB | {} | {} | – |", mib[0], mib[1]);
    for (ioengine, depth) in ENGINES {
        let values = paired(rounds, |side| {
            per_cpu_s(builds[side], &place, ioengine, depth)
        })?;
        let name = format!("`run`, page cache, {ioengine}, depth {depth}: k IOPS per CPU-second");
        text += &row(&name, &values, 1e-3);
    }
    for (name, words) in WORKS {
        let values = paired(rounds, |side| {
            cpu_s(builds[side], &place, &words(&place)).map(|(_, cpu_s)| cpu_s)
        })?;
        text += &row(&format!("{name}: CPU ms"), &values, 1e3);
    }
    Ok(text)
}

/// One value of each build for each round.
fn paired(
    rounds: usize,
    mut measure: impl FnMut(usize) -> Result<f64, String>,
) -> Result<[Vec<f64>; 2], String> {
    let mut values = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for side in [round % 2, 1 - round % 2] {
            values[side].push(measure(side)?);
        }
    }
    Ok(values)
}

fn row(name: &str, [first, second]: &[Vec<f64>; 2], scale: f64) -> String {
    let ratios: Vec<f64> = second.iter().zip(first).map(|(b, a)| b / a).collect();
    format!(
        "| {name} | {:.1} | {:.1} | {} |\n",
        stats::median(first) * scale,
        stats::median(second) * scale,
        report::spread(&ratios)
    )
}

fn size_mib(build: &str) -> String {
    let bytes = std::fs::metadata(build).map_or(0, |metadata| metadata.len());
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

/// I/Os of a load for each second of CPU.
fn per_cpu_s(build: &str, place: &Place, ioengine: &str, depth: u32) -> Result<f64, String> {
    let load = |runtime_ms: u64| -> Result<(f64, f64), String> {
        place.cached.warm()?;
        let runtime = format!("{runtime_ms}ms");
        let mut words = words(
            &["run", "--json", "--layers", "off", "--runtime", &runtime],
            &[place.cached.path()],
        );
        words.extend(
            [
                "--",
                "--rw=randread",
                "--bs=4k",
                "--direct=0",
                "--invalidate=0",
            ]
            .map(str::to_string),
        );
        words.extend([
            format!("--ioengine={ioengine}"),
            format!("--iodepth={depth}"),
        ]);
        let (text, cpu_s) = cpu_s(build, place, &words)?;
        let document: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        let ios = document["record"]["load"]["read"]["ios"].as_f64();
        Ok((ios.ok_or("the load has no I/Os")?, cpu_s))
    };
    let (short, long) = (load(SHORT_MS)?, load(RUNTIME_MS)?);
    Ok((long.0 - short.0) / (long.1 - short.1))
}

fn cpu_s(build: &str, place: &Place, words: &[String]) -> Result<(String, f64), String> {
    let mut command = Command::new(build);
    command.args(words).env("IODYNO_STATE_DIR", &place.state);
    child::run(command)
}

/// Latencies as fio logs them: ms, ns, direction, block size, offset, priority.
fn log() -> String {
    let mut text = String::with_capacity(LOG_LINES * 32);
    let mut random = 7u64;
    for line in 0..LOG_LINES {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let latency_ns = 80_000 + (random >> 44);
        // Writing into a text cannot fail.
        let _ = writeln!(
            text,
            "{}, {latency_ns}, 0, 4096, {}, 0",
            line / 10,
            line * 4096
        );
    }
    text
}
