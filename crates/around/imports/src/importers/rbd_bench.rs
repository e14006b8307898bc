//! # rbd bench
//!
//! The result of `rbd bench`, and its lines of every second as series.
//!
//! ## What it reads
//! `bench  type write io_size 4096 io_threads 16 …`, the table `SEC OPS OPS/SEC BYTES/SEC`, and the line `elapsed: … ops: …
//! ops/sec: … bytes/sec: …`, of Ceph 0.8x (`bench-write`) to 19. Rates are of bytes, or have a unit (`MiB/s`).
//!
//! ## What is lost
//! rbd bench prints no latencies, and the elapsed time in whole seconds. Rows are means over the last five of them.
//!
//! ## Example
//! `rbd bench --io-type write --io-size 4K --io-threads 16 --io-total 1G pool/image >rbd.txt; iodyno import rbd.txt`

use crate::pieces::Pieces;
use crate::printed::number::{leading, number, size_factor};
use crate::printed::series::PrintedSeries;
use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text};
use model::imported::{Imported, LoadFigures, SideFigures};
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "rbd_bench",
    since: "0.1",
    reads: "rbd bench",
    how: How::Text(find),
};

/// What is being read.
#[derive(Default)]
struct OpenRbdBench {
    lines: Vec<std::ops::Range<usize>>,
    facts: BTreeMap<String, String>,
    series: PrintedSeries,
}

fn find(text: &Text, pieces: &mut Pieces) {
    let mut open = OpenRbdBench::default();
    let mut in_table = false;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let line_range = index..index + 1;
        if let Some(facts) = head(&words) {
            open = OpenRbdBench {
                facts,
                ..OpenRbdBench::default()
            };
            if let Some((command, at)) = commands::above(text, index, "rbd") {
                open.facts.insert("command".into(), command.join(" "));
                open.lines.push(at..at + 1);
            }
            open.lines.push(line_range);
        } else if words == ["SEC", "OPS", "OPS/SEC", "BYTES/SEC"] {
            in_table = true;
            open.lines.push(line_range);
        } else if let Some(load) = total(&words) {
            open.lines.push(line_range);
            pieces.push(std::mem::take(&mut open).finish(load));
            in_table = false;
        } else if in_table && !line.is_empty() {
            match row(&words) {
                Some((at_ms, iops, rate)) => {
                    let subject = "";
                    open.series
                        .push("rbd_bench.ops_per_s", subject, "/s", at_ms, Some(iops));
                    open.series.push(
                        "rbd_bench.bytes_per_s",
                        subject,
                        "bytes/s",
                        at_ms,
                        Some(rate),
                    );
                    open.lines.push(line_range);
                }
                None => in_table = false,
            }
        }
    }
}

/// `bench  type write io_size 4096 io_threads 16 bytes 1073741824 pattern sequential`; `bench-write  io_size …` of old ones.
fn head(words: &[&str]) -> Option<BTreeMap<String, String>> {
    let (first, rest) = words.split_first()?;
    let is_old = *first == "bench-write";
    if !is_old && *first != "bench" || !rest.contains(&"io_size") {
        return None;
    }
    let mut facts = BTreeMap::new();
    if is_old {
        facts.insert("rw".to_string(), "write".to_string());
    }
    for pair in rest.chunks_exact(2) {
        let name = match pair[0] {
            "type" => "rw",
            "io_size" => "bs",
            "io_threads" => "iodepth",
            "bytes" => "size",
            other => other,
        };
        facts.insert(name.into(), pair[1].into());
    }
    Some(facts)
}

/// `elapsed:     9  ops:   262144  ops/sec: 27513.67  bytes/sec: 112695976.96`
fn total(words: &[&str]) -> Option<LoadFigures> {
    if words.first() != Some(&"elapsed:") {
        return None;
    }
    let after = |name: &str| Some(&words[words.iter().position(|word| *word == name)? + 1..]);
    let seconds = number(after("elapsed:")?.first()?)?;
    let ios = number(after("ops:")?.first()?)?;
    let iops = number(after("ops/sec:")?.first()?)?;
    let rate = rate(after("bytes/sec:")?)?;
    let side = SideFigures {
        ios: (ios >= 0.0).then_some(ios as u64),
        iops: Some(iops),
        bytes_per_s: Some(rate),
        ..SideFigures::default()
    };
    Some(LoadFigures {
        elapsed_ms: Some(seconds * 1e3),
        mixed: Some(side),
        ..LoadFigures::default()
    })
}

/// `112695976.96`, or `107 MiB/s` of newer ones.
fn rate(words: &[&str]) -> Option<f64> {
    let (value, unit) = leading(words.first()?)?;
    let unit = if unit.is_empty() {
        words.get(1).copied().unwrap_or("B")
    } else {
        unit
    };
    Some(value * size_factor(unit, true)?)
}

fn row(words: &[&str]) -> Option<(f64, f64, f64)> {
    let [second, _, iops, ..] = words else {
        return None;
    };
    let rate = rate(words.get(3..)?)?;
    Some((number(second)? * 1e3, number(iops)?, rate))
}

impl OpenRbdBench {
    fn finish(self, mut load: LoadFigures) -> Piece {
        let direction = self.facts.get("rw").map(String::as_str);
        let mut lossy = vec!["rbd bench prints no latencies".to_string()];
        match (direction, load.mixed.take()) {
            (Some("write"), side) => load.write = side,
            (Some("read"), side) => load.read = side,
            (_, side) => {
                lossy.push("the line that tells reads from writes is missing".into());
                load.mixed = side;
            }
        }
        let imported = Imported {
            tool: "rbd bench".into(),
            name: "rbd bench".into(),
            lossy,
            load: Some(load),
            series: self.series.finish(),
            facts: self.facts,
            ..Imported::default()
        };
        Piece {
            lines: self.lines,
            imported,
            unread: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{only, series};

    #[test]
    fn bytes_and_units_of_two_versions() {
        let found = only("rbd_bench/luminous.txt");
        let side = found.load.as_ref().unwrap().write.as_ref().unwrap();
        assert_eq!(
            (side.ios, side.iops, side.bytes_per_s),
            (Some(262_144), Some(27_513.67), Some(112_695_992.32))
        );
        assert_eq!(
            (found.facts["bs"].as_str(), found.facts["iodepth"].as_str()),
            ("4096", "16")
        );
        assert_eq!(found.lines, Some((1, 7)));
        assert_eq!(
            series(&found, "rbd_bench.ops_per_s", "").values[2],
            Some(27_167.84)
        );
        let found = only("rbd_bench/quincy.txt");
        let side = found.load.as_ref().unwrap().read.as_ref().unwrap();
        assert_eq!(
            (side.iops, side.bytes_per_s),
            (Some(118.5), Some(474.0 * 1_048_576.0))
        );
        assert_eq!(
            series(&found, "rbd_bench.bytes_per_s", "").values[0],
            Some(481.0 * 1_048_576.0)
        );
    }
}
