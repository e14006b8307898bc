//! The sums at the end of rados bench, and the results that they are of.

use super::rows::{self, RadosBenchRow};
use crate::fio_json::value::{self, NUMBER_MAX, Value, number};
use crate::importers::fio_text::values::plain;
use crate::importers::fio_text::{CommandFacts, ranges};
use crate::json_in_text;
use crate::pieces::Pieces;
use crate::{Piece, Text, Unread};
use model::imported::{Imported, LatencyFigures, LoadFigures, Samples, SideFigures};
use model::units;
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

const MIB: f64 = 1_048_576.0;

/// Words of the text with the key that the JSON has for the same.
const SUMS: [(&str, &str); 20] = [
    ("Total time run", "total_time_run"),
    ("Total writes made", "total_writes_made"),
    ("Total reads made", "total_reads_made"),
    ("Write size", "write_size"),
    ("Read size", "read_size"),
    ("Object size", "object_size"),
    ("Bandwidth (MB/sec)", "bandwidth"),
    ("Stddev Bandwidth", "stddev_bandwidth"),
    ("Max bandwidth (MB/sec)", "max_bandwidth"),
    ("Min bandwidth (MB/sec)", "min_bandwidth"),
    ("Average IOPS", "average_iops"),
    ("Stddev IOPS", "stddev_iops"),
    ("Max IOPS", "max_iops"),
    ("Min IOPS", "min_iops"),
    ("Average Latency", "average_latency"),
    ("Stddev Latency", "stddev_latency"),
    ("Max latency", "max_latency"),
    ("Min latency", "min_latency"),
    ("Max Latency", "max_latency"),
    ("Min Latency", "min_latency"),
];

/// A part of the text, wherever in a line it stands.
static PARTS: LazyLock<Regex> = LazyLock::new(|| {
    let sums: Vec<String> = SUMS.iter().map(|(word, _)| regex::escape(word)).collect();
    let sums = sums.join("|");
    #[allow(clippy::expect_used)]
    Regex::new(&format!(
        r"(rados +(?:-[A-Za-z-]+[ =][!-~]+ +)*bench[ -~]*? (?:write|seq|rand)(?: +--?[a-z-]+(?:[= ][0-9A-Za-z]+)?)*)|(Maintaining +([0-9]+) +concurrent +(?:writes|reads)(?: of ([0-9]+) bytes)?[ -~]*?objects)|(sec +Cur ops +started +finished +avg MB/s +cur MB/s +last lat(?:\(s\))? +avg lat(?:\(s\))?)|({sums})(?:\(s\))? *: *([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|-?nan|-?inf)?|(hints = [0-9])|(Object prefix: benchmark_data_([!-~]+)_[0-9]+)|(Cleaning up \(deleting benchmark objects\)|Removed [0-9]+ objects|Clean up completed and total clean up time *:[0-9.]+)"
    ))
    // The words are constants, and tests read all of them.
    .expect("a constant pattern")
});

/// A result while it is read.
#[derive(Default)]
struct Bench {
    command: Option<String>,
    concurrent: Option<String>,
    /// Of the client, in the names of the objects.
    host: Option<String>,
    sums: BTreeMap<&'static str, f64>,
    /// Sums without a number, with their line.
    gaps: Vec<(usize, String)>,
    rows: Vec<RadosBenchRow>,
    is_in_rows: bool,
    lines: Vec<usize>,
}

/// The results of a text.
pub fn of_text(text: &Text, pieces: &mut Pieces) {
    let mut bench = Bench::default();
    for (index, line) in text.lines.iter().enumerate() {
        let words = [
            ":",
            "rados",
            "Cur ops",
            "hints =",
            "Maintaining",
            "Cleaning",
            "Removed",
        ];
        if !bench.is_in_rows && !words.iter().any(|word| line.contains(word)) {
            continue;
        }
        let line = plain(line);
        let mut from = 0;
        for found in PARTS.captures_iter(&line) {
            let Some(whole) = found.get(0) else { continue };
            bench.rows_of(&line[from..whole.start()], index);
            from = whole.end();
            if bench.is_over_at(&found) {
                pieces.extend(std::mem::take(&mut bench).piece());
            }
            if found.get(11).is_none() || !bench.lines.is_empty() {
                bench.take(&found, index);
            }
        }
        bench.rows_of(&line[from..], index);
    }
    pieces.extend(bench.piece());
}

impl Bench {
    /// Whether a part begins another run.
    fn is_over_at(&self, found: &regex::Captures) -> bool {
        let key = found.get(6).and_then(|word| key_of(word.as_str()));
        match key {
            // What is cleaned up are the objects of this run.
            None if found.get(11).is_some() => false,
            Some(key) => self.sums.contains_key(key),
            None => !self.sums.is_empty(),
        }
    }

