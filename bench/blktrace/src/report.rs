//! The section of `bench/RESULTS.md`.

use crate::{Results, Round};
use stats::FiveNumbers;

/// Median, least and greatest.
fn spread(values: impl Iterator<Item = f64>) -> String {
    let values: Vec<f64> = values.collect();
    let Some(five) = FiveNumbers::of(&values) else {
        return "-".into();
    };
    format!(
        "{:.2} ({:.2}–{:.2})",
        five.median, five.least, five.greatest
    )
}

/// Prints the table and puts it between its marks.
pub fn write(results: &Results) -> Result<(), String> {
    let text = text(results);
    kit::results::publish("blktrace", &text)
}

fn text(results: &Results) -> String {
    let of = |value: fn(&Round) -> f64| spread(results.rounds.iter().map(value));
    let ratio = |ours: fn(&Round) -> f64| {
        spread(
            results
                .rounds
                .iter()
                .map(|round| (round.blkparse + round.btt) / ours(round)),
        )
    };
    let mib = |bytes: u64| bytes / (1 << 20);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "Linux {}, {} events, {} MiB in the files of two CPUs, {} rounds in turns. Seconds of CPU time, in the program and in the \
         kernel for it: median, least and greatest.\n\n\
         | what | s | blkparse and btt take so many times as long |\n|---|---|---|\n\
         | ours, the files of the CPUs together | {} | {} |\n\
         | ours, the files behind each other | {} | {} |\n\
         | ours, the sorted file of blkparse | {} | {} |\n\
         | `blkparse -O -d` | {} | |\n\
         | `btt` | {} | |\n\n\
         Goal: five times. Bios from arrival to end: {} by us, {} by btt. Memory at most: {} MiB of ours with the files together, \
         {} MiB of btt's.\n",
        kernel.trim(),
        results.events,
        mib(results.bytes),
        results.rounds.len(),
        of(|round| round.ours),
        ratio(|round| round.ours),
        of(|round| round.ours_behind),
        ratio(|round| round.ours_behind),
        of(|round| round.ours_sorted),
        ratio(|round| round.ours_sorted),
        of(|round| round.blkparse),
        of(|round| round.btt),
        results.bios,
        results.their_bios,
        mib(results.peak.0),
        mib(results.peak.1),
    )
}
