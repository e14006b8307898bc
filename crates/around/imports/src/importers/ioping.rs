//! # ioping
//!
//! The latency of single requests: the statistics that ioping prints at its end, and its lines as a series.
//!
//! ## What it reads
//! `--- … ioping statistics ---` with the two or three lines below, and the lines `request=1 time=84 us` above, of ioping 0.6
//! to 1.3. `min/avg/max/mdev` is the latency `lat`.
//!
//! ## What is lost
//! Numbers are rounded to three digits or so. ioping waits a second between requests unless told otherwise (`-i`, `-R`), so
//! its rate is that of one request after another and not what the disk can do: `iops` is requests by their own time. When
//! each request was made is not printed: the series has them a second apart, and says so.
//!
//! ## Example
//! `ioping -c 20 -D /srv >ioping.txt; iodyno import ioping.txt`

use crate::pieces::Pieces;
use crate::printed::number::{leading, number, size_factor, time_factor_ns};
use crate::printed::series::PrintedSeries;
use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text, Unread};
use model::imported::{Imported, LatencyFigures, LoadFigures, SideFigures};
use std::collections::BTreeMap;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "ioping",
    since: "0.1",
    reads: "ioping 0.6 to 1.3",
    how: How::Text(find),
};

const APART: &str = "when each request was made is not printed: they are taken as a second apart";

/// The lines of requests above the statistics.
#[derive(Default)]
struct Requests {
    lines: Vec<usize>,
    latencies_ms: Vec<(f64, f64)>,
    is_write: Option<bool>,
    size_bytes: Option<f64>,
}

fn find(text: &Text, pieces: &mut Pieces) {
    let mut requests = Requests::default();
    let mut index = 0;
    while index < text.lines.len() {
        let line = clean(text.lines[index]);
        if requests.line(index, line) {
            index += 1;
            continue;
        }
        match target(line) {
            Some(target) => {
                let (piece, next) = statistics(text, index, target, std::mem::take(&mut requests));
                pieces.extend(piece);
                index = next;
            }
            None => index += 1,
        }
    }
}

impl Requests {
    /// `4 KiB <<< . (ext4 /dev/sda1 98.3 GiB): request=1 time=102.3 us (warmup)`, `4096 bytes from …`, `4.0 kb from …`
    fn line(&mut self, index: usize, line: &str) -> bool {
        let Some((before, rest)) = line.split_once("request=") else {
            return false;
        };
        let Some((number_text, time)) = rest.split_once(" time=") else {
            return false;
        };
        let (Some(request), Some(ns)) = (
            number(number_text),
            time_ns(&time.split_whitespace().collect::<Vec<_>>()),
        ) else {
            return false;
        };
        if request <= 1.0 {
            *self = Requests::default();
        }
        let words: Vec<&str> = before.split_whitespace().collect();
        self.is_write = match words
            .iter()
            .find(|word| ["<<<", ">>>", "from", "to"].contains(*word))
        {
            Some(&(">>>" | "to")) => Some(true),
            Some(_) => Some(false),
            None => self.is_write,
        };
        self.size_bytes = size(&words);
        self.lines.push(index);
        // The first is for warming up and is not in the statistics.
        if !time.contains("(warmup)") {
            self.latencies_ms.push(((request - 1.0) * 1e3, ns / 1e6));
        }
        true
    }
}

/// `--- . (ext4 /dev/sda1 98.3 GiB) ioping statistics ---`: the path, and what stands in brackets.
fn target(line: &str) -> Option<(&str, &str)> {
    // A typographer's dash stands for three hyphens in some pastes.
    let line = line
        .trim_matches(['-', '\u{2014}', '\u{2013}', ' '])
        .strip_suffix(" ioping statistics")?;
    let (path, within) = line.rsplit_once(" (")?;
    Some((path, within.strip_suffix(')')?))
}

fn statistics(
    text: &Text,
    index: usize,
    (path, within): (&str, &str),
    requests: Requests,
) -> (Option<Piece>, usize) {
    let below = Below::read(text, index, requests.is_write);
    if below.side == SideFigures::default() {
        return (None, index + 1);
    }
    let end = below.end;
    let facts = facts(path, within, &requests, below.is_write);
    let load = load(below.side, below.elapsed_ms, below.is_write);
    let mut piece = Piece::new(index..end, imported(load, facts, &requests));
    piece.unread = below.unread;
    let above = requests.lines.iter().map(|line| *line..line + 1);
    piece.lines.splice(0..0, above);
    let first = piece.lines.first().map_or(index, |lines| lines.start);
    if let Some((words, at)) = commands::above(text, first, "ioping") {
        piece
            .imported
            .facts
            .insert("command".into(), words.join(" "));
        piece.lines.insert(0, at..at + 1);
    }
    (Some(piece), end)
}

