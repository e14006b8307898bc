//! The lines of a result, in any order: settings, operations, rates, latency.

use crate::printed::number::{leading, number, size_factor};
use crate::printed::series::PrintedSeries;
use model::imported::{Imported, LatencyFigures, LoadFigures, SideFigures};
use std::collections::BTreeMap;

const MIB: f64 = 1_048_576.0;

/// A result that is being read.
#[derive(Default)]
pub struct Result {
    tool: String,
    facts: BTreeMap<String, String>,
    read: SideFigures,
    write: SideFigures,
    sync: SideFigures,
    latency: LatencyFigures,
    elapsed_ms: Option<f64>,
    /// All operations, and those a second.
    total: SideFigures,
    series: PrintedSeries,
    /// It has lines that only the fileio test prints.
    is_fileio: bool,
    is_old: bool,
}

/// The first line of a run.
pub fn is_begin(line: &str) -> bool {
    line.starts_with("sysbench 0.") || line.starts_with("sysbench 1.")
}

impl Result {
    /// Takes a line; false where it says nothing.
    pub fn line(&mut self, _index: usize, line: &str) -> bool {
        if is_begin(line) {
            let version = line
                .split_whitespace()
                .nth(1)
                .unwrap_or_default()
                .trim_end_matches(':');
            self.tool = format!("sysbench {version}");
            return true;
        }
        self.setting(line)
            || self.old(line)
            || self.labelled(line)
            || self.latency(line)
            || self.interval(line)
    }