    fn take(&mut self, found: &regex::Captures, line: usize) {
        self.lines.push(line);
        self.is_in_rows = found.get(5).is_some();
        if let Some(command) = found.get(1) {
            // Where lines run together, what rados prints first looks like an option's value.
            let command = command.as_str().trim_end_matches(" hints");
            self.command = Some(command.chars().take(1_000).collect());
        }
        if let Some(host) = found.get(10) {
            self.host = Some(host.as_str().chars().take(100).collect());
        }
        if found.get(2).is_some() {
            self.concurrent = found.get(3).map(|count| count.as_str().to_string());
        }
        if let Some(key) = found.get(6).and_then(|word| key_of(word.as_str())) {
            let number = found
                .get(7)
                .and_then(|number| number.as_str().parse::<f64>().ok());
            match number.filter(|number| number.abs() < NUMBER_MAX) {
                Some(number) => drop(self.sums.insert(key, number)),
                None => self.gaps.push((line, found[6].to_string())),
            }
        }
    }

    /// Text between the heading of the rows and the sums.
    fn rows_of(&mut self, text: &str, line: usize) {
        if self.is_in_rows && !text.trim().is_empty() {
            let before = self.rows.len();
            rows::read(text, &mut self.rows);
            if self.rows.len() > before || text.contains("min lat:") {
                self.lines.push(line);
            }
        }
    }

    fn piece(self) -> Option<Piece> {
        let mut facts = CommandFacts::new();
        if let Some(command) = &self.command {
            facts.extend(command_facts(command));
        }
        if let Some(host) = &self.host {
            facts.insert("host".into(), host.clone());
        }
        if let Some(count) = &self.concurrent {
            facts.insert("iodepth".into(), count.clone());
        }
        let mut imported = imported(&self.sums, facts)?;
        imported.series = rows::series(&self.rows);
        let unread = self.gaps.into_iter().map(|(line, word)| Unread {
            lines: Some((line as u64 + 1, line as u64 + 1)),
            why: format!("no number stands after `{word}`"),
        });
        Some(Piece {
            lines: ranges(self.lines),
            imported,
            unread: unread.collect(),
        })
    }
}

fn key_of(word: &str) -> Option<&'static str> {
    SUMS.iter()
        .find(|(text, _)| *text == word)
        .map(|(_, key)| *key)
}

/// `rados bench -p gemfield 10 write --no-cleanup`: pool, mode, seconds, sizes.
fn command_facts(command: &str) -> CommandFacts {
    let mut facts = CommandFacts::new();
    let words: Vec<&str> = command.split_ascii_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*word, words.get(at + 1).copied()),
        };
        let name = match option {
            "-p" | "--pool" => "pool",
            "-t" | "--concurrent-ios" => "iodepth",
            "-b" | "--block-size" => "bs",
            "write" | "seq" | "rand" if at > 0 => {
                facts.insert("mode".into(), (*word).into());
                continue;
            }
            _ => continue,
        };
        if let Some(value) = value {
            facts.insert(name.into(), value.into());
        }
    }
    facts.insert("command".into(), command.trim().into());
    facts
}

/// The results of the JSON documents of a text.
pub fn of_json(text: &Text, pieces: &mut Pieces) {
    let words = ["total_time_run", "\"datas\"", "concurrent_ios"];
    let documents = json_in_text::documents(text, &words, document);
    let piece = |(lines, imported): (Range<usize>, Imported)| {
        let before = lines.start.checked_sub(1);
        let hints = before.filter(|line| text.lines[*line].trim().starts_with("hints ="));
        Piece::new(hints.unwrap_or(lines.start)..lines.end, imported)
    };
    let said = documents.filter_map(|document| Some((document.lines, document.said.ok()??)));
    pieces.extend(said.map(piece));
}

/// The result in the document that a text begins with, where there is one, and how many bytes the document takes.
fn document(text: &str) -> Result<(Option<Imported>, usize), String> {
    let (document, used) = value::parse(text)?;
    let sums = SUMS
        .iter()
        .filter_map(|(_, key)| Some((*key, number(&document, key)?)))
        .collect();
    let mut facts = CommandFacts::new();
    if let Some(count) = number(&document, "concurrent_ios") {
        facts.insert("iodepth".into(), units::whole(count));
    }
    let imported = imported(&sums, facts).map(|mut imported| {
        let datas = document.get("datas").into_iter().flat_map(Value::items);
        let rows: Vec<RadosBenchRow> = datas.filter_map(row_of_json).collect();
        imported.series = rows::series(&rows);
        imported
    });
    Ok((imported, used))
}

fn row_of_json(value: &Value) -> Option<RadosBenchRow> {
    let row = value.as_map()?;
    Some(RadosBenchRow {
        second: number(row, "sec")?.max(0.0) as u64,
        finished: number(row, "finished")?,
        mib_per_s: number(row, "cur_bw"),
        last_s: number(row, "last_lat"),
    })
}