/// What the lines below the head of the statistics say.
struct Below {
    side: SideFigures,
    elapsed_ms: Option<f64>,
    is_write: Option<bool>,
    /// Past the last of them.
    end: usize,
    unread: Vec<Unread>,
}

impl Below {
    fn read(text: &Text, head: usize, is_write: Option<bool>) -> Below {
        let mut below = Below {
            side: SideFigures::default(),
            elapsed_ms: None,
            is_write,
            end: head + 1,
            unread: Vec::new(),
        };
        for (at, line) in text.lines.iter().enumerate().skip(head + 1).take(8) {
            let line = clean(line);
            let words: Vec<&str> = line.split_whitespace().collect();
            if line.is_empty() {
                continue;
            } else if line.contains("requests completed in") {
                below.requests(line, &words);
            } else if words.first() == Some(&"generated") {
                let generated = after(&words, "in").and_then(time_ns);
                below.elapsed_ms = generated.map(|ns| ns / 1e6).or(below.elapsed_ms);
            } else if line.starts_with("min/avg/max/mdev") {
                below.latency(at, line);
                below.end = at + 1;
                break;
            } else if !line.contains(" too fast,") && !line.contains(" too slow,") {
                break;
            }
            below.end = at + 1;
        }
        below
    }

    fn requests(&mut self, line: &str, words: &[&str]) {
        let writes = || line.contains(" written, ").then_some(true);
        let reads = || line.contains(" read, ").then_some(false);
        self.is_write = self.is_write.or_else(writes).or_else(reads);
        self.elapsed_ms = completed(words, &mut self.side);
    }

    fn latency(&mut self, at: usize, line: &str) {
        match latency(line) {
            Some(latency) => self.side.latencies.push(LatencyFigures {
                count: self.side.ios,
                ..latency
            }),
            None => {
                let number = at as u64 + 1;
                let why = "these are not four times".into();
                self.unread.push(Unread {
                    lines: Some((number, number)),
                    why,
                });
            }
        }
    }
}

fn load(side: SideFigures, elapsed_ms: Option<f64>, is_write: Option<bool>) -> LoadFigures {
    let mut load = LoadFigures {
        elapsed_ms,
        ..LoadFigures::default()
    };
    let place = match is_write {
        Some(true) => &mut load.write,
        Some(false) => &mut load.read,
        None => &mut load.mixed,
    };
    *place = Some(side);
    load
}

fn facts(
    path: &str,
    within: &str,
    requests: &Requests,
    is_write: Option<bool>,
) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::from([("target".to_string(), path.to_string())]);
    let mut words = within.split_whitespace();
    match (words.next(), words.next()) {
        (Some("device" | "block"), _) => {
            facts.insert("device".into(), path.into());
        }
        (Some(filesystem), Some(device)) => {
            facts.insert("filesystem".into(), filesystem.into());
            facts.insert("device".into(), device.into());
        }
        _ => {}
    }
    if let Some(is_write) = is_write {
        facts.insert("rw".into(), if is_write { "write" } else { "read" }.into());
    }
    if let Some(bytes) = requests.size_bytes {
        facts.insert("bs".into(), format!("{bytes}"));
    }
    facts
}

fn imported(load: LoadFigures, facts: BTreeMap<String, String>, requests: &Requests) -> Imported {
    let mut series = PrintedSeries::default();
    for (at_ms, latency_ms) in &requests.latencies_ms {
        series.push("ioping.latency_ms", "", "ms", *at_ms, Some(*latency_ms));
    }
    let mut lossy = vec!["times are rounded to three digits".to_string()];
    lossy.extend((!series.is_empty()).then(|| APART.to_string()));
    if load.mixed.is_some() {
        lossy.push("the text does not tell whether ioping read or wrote".into());
    }
    Imported {
        tool: "ioping".into(),
        name: "ioping".into(),
        lossy,
        units: vec![
            "iops is requests by the time that they took, without the pauses between them".into(),
        ],
        load: Some(load),
        series: series.finish(),
        facts,
        ..Imported::default()
    }
}

/// `9 requests completed in 2.64 ms, 36 KiB read, 3.41 k iops, 13.3 MiB/s`: fills the side; how long it says, ms.
fn completed(words: &[&str], side: &mut SideFigures) -> Option<f64> {
    let count_end = words.iter().position(|word| *word == "requests")?;
    side.ios = scaled_count(&words[..count_end]).map(|count| count as u64);
    let joined = words.join(" ");
    for part in joined.split(", ").skip(1) {
        let part: Vec<&str> = part.split(' ').collect();
        match part.as_slice() {
            [count @ .., "iops"] => side.iops = scaled_count(count),
            [.., "read" | "written"] => side.bytes = size(&part),
            [.., unit] if unit.ends_with("/s") => side.bytes_per_s = size(&part),
            _ => {}
        }
    }
    after(words, "in").and_then(time_ns).map(|ns| ns / 1e6)
}