    /// What stands before the test: `128 files, 16MiB each`.
    fn setting(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, value, is_fileio) = match words[..] {
            ["Number", "of", "threads:", count] => ("numjobs", count.to_string(), false),
            ["Block", "size", size] => ("bs", size.to_string(), true),
            [size, "total", "file", "size"] => ("size", size.to_string(), true),
            [count, "files,", _, "each"] => ("nrfiles", count.to_string(), true),
            ["Using", mode, "I/O", "mode"] => ("io_mode", mode.to_string(), true),
            ["Extra", "file", "open", "flags:", ..] => ("flags", words[4..].join(" "), true),
            ["Doing", .., "test"] => ("rw", words[1..words.len() - 1].join(" "), true),
            [
                "Periodic",
                "FSYNC",
                "enabled,",
                "calling",
                "fsync()",
                "each",
                count,
                ..,
            ] => ("fsync", count.to_string(), true),
            ["Read/Write", "ratio", .., ratio] => ("read_write_ratio", ratio.to_string(), true),
            _ => return false,
        };
        self.facts.insert(name.into(), value);
        self.is_fileio |= is_fileio;
        true
    }

    /// Lines of 0.4 and 0.5.
    fn old(&mut self, line: &str) -> bool {
        if let Some(rest) = line.strip_prefix("Operations performed:") {
            // `6001 Read, 3999 Write, 12801 Other = 22801 Total`; 0.5 writes `reads, … writes`.
            let words: Vec<&str> = rest
                .split([' ', ','])
                .filter(|word| !word.is_empty())
                .collect();
            for pair in words.windows(2) {
                let count = number(pair[0])
                    .filter(|count| *count >= 0.0)
                    .map(|count| count as u64);
                match pair[1].to_ascii_lowercase().as_str() {
                    "read" | "reads" => self.read.ios = count,
                    "write" | "writes" => self.write.ios = count,
                    "other" => self.sync.ios = count,
                    _ => {}
                }
            }
            self.is_old = true;
            return true;
        }
        if line.starts_with("Read ") && line.contains("Total transferred") {
            let words: Vec<&str> = line.split_whitespace().collect();
            let after = |name: &str| {
                let place = words.iter().position(|word| *word == name)?;
                let (value, unit) = leading(words.get(place + 1)?)?;
                Some(value * size_factor(unit, true)?)
            };
            self.read.bytes = after("Read");
            self.write.bytes = after("Written");
            self.is_old = true;
            return true;
        }
        match line.strip_suffix(" Requests/sec executed").and_then(number) {
            Some(rate) => {
                self.total.iops = Some(rate);
                self.is_old = true;
                true
            }
            None => false,
        }
    }

    /// Lines of 1.0 and 1.1.
    fn labelled(&mut self, line: &str) -> bool {
        let Some((name, rest)) = line.split_once(':') else {
            return false;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let value = words.first().and_then(|word| number(word));
        match (name.trim(), words.as_slice()) {
            ("File operations" | "Throughput" | "General statistics" | "Latency (ms)", []) => true,
            ("reads/s", _) => set(&mut self.read.iops, value),
            ("writes/s", _) => set(&mut self.write.iops, value),
            ("fsyncs/s", _) => set(&mut self.sync.iops, value),
            ("read, MiB/s", _) => set(&mut self.read.bytes_per_s, value.map(|mib| mib * MIB)),
            ("written, MiB/s", _) => set(&mut self.write.bytes_per_s, value.map(|mib| mib * MIB)),
            ("read", _) => iops(&mut self.read, &words),
            ("write", _) => iops(&mut self.write, &words),
            ("fsync", _) => iops(&mut self.sync, &words),
            ("total time", [time]) => {
                let seconds = time.strip_suffix('s').and_then(number);
                set(&mut self.elapsed_ms, seconds.map(|seconds| seconds * 1e3))
            }
            ("total number of events", _) => {
                let count = value
                    .filter(|count| *count >= 0.0)
                    .map(|count| count as u64);
                self.total.ios = count;
                count.is_some()
            }
            ("time elapsed", [time]) => {
                let seconds = time.strip_suffix('s').and_then(number);
                set(&mut self.elapsed_ms, seconds.map(|seconds| seconds * 1e3))
            }
            _ => false,
        }
    }

    /// `min:`, `avg:`, `max:`, `95th percentile:`, `approx.  95 percentile:`; 0.4 has `ms` behind the number.
    fn latency(&mut self, line: &str) -> bool {
        let Some((name, rest)) = line.split_once(':') else {
            return false;
        };
        let value = rest.trim();
        let Some(ms) = number(value.strip_suffix("ms").unwrap_or(value)) else {
            return false;
        };
        let ns = Some(ms * 1e6);
        match name.trim() {
            "min" => self.latency.min_ns = ns,
            "avg" => self.latency.mean_ns = ns,
            "max" => self.latency.max_ns = ns,
            "sum" => {}
            name => {
                let Some(per_cent) = name.strip_suffix("percentile") else {
                    return false;
                };
                let per_cent = per_cent
                    .trim()
                    .trim_start_matches("approx.")
                    .trim()
                    .trim_end_matches("th");
                let Some(per_cent) = number(per_cent) else {
                    return false;
                };
                self.latency.percentiles = vec![(per_cent, ms * 1e6)];
            }
        }
        true
    }

    /// `[ 10s ] reads: 12.34 MiB/s writes: 8.23 MiB/s fsyncs: 1684.22/s latency (ms,95%): 0.123`
    fn interval(&mut self, line: &str) -> bool {
        let Some((time, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']'))
        else {
            return false;
        };
        let Some(seconds) = time.trim().strip_suffix('s').and_then(number) else {
            return false;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let after = |name: &str| {
            words
                .iter()
                .position(|word| *word == name)
                .and_then(|at| words.get(at + 1))
        };
        let (Some(read), Some(write)) = (after("reads:"), after("writes:")) else {
            return false;
        };
        let at_ms = seconds * 1e3;
        let mib = |word: &str| number(word).map(|value| value * MIB);
        self.series
            .push("sysbench.read_bytes_per_s", "", "bytes/s", at_ms, mib(read));
        self.series.push(
            "sysbench.write_bytes_per_s",
            "",
            "bytes/s",
            at_ms,
            mib(write),
        );
        let syncs = after("fsyncs:").and_then(|word| number(word.trim_end_matches("/s")));
        self.series
            .push("sysbench.fsyncs_per_s", "", "/s", at_ms, syncs);
        true
    }

    /// 0.4 prints totals, 1.0 rates; the rates follow from the time, which 0.4 prints too.
    fn rates_of_totals(&mut self) {
        let seconds = self
            .elapsed_ms
            .map(|ms| ms / 1e3)
            .filter(|seconds| *seconds > 0.0);
        for side in [&mut self.read, &mut self.write, &mut self.sync] {
            side.iops = side
                .ios
                .zip(seconds)
                .map(|(ios, seconds)| ios as f64 / seconds);
            side.bytes_per_s = side
                .bytes
                .zip(seconds)
                .map(|(bytes, seconds)| bytes / seconds);
        }
    }

    /// The result; none where nothing of a fileio test is in it.
    pub fn finish(mut self) -> Option<Imported> {
        let has_rates = [&self.read, &self.write]
            .iter()
            .any(|side| side.iops.is_some() || side.ios.is_some());
        if !has_rates || !(self.is_fileio || self.is_old || self.read.bytes_per_s.is_some()) {
            return None;
        }
        if self.is_old {
            self.rates_of_totals();
        }
        let has = |side: &SideFigures| side.ios.unwrap_or(0) > 0 || side.iops.unwrap_or(0.0) > 0.0;
        if self.latency != LatencyFigures::default() {
            let latency = LatencyFigures {
                kind: "lat".into(),
                count: self.total.ios,
                ..std::mem::take(&mut self.latency)
            };
            self.total.latencies.push(latency);
        }
        let mut units = Vec::new();
        if self.is_old {
            units.push("Mb of sysbench 0.4 is 1,048,576 bytes, and so on".to_string());
        }
        let mut lossy = vec![
            "latencies are of reads, writes and fsyncs together, rounded to 10 \u{b5}s".to_string(),
        ];
        if !self.is_old {
            lossy.push(
                "rates are rounded to two digits after the point; how many I/Os there were is not printed"
                    .into(),
            );
        }
        let load = LoadFigures {
            elapsed_ms: self.elapsed_ms,
            read: Some(self.read).filter(has),
            write: Some(self.write).filter(has),
            sync: Some(self.sync).filter(has),
            mixed: Some(self.total).filter(|side| *side != SideFigures::default()),
            ..LoadFigures::default()
        };
        let tool = if self.tool.is_empty() {
            "sysbench".into()
        } else {
            self.tool
        };
        let name = "sysbench fileio".into();
        let series = self.series.finish();
        Some(Imported {
            tool,
            name,
            lossy,
            units,
            load: Some(load),
            series,
            facts: self.facts,
            ..Imported::default()
        })
    }
}

fn set(place: &mut Option<f64>, value: Option<f64>) -> bool {
    *place = value.or(*place);
    value.is_some()
}

/// `IOPS=1234.00 19.28 MiB/s (20.22 MB/s)`
fn iops(side: &mut SideFigures, words: &[&str]) -> bool {
    let Some(iops) = words
        .first()
        .and_then(|word| word.strip_prefix("IOPS="))
        .and_then(number)
    else {
        return false;
    };
    side.iops = Some(iops);
    if let [_, mib, "MiB/s", ..] = words {
        side.bytes_per_s = number(mib).map(|mib| mib * MIB);
    }
    true
}
