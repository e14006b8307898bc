//! The table that elbencho prints.

use super::Phase;
use crate::pieces::Pieces;
use crate::printed::number::{leading, number, time_factor_ns};
use crate::printed::{clean, commands};
use crate::{Piece, Text};
use model::imported::{LatencyFigures, SideFigures};
use std::ops::Range;

/// The phases of all tables of a text.
pub fn find(text: &Text, pieces: &mut Pieces) {
    let mut command: Option<(String, usize)> = None;
    let mut in_table = false;
    let mut open: Option<(Vec<Range<usize>>, Phase)> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.starts_with(&["OPERATION", "RESULT", "TYPE"]) {
            in_table = true;
            command =
                commands::above(text, index, "elbencho").map(|(words, at)| (words.join(" "), at));
            pieces.extend(open.take().and_then(finish));
            let mut lines = Vec::new();
            lines.extend(command.as_ref().map(|(_, at)| *at..*at + 1));
            lines.push(index..index + 1);
            open = Some((lines, Phase::default()));
            continue;
        }
        if !in_table || words.is_empty() {
            continue;
        }
        let Some((label, values)) = line.split_once(" : ").or_else(|| line.split_once(": ")) else {
            if line.starts_with('=') {
                open.iter_mut()
                    .for_each(|(lines, _)| lines.push(index..index + 1));
            } else if line == "---" {
                pieces.extend(open.take().and_then(finish));
            } else {
                in_table = false;
            }
            continue;
        };
        let values: Vec<&str> = values.split_whitespace().collect();
        let label: Vec<&str> = label.split_whitespace().collect();
        if label.ends_with(&["Elapsed", "time"]) || label.ends_with(&["Elapsed", "ms"]) {
            // The head's own lines belong to the first phase.
            let is_headed = open
                .as_ref()
                .is_some_and(|(_, phase)| phase.operation.is_empty());
            let before = if is_headed {
                open.take().map(|(lines, _)| lines)
            } else {
                None
            };
            pieces.extend(open.take().and_then(finish));
            let mut phase = begin(&label, &values);
            phase.facts.extend(
                command
                    .as_ref()
                    .map(|(words, _)| ("command".to_string(), words.clone())),
            );
            open = Some((before.unwrap_or_default(), phase));
        }
        if let Some((lines, phase)) = open.as_mut() {
            lines.push(index..index + 1);
            phase.line(&label, &values);
        }
    }
    pieces.extend(open.and_then(finish));
}

fn finish((lines, phase): (Vec<Range<usize>>, Phase)) -> Option<Piece> {
    Some(Piece {
        lines,
        imported: phase.finish()?,
        unread: Vec::new(),
    })
}

fn begin(label: &[&str], values: &[&str]) -> Phase {
    let is_ms = label.last() == Some(&"ms");
    let time = |word: &&str| {
        if is_ms {
            number(word)
        } else {
            elapsed_ms(word)
        }
    };
    let mut phase = Phase {
        operation: label[..label.len() - 2].join(" "),
        elapsed_ms: values.last().and_then(time),
        lossy: vec!["rates are rounded to whole numbers".into()],
        ..Phase::default()
    };
    phase.facts.extend(
        values
            .first()
            .map(|first| ("first_done.elapsed".to_string(), first.to_string())),
    );
    phase
}

/// `2m3.241s`, `845ms`, `1h2m3s`
fn elapsed_ms(word: &str) -> Option<f64> {
    let mut rest = word;
    let mut total = 0.0;
    while !rest.is_empty() {
        let (value, after) = leading(rest)?;
        let end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, more) = after.split_at(end);
        total += value * time_factor_ns(unit)? / 1e6;
        rest = more;
    }
    Some(total)
}

impl Phase {
    fn line(&mut self, label: &[&str], values: &[&str]) {
        let last = values.last().and_then(|word| number(word));
        let label = label.join(" ");
        let is_beside = label.ends_with(" read") || label.starts_with("IO rd ");
        let side = if is_beside {
            &mut self.read_beside
        } else {
            &mut self.side
        };
        match label.trim_end_matches(" write").trim_end_matches(" read") {
            "IOPS" => side.iops = last,
            "Throughput MiB/s" | "MiB/s" => side.bytes_per_s = last.map(|mib| mib * 1_048_576.0),
            "Throughput MB/s" | "MB/s" => side.bytes_per_s = last.map(|mb| mb * 1e6),
            "Total MiB" | "MiB" => side.bytes = last.map(|mib| mib * 1_048_576.0),
            "Total MB" | "MB" => side.bytes = last.map(|mb| mb * 1e6),
            "IO latency" | "IO wr latency" | "IO rd latency" => times(side, values, None),
            // Before version 3 the unit stood in the label.
            "IO lat us" | "IO wr lat us" | "IO rd lat us" | "IO latency us" => {
                times(side, values, Some(1e3))
            }
            "IO lat % us" | "IO wr lat % us" | "IO rd lat % us" => percentiles(side, values),
            _ => return,
        }
        if let [first, _] = values
            && number(first).is_some()
        {
            self.facts
                .insert(format!("first_done.{label}"), (*first).to_string());
        }
        if label.contains("lat % us") {
            let note = "percentiles are the ends of buckets, a quarter of a power of two wide";
            self.lossy.push(note.into());
        }
    }
}

fn latency(side: &mut SideFigures) -> &mut LatencyFigures {
    if side.latencies.is_empty() {
        side.latencies.push(LatencyFigures {
            kind: "lat".into(),
            ..LatencyFigures::default()
        });
    }
    &mut side.latencies[0]
}

/// `[ min=12us avg=1.23ms max=45.6ms ]`, or numbers of the label's unit, ns.
fn times(side: &mut SideFigures, values: &[&str], unit_ns: Option<f64>) {
    let latency = latency(side);
    for word in values {
        let Some((name, value)) = word.split_once('=') else {
            continue;
        };
        let ns = leading(value)
            .and_then(|(value, unit)| Some(value * unit_ns.or_else(|| time_factor_ns(unit))?));
        match name {
            "min" => latency.min_ns = ns,
            "avg" => latency.mean_ns = ns,
            "max" => latency.max_ns = ns,
            _ => {}
        }
    }
}

/// `[ 1%<=64 50%<=91 75%<=108 99%<=181 ]`
fn percentiles(side: &mut SideFigures, values: &[&str]) {
    let pairs = values.iter().filter_map(|word| {
        let (per_cent, us) = word.split_once("%<=")?;
        Some((number(per_cent)?, number(us)? * 1e3))
    });
    latency(side).percentiles = pairs.collect();
}