/// The sums by the JSON's keys.
struct Sums<'a>(&'a BTreeMap<&'static str, f64>);

impl Sums<'_> {
    fn get(&self, key: &str) -> Option<f64> {
        self.0.get(key).copied()
    }

    /// How many I/Os it made, and whether they were writes.
    fn made(&self) -> (Option<f64>, Option<bool>) {
        match (self.get("total_writes_made"), self.get("total_reads_made")) {
            (Some(writes), None) => (Some(writes), Some(true)),
            (None, Some(reads)) => (Some(reads), Some(false)),
            _ => (None, None),
        }
    }

    fn seconds(&self) -> Option<f64> {
        self.get("total_time_run").filter(|seconds| *seconds > 0.0)
    }

    /// Bytes of an I/O.
    fn size(&self) -> Option<f64> {
        self.get("write_size").or(self.get("read_size"))
    }

    fn latency(&self, made: Option<f64>) -> LatencyFigures {
        let ns = |key| self.get(key).map(|seconds| seconds * 1e9);
        LatencyFigures {
            kind: "lat".into(),
            count: made.map(|made| made as u64),
            min_ns: ns("min_latency"),
            mean_ns: ns("average_latency"),
            stddev_ns: ns("stddev_latency"),
            max_ns: ns("max_latency"),
            ..LatencyFigures::default()
        }
    }

    /// Least, greatest, mean and deviation. Ceph prints a random number for the deviation of the IOPS of writes in JSON.
    fn samples(&self, keys: [&str; 4], factor: f64, lossy: &mut Vec<String>) -> Option<Samples> {
        let [min, max, mean, stddev] = keys.map(|key| self.get(key).map(|value| value * factor));
        let samples = Samples {
            count: 0,
            min: min?,
            max: max?,
            mean: mean?,
            stddev: stddev?,
        };
        let is_possible = samples.stddev <= (samples.max - samples.min).max(0.0) + 1e-6;
        if !is_possible {
            let why =
                "a deviation that is larger than the range it is of (a fault of Ceph) is left out";
            lossy.push(why.into());
        }
        is_possible.then_some(samples)
    }

    /// None where neither rate is said.
    fn side(&self, lossy: &mut Vec<String>) -> Option<SideFigures> {
        let (made, _) = self.made();
        let bytes_per_s = self.get("bandwidth").map(|mib| mib * MIB);
        let exact = made
            .zip(self.seconds())
            .map(|(made, seconds)| made / seconds);
        let iops = exact.or(self.get("average_iops"));
        if bytes_per_s.is_none() && iops.is_none() {
            return None;
        }
        let latency = self.latency(made);
        let bandwidth = [
            "min_bandwidth",
            "max_bandwidth",
            "bandwidth",
            "stddev_bandwidth",
        ];
        Some(SideFigures {
            ios: made.map(|made| made as u64),
            bytes: made.zip(self.size()).map(|(made, size)| made * size),
            iops,
            bytes_per_s,
            iops_samples: self.samples(
                ["min_iops", "max_iops", "average_iops", "stddev_iops"],
                1.0,
                lossy,
            ),
            bytes_per_s_samples: self.samples(bandwidth, MIB, lossy),
            latencies: latency
                .mean_ns
                .is_some()
                .then_some(latency)
                .into_iter()
                .collect(),
        })
    }
}

/// A result needs to say how many I/Os it made in which time, or its bandwidth.
fn imported(sums: &BTreeMap<&'static str, f64>, mut facts: CommandFacts) -> Option<Imported> {
    let sums = Sums(sums);
    let mut lossy = vec!["rados bench tells no percentiles".to_string()];
    let side = sums.side(&mut lossy)?;
    let elapsed_ms = sums.seconds().map(|seconds| seconds * 1e3);
    let mut load = LoadFigures {
        elapsed_ms,
        ..LoadFigures::default()
    };
    let mut mode = facts.get("mode").cloned().unwrap_or_default();
    let (word, place) = match sums.made().1 {
        Some(true) => ("write", &mut load.write),
        Some(false) => ("read", &mut load.read),
        None => {
            lossy.push("whether it read or wrote is not said".into());
            ("", &mut load.mixed)
        }
    };
    *place = Some(side);
    if mode.is_empty() {
        mode = word.into();
    }
    for (name, value) in [
        ("bs", sums.size()),
        ("object_size", sums.get("object_size")),
    ] {
        if let Some(bytes) = value {
            facts.insert(name.into(), model::units::size_word(bytes as u64));
        }
    }
    Some(Imported {
        tool: "rados bench".into(),
        name: format!("rados bench {mode}").trim_end().into(),
        lossy,
        units: vec!["MB of rados bench is MiB".into()],
        load: Some(load),
        facts,
        ..Imported::default()
    })
}
