//! The lines of a result, in any order: settings, operations, rates.

use crate::printed::number::{leading, number, size_factor};
use crate::printed::series::PrintedSeries;
use crate::printed::sysbench::{SysbenchSums, SysbenchTest, after, count, interval};
use model::imported::{Imported, LoadFigures, SideFigures};
use std::collections::BTreeMap;

const MIB: f64 = 1_048_576.0;

/// A result that is being read.
#[derive(Default)]
pub struct FileioRun {
    sums: SysbenchSums,
    facts: BTreeMap<String, String>,
    read: SideFigures,
    write: SideFigures,
    sync: SideFigures,
    /// All operations, and those a second.
    total: SideFigures,
    series: PrintedSeries,
    /// It has lines that only the fileio test prints.
    is_fileio: bool,
    is_old: bool,
}

impl SysbenchTest for FileioRun {
    fn line(&mut self, line: &str) -> bool {
        self.setting(line)
            || self.old(line)
            || self.labelled(line)
            || self.sums.line(line)
            || self.interval(line)
    }

    fn finish(mut self, _command: Option<&[&str]>) -> Option<Imported> {
        let has_rates = [&self.read, &self.write]
            .iter()
            .any(|side| side.iops.is_some() || side.ios.is_some());
        if !has_rates || !(self.is_fileio || self.is_old || self.read.bytes_per_s.is_some()) {
            return None;
        }
        if self.is_old {
            self.rates_of_totals();
        }
        self.total.ios = self.sums.events;
        self.total.latencies.extend(self.sums.event_latency());
        let (units, lossy) = self.remarks();
        self.facts.extend(self.sums.facts());
        let has = |side: &SideFigures| side.ios.unwrap_or(0) > 0 || side.iops.unwrap_or(0.0) > 0.0;
        let load = LoadFigures {
            elapsed_ms: self.sums.elapsed_ms,
            read: Some(self.read).filter(has),
            write: Some(self.write).filter(has),
            sync: Some(self.sync).filter(has),
            mixed: Some(self.total).filter(|side| *side != SideFigures::default()),
            ..LoadFigures::default()
        };
        Some(Imported {
            tool: self.sums.tool(),
            name: "sysbench fileio".into(),
            lossy,
            units,
            load: Some(load),
            series: self.series.finish(),
            facts: self.facts,
            ..Imported::default()
        })
    }
}

impl FileioRun {
    /// What stands before the test: `128 files, 16MiB each`.
    fn setting(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, value) = match words[..] {
            ["Block", "size", size] => ("bs", size.to_string()),
            [size, "total", "file", "size"] => ("size", size.to_string()),
            [count, "files,", _, "each"] => ("nrfiles", count.to_string()),
            ["Using", mode, "I/O", "mode"] => ("io_mode", mode.to_string()),
            ["Extra", "file", "open", "flags:", ..] => ("flags", words[4..].join(" ")),
            ["Doing", .., "test"] => ("rw", words[1..words.len() - 1].join(" ")),
            [
                "Periodic",
                "FSYNC",
                "enabled,",
                "calling",
                "fsync()",
                "each",
                count,
                ..,
            ] => ("fsync", count.to_string()),
            ["Read/Write", "ratio", .., ratio] => ("read_write_ratio", ratio.to_string()),
            _ => return false,
        };
        self.facts.insert(name.into(), value);
        self.is_fileio = true;
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
                let count = count(pair[0]);
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
            ("File operations", []) => true,
            ("reads/s", _) => set(&mut self.read.iops, value),
            ("writes/s", _) => set(&mut self.write.iops, value),
            ("fsyncs/s", _) => set(&mut self.sync.iops, value),
            ("read, MiB/s", _) => set(&mut self.read.bytes_per_s, value.map(|mib| mib * MIB)),
            ("written, MiB/s", _) => set(&mut self.write.bytes_per_s, value.map(|mib| mib * MIB)),
            ("read", _) => iops(&mut self.read, &words),
            ("write", _) => iops(&mut self.write, &words),
            ("fsync", _) => iops(&mut self.sync, &words),
            _ => false,
        }
    }

    /// `[ 10s ] reads: 12.34 MiB/s writes: 8.23 MiB/s fsyncs: 1684.22/s latency (ms,95%): 0.123`
    fn interval(&mut self, line: &str) -> bool {
        let Some((at_ms, words)) = interval(line) else {
            return false;
        };
        let (Some(read), Some(write)) = (after(&words, "reads:"), after(&words, "writes:")) else {
            return false;
        };
        let syncs = after(&words, "fsyncs:").and_then(|word| number(word.trim_end_matches("/s")));
        let mib = |word: &str| number(word).map(|value| value * MIB);
        for (field, unit, value) in [
            ("sysbench.read_bytes_per_s", "bytes/s", mib(read)),
            ("sysbench.write_bytes_per_s", "bytes/s", mib(write)),
            ("sysbench.fsyncs_per_s", "/s", syncs),
        ] {
            self.series.push(field, "", unit, at_ms, value);
        }
        true
    }

    /// 0.4 prints totals, 1.0 rates; the rates follow from the time, which 0.4 prints too.
    fn rates_of_totals(&mut self) {
        let seconds = self
            .sums
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

    /// What was decided about units, and what is lost.
    fn remarks(&self) -> (Vec<String>, Vec<String>) {
        let mut lossy = vec![
            "latencies are of reads, writes and fsyncs together, rounded to 10 \u{b5}s".to_string(),
        ];
        let mut units = Vec::new();
        if self.is_old {
            units.push("Mb of sysbench 0.4 is 1,048,576 bytes, and so on".to_string());
        } else {
            lossy.push(
                "rates are rounded to two digits after the point; how many I/Os there were is not printed"
                    .into(),
            );
        }
        (units, lossy)
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
