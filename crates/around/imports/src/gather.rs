//! What the importers found, put together: each line is somebody's, the same run printed twice is one result, and what
//! is nobody's is told.

use crate::pieces::{Pieces, RESULTS_MAX};
use crate::{Import, Piece, Text, Unread};
use model::imported::{Imported, LatencyFigures};
use std::collections::HashMap;

/// The results with their file and lines, and the lines that are in none of them.
pub fn gathered(name: &str, pieces: Pieces, text: Option<&Text>) -> Import {
    let mut import = Import::default();
    if pieces.is_cut() {
        let why = format!("only the first {RESULTS_MAX} results of a file are read");
        import.unread.push(Unread { lines: None, why });
    }
    let mut pieces = pieces.into_all();
    pieces.sort_by_cached_key(|(_, piece)| piece.lines.first().map(|range| range.start));
    let told = told_twice(&pieces);
    let mut owner: Vec<Option<&'static str>> = vec![None; text.map_or(0, |text| text.lines.len())];
    for ((id, mut piece), is_told) in pieces.into_iter().zip(told) {
        // Two importers that know the same line: the one whose piece begins first has it. Pieces of one importer may
        // share a line, as in a page that lost its line ends.
        let is_others = |line: &Option<&str>| line.is_some_and(|other| other != id);
        if piece.lines.iter().any(|range| {
            owner
                .get(range.clone())
                .is_some_and(|all| all.iter().any(is_others))
        }) {
            continue;
        }
        for range in &piece.lines {
            if let Some(lines) = owner.get_mut(range.clone()) {
                lines.fill(Some(id));
            }
        }
        if let (Some(first), Some(last)) = (piece.lines.first(), piece.lines.last()) {
            piece.imported.lines = Some((first.start as u64 + 1, last.end as u64));
        }
        import.unread.extend(piece.unread);
        if is_told {
            continue;
        }
        piece.imported.importer = id.into();
        piece.imported.file = name.into();
        without_nonsense(&mut piece.imported);
        without_length(&mut piece.imported);
        import.results.push(piece.imported);
    }
    if let Some(text) = text {
        import.unread.extend(nobodys(text, &owner));
    }
    import.unread.sort_by_key(|unread| unread.lines);
    import
}

/// The longest name that is kept, and the longest of any other text, characters: they are shown in lists, and lists are answered whole.
const NAME_MAX: usize = 200;
const FACT_MAX: usize = 4_000;

/// Cuts off what is longer than any name that is one.
fn without_length(imported: &mut Imported) {
    let cut = |text: &mut String, most: usize| {
        if let Some((at, _)) = text.char_indices().nth(most) {
            text.truncate(at);
            text.push('…');
        }
    };
    [&mut imported.name, &mut imported.tool]
        .into_iter()
        .for_each(|text| cut(text, NAME_MAX));
    imported
        .lossy
        .iter_mut()
        .for_each(|text| cut(text, FACT_MAX));
    imported
        .facts
        .values_mut()
        .for_each(|text| cut(text, FACT_MAX));
    imported.facts.retain(|name, _| name.len() <= NAME_MAX);
    for series in &mut imported.series {
        [&mut series.field, &mut series.subject, &mut series.unit]
            .into_iter()
            .for_each(|text| cut(text, NAME_MAX));
    }
}

