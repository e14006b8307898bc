//! The rows of elbencho's CSV file.

use super::Phase;
use crate::pieces::Pieces;
use crate::printed::moment::iso_unix_ms;
use crate::printed::number::number;
use crate::{Piece, Text, Unread};
use model::imported::{LatencyFigures, SideFigures};
use std::collections::HashMap;

const MIB: f64 = 1_048_576.0;

/// The phases of all CSV tables of a text: below a head that names `operation` and `time ms [last]`.
pub fn find(text: &Text, pieces: &mut Pieces) {
    // What the other form of the same text gave is not continued here.
    let begun = pieces.own().count();
    let mut names: Option<(Vec<String>, usize)> = None;
    for (index, line) in text.lines.iter().enumerate() {
        if line.contains("operation") && line.contains("time ms [last]") {
            names = Some((cells(line), index));
            continue;
        }
        let Some((head, at)) = &names else { continue };
        if line.trim().is_empty() {
            continue;
        }
        let row = cells(line);
        if row.len() != head.len() {
            if row.len() * 2 < head.len() {
                // Another text follows.
                names = None;
            } else if let Some(piece) = pieces.own_mut().skip(begun).last() {
                let number = index as u64 + 1;
                let why = "this row does not have its table's columns".into();
                piece.unread.push(Unread {
                    lines: Some((number, number)),
                    why,
                });
                piece.lines.push(index..index + 1);
            }
            continue;
        }
        let values: HashMap<&str, &str> = head
            .iter()
            .map(String::as_str)
            .zip(row.iter().map(String::as_str))
            .collect();
        if let Some(imported) = phase(&values).finish() {
            let mut piece = Piece::new(index..index + 1, imported);
            let is_first = !pieces
                .own()
                .skip(begun)
                .any(|piece| piece.lines.first().is_some_and(|lines| lines.start == *at));
            if is_first {
                piece.lines.insert(0, *at..*at + 1);
            }
            pieces.push(piece);
        }
    }
}

fn phase(values: &HashMap<&str, &str>) -> Phase {
    let get = |name: &str| values.get(name).copied().filter(|value| !value.is_empty());
    let number_of = |name: &str| get(name).and_then(number);
    let side = |prefix: &str| {
        let name = |rest: &str| format!("{prefix}{rest}");
        let mib = |rest: &str| number_of(&name(rest)).map(|mib| mib * MIB);
        let us = |rest: &str| number_of(&name(rest)).map(|us| us * 1e3);
        let mean_ns = us("IO lat us [avg]");
        let latency = LatencyFigures {
            kind: "lat".into(),
            min_ns: us("IO lat us [min]"),
            mean_ns,
            max_ns: us("IO lat us [max]"),
            ..LatencyFigures::default()
        };
        SideFigures {
            iops: number_of(&name("IOPS [last]")),
            bytes_per_s: mib("MiB/s [last]"),
            bytes: mib("MiB [last]"),
            latencies: mean_ns.map(|_| latency).into_iter().collect(),
            ..SideFigures::default()
        }
    };
    let date = get("ISO date").or_else(|| get("date"));
    let mut phase = Phase {
        operation: get("operation").unwrap_or_default().into(),
        elapsed_ms: number_of("time ms [last]"),
        side: side(""),
        read_beside: side("rwmix read "),
        tool: get("version")
            .map(|version| format!("elbencho {version}"))
            .unwrap_or_default(),
        measured_unix_ms: date.and_then(iso_unix_ms),
        lossy: vec!["rates are rounded to whole numbers".into()],
        ..Phase::default()
    };
    let settings = [
        ("label", "label"),
        ("hosts", "hosts"),
        ("threads", "numjobs"),
        ("block size", "bs"),
        ("file size", "size"),
        ("direct IO", "direct"),
        ("random", "random"),
        ("IO depth", "iodepth"),
        ("path type", "path_type"),
        ("command", "command"),
        ("IOPS [first]", "first_done.IOPS"),
        ("MiB/s [first]", "first_done.MiB/s"),
    ];
    for (column, fact) in settings {
        phase
            .facts
            .extend(get(column).map(|value| (fact.to_string(), value.to_string())));
    }
    phase
}

/// The cells of a row: quotation marks hold commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for c in line.trim().chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            _ => cells
                .iter_mut()
                .next_back()
                .into_iter()
                .for_each(|cell| cell.push(c)),
        }
    }
    cells
}
