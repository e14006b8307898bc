//! Four ways to choose a scheduler on one device: the grids of fio runs that people make, and a tune.

use crate::kept::{self, Kept};
use crate::tune::Asked;
use kit::targets::LoopDevice;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

const TABLE: &str = "grid";
/// The scheduler that is found in place.
const FOUND: &str = "bfq";
const DISK: &str = "loop device with direct I/O on this machine's disk";
const MEMORY: &str = "loop device over a file in memory";
/// The way whose runs are long enough to tell what each value is worth.
const LONG: &str = "fio, 3 × 60 s each";
const SHORT: &str = "fio, 10 s each";
const ABBA: &str = "fio, there and back, 15 s a leg";
const TUNE: &str = "iodyno tune";
const WAYS: [&str; 4] = [LONG, SHORT, ABBA, TUNE];

/// One choice on one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// Day, in UTC.
    date: String,
    /// Device and way.
    row: String,
    /// The value that it ended with.
    chosen: String,
    /// Device time, s.
    device_s: f64,
    /// IOPS that it measured of each value: `none=81234 bfq=60123`; empty for a tune.
    rates: String,
}

impl Kept for Choice {
    const FILE: &'static str = "choices.csv";

    fn place(&self) -> (&str, &str) {
        (TABLE, &self.row)
    }

    fn words(&self) -> String {
        format!("{}: {}, {:.0} s", self.row, self.chosen, self.device_s)
    }
}

/// Makes so many more choices and writes the table of all.
///
/// # Errors
/// The machine has no such devices, fio fails, or a tune gave no verdict.
pub fn measure(binary: &str, count: usize) -> Result<(), String> {
    let rows: Vec<String> = [DISK, MEMORY]
        .iter()
        .flat_map(|device| WAYS.map(|way| format!("{device}: {way}")))
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let choices = kept::more(TABLE, &rows, count, |row| choose(row, binary))?;
    kit::results::publish(TABLE, &text(&choices))
}

fn choose(row: &str, binary: &str) -> Result<Choice, String> {
    let bytes = 256 << 20;
    let device = match row.starts_with(DISK) {
        true => LoopDevice::attach(bytes)?,
        false => LoopDevice::in_memory(bytes)?,
    };
    let scheduler = Scheduler::of(&device);
    scheduler.set(FOUND)?;
    let legs = match row.rsplit(": ").next() {
        Some(LONG) => scheduler.legs(3, 60)?,
        Some(SHORT) => scheduler.legs(1, 10)?,
        Some(ABBA) => scheduler.there_and_back(15)?,
        _ => return tuned(row, binary, &scheduler),
    };
    let mut rates: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (value, seconds) in &legs {
        scheduler.set(value)?;
        let rate = fio(&scheduler.device, *seconds)?;
        rates.entry(value.clone()).or_default().push(rate);
    }
    let means = rates
        .iter()
        .map(|(value, rates)| (value, stats::mean(rates)));
    let best = means.clone().max_by(|a, b| a.1.total_cmp(&b.1));
    let told = means.map(|(value, rate)| format!("{value}={rate:.0}"));
    Ok(Choice {
        date: kit::results::date(),
        row: row.into(),
        chosen: best
            .map(|(value, _)| value.clone())
            .ok_or("nothing to choose from")?,
        device_s: legs.iter().map(|(_, seconds)| *seconds as f64).sum(),
        rates: told.collect::<Vec<_>>().join(" "),
    })
}

fn tuned(row: &str, binary: &str, scheduler: &Scheduler) -> Result<Choice, String> {
    let asked = Asked {
        place: [TABLE, row],
        truth: 0.0,
    };
    let words = [&scheduler.device, "--knob", "scheduler"];
    let (run, arm) = asked.chosen(binary, &words)?;
    Ok(Choice {
        date: run.date,
        row: row.into(),
        chosen: arm,
        device_s: run.device_s,
        rates: String::new(),
    })
}

/// The scheduler of a device.
struct Scheduler {
    device: String,
    file: String,
    /// What was there before, to be put back.
    before: Option<String>,
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            let _ = self.set(&before);
        }
    }
}

impl Scheduler {
    fn of(device: &LoopDevice) -> Scheduler {
        let name = device.path().file_name().unwrap_or_default();
        let file = format!("/sys/block/{}/queue/scheduler", name.to_string_lossy());
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let chosen = |word: &str| Some(word.strip_prefix('[')?.strip_suffix(']')?.to_string());
        Scheduler {
            device: device.path().to_string_lossy().into_owned(),
            before: text.split_whitespace().find_map(chosen),
            file,
        }
    }

    fn set(&self, value: &str) -> Result<(), String> {
        std::fs::write(&self.file, value)
            .map_err(|error| format!("{}: {value}: {error}", self.file))
    }

