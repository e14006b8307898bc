//! The section of `bench/RESULTS.md`.

use crate::{JOBS, LINES, Results, SCRIPT_LINES};
use std::fmt::Write;

/// Prints the tables and puts them between their marks.
pub fn write(results: &Results) -> Result<(), String> {
    let text = text(results);
    kit::results::publish("imports", &text)
}

/// `1.23 (1.20–1.27)`: median and extremes.
fn spread(values: &[f64], digits: usize) -> String {
    let Some(five) = stats::FiveNumbers::of(values) else {
        return "not measured".into();
    };
    let (least, most) = (five.least, five.greatest);
    format!(
        "{:.digits$} ({least:.digits$}–{most:.digits$})",
        five.median
    )
}

/// Ratios of rounds: theirs by ours of the same round.
fn ratios(theirs: impl Iterator<Item = f64>, ours: &[f64]) -> Vec<f64> {
    theirs
        .zip(ours)
        .map(|(theirs, ours)| theirs / ours)
        .collect()
}

fn text(results: &Results) -> String {
    let host = host::Host::live();
    let kernel = host.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut text = format!(
        "Linux {kernel}, seconds of CPU time of one thread, files in the page cache, {} interleaved rounds; medians, in brackets the extremes. \
         Ratios are of the same round.\n\n",
        results.ours.len()
    );
    let _ = writeln!(
        text,
        "A latency log of fio, {LINES} lines, {} MB: by direction count, mean, deviation, extremes, 17 percentiles, the \
         histogram, and IOPS, bandwidth, mean and greatest latency by second.\n\n| | s | MB/s | times as long |\n|---|---|---|---|",
        results.log_bytes / 1_000_000
    );
    let ours = &results.ours;
    let _ = writeln!(
        text,
        "| iodyno | {} | {} | 1 |",
        spread(ours, 2),
        spread(&mb(results.log_bytes, ours), 0)
    );
    let readers: Vec<f64> = results.pandas.iter().map(|(reader, _)| *reader).collect();
    let all: Vec<f64> = results.pandas.iter().map(|(_, all)| *all).collect();
    for (name, seconds) in [
        (
            "pandas: `read_csv` of four columns with the C engine, nothing else",
            &readers,
        ),
        ("pandas: the same and the same statistics", &all),
    ] {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            spread(seconds, 2),
            spread(&mb(results.log_bytes, seconds), 0),
            spread(&ratios(seconds.iter().copied(), ours), 1)
        );
    }
    scripts(&mut text, results);
    let _ = writeln!(
        text,
        "\nA JSON+ document of {JOBS} jobs, reads and writes with all buckets of clat and lat, {} MB: {} s.\n",
        results.json_bytes / 1_000_000,
        spread(&results.json, 2)
    );
    let _ = writeln!(
        text,
        "Most memory of the process: {} MiB after the long log, {} MiB after the JSON+, which is held whole.",
        results.peak_mib.0, results.peak_mib.1
    );
    for missing in &results.missing {
        let _ = writeln!(text, "\n{missing}");
    }
    text
}

fn mb(bytes: u64, seconds: &[f64]) -> Vec<f64> {
    seconds
        .iter()
        .map(|seconds| bytes as f64 / 1e6 / seconds)
        .collect()
}

/// Others that are too slow for the long log.
fn scripts(text: &mut String, results: &Results) {
    let _ = writeln!(
        text,
        "\nScripts on the first {SCRIPT_LINES} lines of such a log, {:.1} MB; iodyno computes all of the above, each of them \
         what its row says. Python's start is in their time, and less than a tenth of it.\n\n\
         | | s | MB/s | times as long |\n|---|---|---|---|",
        results.short_bytes as f64 / 1e6
    );
    let short = &results.ours_short;
    let _ = writeln!(
        text,
        "| iodyno | {} | {} | 1 |",
        spread(short, 4),
        spread(&mb(results.short_bytes, short), 0)
    );
    for (name, seconds) in &results.scripts {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            spread(seconds, 2),
            spread(&mb(results.short_bytes, seconds), 1),
            spread(&ratios(seconds.iter().copied(), short), 0)
        );
    }
}
