//! What another tool printed over time: one chart for each of its measures.

use super::FigureLook;
use super::lines::{FigureLine, FigureLines};
use crate::figure::Figure;
use crate::reduce::ReduceStep;
use model::imported::{Imported, ImportedSeries};
use model::record::Record;
use view::scale::Quantity;

/// The most charts of one record.
const MOST_CHARTS: usize = 8;
const MOST_LINES: usize = 6;

/// The charts.
pub fn figures(record: &Record) -> Vec<Figure> {
    let Some(imported) = record.imported() else {
        return Vec::new();
    };
    let mut fields: Vec<(&str, &str)> = Vec::new();
    for series in &imported.series {
        let key = (series.field.as_str(), series.unit.as_str());
        // One value is no course of time: the tables have it.
        if series.values.iter().flatten().count() > 1 && !fields.contains(&key) {
            fields.push(key);
        }
    }
    fields
        .iter()
        .take(MOST_CHARTS)
        .filter_map(|key| chart(imported, *key))
        .collect()
}

fn chart(imported: &Imported, (field, unit): (&str, &str)) -> Option<Figure> {
    let (quantity, factor) = quantity(unit);
    let of_field = || {
        imported
            .series
            .iter()
            .filter(|series| series.field == field && series.unit == unit)
    };
    let line = |(index, series): (usize, &ImportedSeries)| {
        let name = if series.subject.is_empty() {
            "value".into()
        } else {
            series.subject.clone()
        };
        FigureLine {
            name,
            look: look(field, index),
            steps: steps(series, factor),
        }
    };
    let left_out = of_field().count().saturating_sub(MOST_LINES);
    let rest = if left_out > 0 {
        format!(" {left_out} more series are in the record only.")
    } else {
        String::new()
    };
    let unit_word = if quantity == Quantity::Count && !unit.is_empty() {
        format!(", in {unit}")
    } else {
        String::new()
    };
    FigureLines {
        id: format!("series-{}", super::id_part(field)),
        measure: format!("{field}{unit_word}"),
        quantity,
        lines: of_field().take(MOST_LINES).enumerate().map(line).collect(),
        is_log: quantity == Quantity::Ns,
        caption: format!(
            "As {} printed it in {}.{rest}",
            imported.tool, imported.file
        ),
        gap_reason: "the source has no value then".into(),
    }
    .figure()
}

/// The look of a line of a chart: reads and writes begin with theirs.
fn look(field: &str, index: usize) -> FigureLook {
    let (first, last) = match field {
        f if f.contains("read") => (Some(FigureLook::Read), None),
        f if f.contains("write") => (Some(FigureLook::Write), None),
        _ => (None, Some(FigureLook::Read)),
    };
    let others = [
        FigureLook::Ink,
        FigureLook::Sync,
        FigureLook::Discard,
        FigureLook::Fifth,
        FigureLook::Sixth,
    ];
    let mut looks = first.into_iter().chain(others).chain(last);
    looks.nth(index).unwrap_or(FigureLook::Ink)
}

/// Values stand for the interval that ends at their moment.
fn steps(series: &ImportedSeries, factor: f64) -> Vec<ReduceStep> {
    let times = &series.time_ms;
    let first = match times.as_slice() {
        [first, second, ..] => (second - first).min(*first).max(0.0),
        [only] => *only,
        [] => 0.0,
    };
    let step = |(index, value): (usize, &Option<f64>)| {
        let to = times.get(index).copied()?;
        let from = index
            .checked_sub(1)
            .and_then(|before| times.get(before))
            .copied()
            .unwrap_or(to - first);
        Some(ReduceStep {
            from: from / 1e3,
            to: to / 1e3,
            value: value.map(|value| value * factor),
        })
    };
    series.values.iter().enumerate().filter_map(step).collect()
}

/// What a unit measures, and the factor to our own unit of it.
fn quantity(unit: &str) -> (Quantity, f64) {
    match unit {
        "ns" => (Quantity::Ns, 1.0),
        "us" | "µs" => (Quantity::Ns, 1e3),
        "ms" => (Quantity::Ns, 1e6),
        "s" => (Quantity::Ns, 1e9),
        "bytes/s" => (Quantity::BytesPerS, 1.0),
        "KiB/s" => (Quantity::BytesPerS, 1024.0),
        "MiB/s" => (Quantity::BytesPerS, 1_048_576.0),
        "bytes" => (Quantity::Bytes, 1.0),
        "KiB" => (Quantity::Bytes, 1024.0),
        "per cent" | "percent" | "%" => (Quantity::Percent, 1.0),
        "IOPS" | "iops" => (Quantity::Iops, 1.0),
        "/s" => (Quantity::PerSecond, 1.0),
        _ => (Quantity::Count, 1.0),
    }
}