    /// The values that the device offers.
    fn values(&self) -> Result<Vec<String>, String> {
        let text = std::fs::read_to_string(&self.file);
        let text = text.map_err(|error| format!("{}: {error}", self.file))?;
        let words = text.split_whitespace();
        Ok(words
            .map(|word| word.trim_matches(['[', ']']).to_string())
            .collect())
    }

    /// One value after the other, each so often for so many seconds.
    fn legs(&self, times: usize, seconds: u64) -> Result<Vec<(String, u64)>, String> {
        let values = self.values()?.into_iter();
        Ok(values
            .flat_map(|value| std::iter::repeat_n((value, seconds), times))
            .collect())
    }

    /// Every value once, and once more in the opposite order.
    fn there_and_back(&self, seconds: u64) -> Result<Vec<(String, u64)>, String> {
        let there = self.legs(1, seconds)?;
        Ok([there.clone(), there.into_iter().rev().collect()].concat())
    }
}

/// IOPS of random reads.
fn fio(device: &str, seconds: u64) -> Result<f64, String> {
    let words = "--name=grid --readonly --direct=1 --ioengine=io_uring --iodepth=32 --rw=randread --bs=4k --time_based \
                 --randrepeat=0 --output-format=json";
    let output = Command::new("fio")
        .args(words.split_whitespace())
        .args([
            format!("--filename={device}"),
            format!("--runtime={seconds}"),
        ])
        .output()
        .map_err(|error| format!("fio: {error}"))?;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    document["jobs"][0]["read"]["iops"]
        .as_f64()
        .ok_or_else(|| format!("fio: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// IOPS of each value in truth, as far as the long runs of all rounds tell.
fn truth(choices: &[&Choice]) -> BTreeMap<String, f64> {
    let mut rates: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for choice in choices.iter().filter(|choice| choice.row.ends_with(LONG)) {
        for (value, rate) in choice
            .rates
            .split(' ')
            .filter_map(|word| word.split_once('='))
        {
            let rate = rate.parse().unwrap_or(f64::NAN);
            rates.entry(value.into()).or_default().push(rate);
        }
    }
    rates
        .into_iter()
        .map(|(value, rates)| (value, stats::mean(&rates)))
        .collect()
}

fn text(choices: &[Choice]) -> String {
    let mut text = format!(
        "{}, {}, {} choices in random order, {FOUND} in place before each. Regret is what the best value gives more than the chosen \
         one, by the means of all runs of 60 s; those are the first way's own, which favours it.\n",
        kit::results::machine(),
        choices.last().map_or("", |choice| &choice.date),
        choices.len(),
    );
    for device in [DISK, MEMORY] {
        let here = choices.iter().filter(|one| one.row.starts_with(device));
        text += &table(device, &here.collect::<Vec<_>>());
    }
    text
}

fn table(device: &str, choices: &[&Choice]) -> String {
    let truth = truth(choices);
    let values = truth
        .iter()
        .map(|(value, rate)| format!("{value} {rate:.0}"));
    let mut text = format!(
        "\n### A {device}\n\nIOPS by the long runs: {}.\n\n| way | choices | chosen | regret %: mean, worst | device time s: mean | less than \
         the first way |\n|---|---|---|---|---|---|\n",
        values.collect::<Vec<_>>().join(", ")
    );
    let of = |way: &str| -> Vec<&Choice> {
        let all = choices.iter().filter(|one| one.row.ends_with(way));
        all.copied().collect()
    };
    let seconds =
        |way: &str| stats::mean(&of(way).iter().map(|one| one.device_s).collect::<Vec<_>>());
    for way in WAYS.into_iter().filter(|way| !of(way).is_empty()) {
        let regrets = regrets(&of(way), &truth);
        let _ = writeln!(
            text,
            "| {way} | {} | {} | {:.1}, {:.1} | {:.0} | {:.1} times |",
            regrets.len(),
            counted(&of(way)),
            stats::mean(&regrets),
            regrets.iter().copied().fold(0.0, f64::max),
            seconds(way),
            seconds(LONG) / seconds(way)
        );
    }
    text
}

/// What the best value gives more than each chosen one, %.
fn regrets(choices: &[&Choice], truth: &BTreeMap<String, f64>) -> Vec<f64> {
    let best = truth.values().copied().fold(0.0, f64::max);
    let regret = |one: &&Choice| {
        let rate = truth.get(&one.chosen).copied().unwrap_or(f64::NAN);
        100.0 * (best / rate - 1.0)
    };
    choices.iter().map(regret).collect()
}

/// `none 3, kyber 1`.
fn counted(choices: &[&Choice]) -> String {
    let mut chosen: BTreeMap<&str, usize> = BTreeMap::new();
    for one in choices {
        *chosen.entry(&one.chosen).or_default() += 1;
    }
    let words = chosen
        .iter()
        .map(|(value, times)| format!("{value} {times}"));
    words.collect::<Vec<_>>().join(", ")
}
