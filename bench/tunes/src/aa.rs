//! Tunes in which nothing is changed, on devices of three kinds: every winner is wrong.

use crate::kept::{self, Run};
use crate::tune::Asked;
use kit::share::Share;
use kit::targets::LoopDevice;
use lab::{Bus, Disk, Machine};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

const TABLE: &str = "aa";
const DISK: &str = "this machine's disk";
const LOOP: &str = "a loop device with direct I/O on it";
const GUEST: &str = "a guest's NVMe disk, throttled to 2000 IOPS";
/// What is asked in each: two arms, and nothing is turned.
const ASKED: [&str; 5] = [
    "--knob",
    "scheduler=none,mq-deadline",
    "--aa",
    "--budget",
    "60s",
];
/// The longest that a guest may take, s.
const GUEST_S: u64 = 300;

/// Measures so many more runs and writes the table of all.
///
/// # Errors
/// The machine has no such devices, or a tune gave no verdict.
pub fn measure(binary: &str, count: usize) -> Result<(), String> {
    let rows = [DISK, LOOP, GUEST];
    let runs = kept::more(TABLE, &rows, count, |row| {
        let asked = Asked {
            place: [TABLE, row],
            truth: 0.0,
        };
        match row {
            DISK => on_disk(&asked, binary),
            LOOP => on_loop(&asked, binary),
            _ => in_guest(&asked, binary),
        }
    })?;
    kit::results::publish(TABLE, &text(&rows, &runs))
}

fn on_disk(asked: &Asked<'_>, binary: &str) -> Result<Run, String> {
    let here = std::env::temp_dir();
    asked.run(
        binary,
        &[&[&*here.to_string_lossy()], &ASKED[..]].concat(),
        None,
    )
}

fn on_loop(asked: &Asked<'_>, binary: &str) -> Result<Run, String> {
    let device = LoopDevice::attach(256 << 20)?;
    let target = device.path().to_string_lossy();
    asked.run(binary, &[&[&*target], &ASKED[..]].concat(), None)
}

fn in_guest(asked: &Asked<'_>, binary: &str) -> Result<Run, String> {
    let failed = |error: lab::Error| error.to_string();
    let disk = Disk::new(Bus::Nvme, 256).iops(2000);
    let mut guest = Machine::new().disk(disk).boot().map_err(failed)?;
    guest.put(Path::new(binary), "iodyno").map_err(failed)?;
    let target = guest.disk(0).map_err(failed)?;
    let script = format!("/mnt/lab/iodyno tune {target} {} --json", ASKED.join(" "));
    let begun = Instant::now();
    let done = guest.run(&script, GUEST_S).map_err(failed)?;
    asked
        .answered(done.out.as_bytes(), begun.elapsed().as_secs_f64())
        .map(|(run, _)| run)
        .ok_or_else(|| format!("{script}: no verdict: {}", done.err.trim()))
}

fn text(rows: &[&str], runs: &[Run]) -> String {
    let won = |run: &Run| run.outcome == "better";
    let mut text = format!(
        "{}, {} to {}, {} runs in turns and random order of `iodyno tune TARGET {}`. Shares in per cent with 95 % Wilson \
         intervals.\n\n| device | runs | wins, ≤ 1 % | equal | undecided | device time s: median, longest |\n|---|---|---|---|---|---|\n",
        kit::results::machine(),
        runs.first().map_or("", |run| &run.date),
        runs.last().map_or("", |run| &run.date),
        runs.len(),
        ASKED.join(" ")
    );
    for row in rows.iter().copied().chain(["all"]) {
        let of = || runs.iter().filter(|run| row == "all" || run.row == row);
        let times: Vec<f64> = of().map(|run| run.device_s).collect();
        let Some(five) = stats::FiveNumbers::of(&times) else {
            continue;
        };
        let equal = |run: &Run| run.outcome == "equal";
        let _ = writeln!(
            text,
            "| {row} | {} | {} | {} | {} | {:.0}, {:.0} |",
            times.len(),
            Share::of(of(), won),
            Share::of(of(), equal),
            Share::of(of(), |run| !won(run) && !equal(run)),
            five.median,
            five.greatest
        );
    }
    text
}