/// Whether the pieces hold every line of the text that is not empty.
pub fn holds_all(text: &Text, found: &[(&'static str, Piece)]) -> bool {
    let mut is_held = vec![false; text.lines.len()];
    for range in found.iter().flat_map(|(_, piece)| &piece.lines) {
        if let Some(lines) = is_held.get_mut(range.clone()) {
            lines.fill(true);
        }
    }
    text.lines
        .iter()
        .zip(&is_held)
        .all(|(line, is_held)| *is_held || !line.contains(char::is_alphanumeric))
}

/// Jobs of one name that are compared with each other; more are not told apart by it.
const SAME_NAME_MAX: usize = 64;

/// Which pieces repeat another: fio can print one run as JSON and as text (`--output-format=json,normal`). The JSON is
/// the result, the text says the same with fewer digits.
fn told_twice(pieces: &[(&'static str, Piece)]) -> Vec<bool> {
    let mut json: HashMap<&str, Vec<&Imported>> = HashMap::new();
    for (_, piece) in pieces.iter().filter(|(id, _)| *id == "fio_json") {
        let same = json.entry(&piece.imported.name).or_default();
        if same.len() < SAME_NAME_MAX {
            same.push(&piece.imported);
        }
    }
    let is_told = |(id, piece): &(&str, Piece)| {
        let same = json
            .get(piece.imported.name.as_str())
            .filter(|_| *id == "fio_text");
        same.is_some_and(|same| same.iter().any(|json| is_same_run(json, &piece.imported)))
    };
    pieces.iter().map(is_told).collect()
}

fn is_same_run(json: &Imported, text: &Imported) -> bool {
    let (Some(exact), Some(rounded)) = (&json.load, &text.load) else {
        return false;
    };
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 0.006 * a.abs().max(b.abs()) + 1.0,
        _ => true,
    };
    json.name == text.name
        && rounded.sides().filter(|(name, _)| *name != "sync").count() > 0
        && rounded
            .sides()
            .filter(|(name, _)| *name != "sync")
            .all(|(name, side)| {
                let same = exact.sides().find(|(other, _)| *other == name);
                same.is_some_and(|(_, other)| {
                    close(other.iops, side.iops)
                        && close(other.bytes_per_s, side.bytes_per_s)
                        && other.ios.is_some()
                })
            })
}

/// Why a line is told: nobody knows it.
pub const NOBODYS: &str = "no importer knows these lines";

/// Runs of lines that are in no piece and hold a letter or a digit: rules and dots say nothing.
fn nobodys(text: &Text, owner: &[Option<&'static str>]) -> Vec<Unread> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut is_open = false;
    for (index, line) in text.lines.iter().enumerate() {
        let number = index as u64 + 1;
        if owner[index].is_some() {
            is_open = false;
        } else if line.contains(char::is_alphanumeric) {
            match runs.last_mut() {
                Some(run) if is_open => run.1 = number,
                _ => runs.push((number, number)),
            }
            is_open = true;
        }
    }
    runs.into_iter()
        .map(|lines| Unread {
            lines: Some(lines),
            why: NOBODYS.into(),
        })
        .collect()
}

/// Takes out figures that a damaged text made greater than any number: none is more honest than infinity.
fn without_nonsense(imported: &mut Imported) {
    let is_odd = |value: &mut f64| !value.is_finite();
    if let Some(load) = &mut imported.load {
        let sides = [
            &mut load.read,
            &mut load.write,
            &mut load.trim,
            &mut load.sync,
            &mut load.mixed,
        ];
        for side in sides.into_iter().flatten() {
            for figure in [&mut side.bytes, &mut side.iops, &mut side.bytes_per_s] {
                figure.take_if(is_odd);
            }
            side.latencies.iter_mut().for_each(without_odd_latencies);
            for samples in [&mut side.iops_samples, &mut side.bytes_per_s_samples] {
                samples.take_if(|one| {
                    ![one.min, one.max, one.mean, one.stddev]
                        .into_iter()
                        .all(f64::is_finite)
                });
            }
        }
        for operation in &mut load.operations {
            operation.per_s.take_if(is_odd);
            operation.latency.iter_mut().for_each(without_odd_latencies);
        }
    }
    for series in &mut imported.series {
        for value in &mut series.values {
            value.take_if(is_odd);
        }
    }
}

fn without_odd_latencies(latency: &mut LatencyFigures) {
    let figures = [
        &mut latency.min_ns,
        &mut latency.mean_ns,
        &mut latency.stddev_ns,
        &mut latency.max_ns,
    ];
    for figure in figures {
        figure.take_if(|value| !value.is_finite());
    }
    latency.percentiles.retain(|(_, value)| value.is_finite());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_end_is_cut_off() {
        let long = "ä".repeat(5_000_000);
        let mut imported = Imported {
            name: long.clone(),
            facts: [("short".into(), long.clone()), (long, "x".into())].into(),
            ..Imported::default()
        };
        without_length(&mut imported);
        assert_eq!(imported.name.chars().count(), NAME_MAX + 1);
        assert_eq!(imported.facts.len(), 1);
        assert_eq!(imported.facts["short"].chars().count(), FACT_MAX + 1);
    }
}