/// `3.41 k`, `186`
fn scaled_count(words: &[&str]) -> Option<f64> {
    let value = number(words.first()?)?;
    Some(match words.get(1) {
        None => value,
        Some(&"k") => value * 1e3,
        Some(&"M") => value * 1e6,
        Some(&"G") => value * 1e9,
        Some(_) => return None,
    })
}

/// `217.5 us / 293.4 us / 365.2 us / 55.2 us`, and `0.2/2.8/12.7/5.0 ms` of old ones.
fn latency(line: &str) -> Option<LatencyFigures> {
    let (_, values) = line.split_once('=')?;
    let last_unit = values.split_whitespace().next_back()?;
    let parse = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        time_ns(&words).or_else(|| Some(number(words.first()?)? * time_factor_ns(last_unit)?))
    };
    let times: Vec<f64> = values.split('/').map(parse).collect::<Option<_>>()?;
    let [min, mean, max, stddev] = times[..] else {
        return None;
    };
    Some(LatencyFigures {
        kind: "lat".into(),
        min_ns: Some(min),
        mean_ns: Some(mean),
        max_ns: Some(max),
        stddev_ns: Some(stddev),
        ..LatencyFigures::default()
    })
}

fn after<'a, 'b>(words: &'b [&'a str], word: &str) -> Option<&'b [&'a str]> {
    let place = words.iter().position(|one| *one == word)?;
    words.get(place + 1..)
}

/// `102.3 us`, `9.00 s,`
fn time_ns(words: &[&str]) -> Option<f64> {
    let (value, unit) = leading(words.first()?)?;
    let unit = if unit.is_empty() {
        *words.get(1)?
    } else {
        unit
    };
    Some(value * time_factor_ns(unit)?)
}

/// `36 KiB`, `4096 bytes`, `1.4 mb/s`: ioping's are of 1024 throughout.
fn size(words: &[&str]) -> Option<f64> {
    let (value, unit) = leading(words.first()?)?;
    let unit = if unit.is_empty() {
        *words.get(1)?
    } else {
        unit
    };
    match unit {
        "bytes" | "B" | "B/s" => Some(value),
        _ => Some(value * size_factor(unit, true)?),
    }
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{only, series};

    #[test]
    fn statistics_and_requests_of_1_3() {
        let found = only("ioping/1.3-c6.txt");
        let load = found.load.as_ref().unwrap();
        let side = load.read.as_ref().unwrap();
        assert_eq!(
            (side.ios, side.iops, side.bytes),
            (Some(5), Some(3_900.0), Some(20.0 * 1024.0))
        );
        assert_eq!(
            (load.elapsed_ms, side.latencies[0].max_ns),
            (Some(5_000.0), Some(316_500.0))
        );
        assert_eq!(side.latencies[0].mean_ns.map(f64::round), Some(256_400.0));
        let requests = series(&found, "ioping.latency_ms", "");
        assert_eq!(
            requests.values,
            [0.3165, 0.2645, 0.2716, 0.1881, 0.2413].map(Some),
            "without the one to warm up"
        );
        assert_eq!(
            (
                found.facts["filesystem"].as_str(),
                found.facts["device"].as_str()
            ),
            ("ext4", "/dev/vda")
        );
        let write = only("ioping/1.3-write.txt");
        let side = write.load.as_ref().unwrap().write.as_ref().unwrap();
        assert_eq!(
            (side.ios, side.latencies[0].min_ns),
            (Some(4), Some(1_690_000.0))
        );
        let many = only("ioping/1.3-R.txt");
        assert_eq!(
            many.load.as_ref().unwrap().read.as_ref().unwrap().ios,
            Some(36_900)
        );
    }

    #[test]
    fn older_forms() {
        let found = only("ioping/0.9.txt");
        let load = found.load.as_ref().unwrap();
        assert_eq!(
            (load.elapsed_ms, load.read.as_ref().unwrap().iops),
            (Some(2_000.0), Some(2_000.0))
        );
        assert_eq!(found.facts["command"], "ioping -c 3 /srv");
        let found = only("ioping/0.6.txt");
        let side = found.load.as_ref().unwrap().read.as_ref().unwrap();
        assert_eq!(
            (side.bytes_per_s, side.latencies[0].max_ns),
            (Some(0.9 * 1_048_576.0), Some(12_700_000.0))
        );
        assert_eq!(found.facts["bs"], "4096");
    }
}
