//! What another tool measured, in words.

use super::other_series;
use super::text::{aligned, clean};
use model::imported::{Imported, LatencyFigures, LoadFigures};
use model::record::Record;
use model::units;

/// A record of an import, in lines.
pub fn lines(record: &Record, imported: &Imported) -> Vec<String> {
    let mut lines = vec![clean(&record.summary).into_owned()];
    let place = imported
        .lines
        .map_or(String::new(), |(first, last)| match first == last {
            true => format!(", line {first}"),
            false => format!(", lines {first} to {last}"),
        });
    lines.push(format!(
        "  from {}{place}, read as {}",
        clean(&imported.file),
        clean(&imported.importer)
    ));
    if let Some(load) = &imported.load {
        lines.extend(load_lines(load));
    }
    lines.extend(other_series::lines(&imported.series));
    let told = imported
        .facts
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "command" | "latency_shares"));
    let facts: Vec<String> = told
        .map(|(name, value)| format!("{}={}", clean(name), clean(value)))
        .collect();
    if !facts.is_empty() {
        lines.push(format!("  it says: {}", facts.join(" ")));
    }
    if let Some(command) = imported.facts.get("command") {
        lines.push(format!("  command: {}", clean(command)));
    }
    lines.extend(
        imported
            .units
            .iter()
            .map(|unit| format!("  unit: {}", clean(unit))),
    );
    lines.extend(
        imported
            .lossy
            .iter()
            .map(|loss| format!("  lossy: {}", clean(loss))),
    );
    lines
}

/// Percentiles that have a column.
const PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];
/// One more, of tools that tell this one alone.
const OF_SYSBENCH: f64 = 95.0;

fn load_lines(load: &LoadFigures) -> Vec<String> {
    let percentiles = percentiles(load);
    let mut rows = Vec::new();
    for (name, side) in load.sides() {
        let name = if name == "mixed" { "all" } else { name };
        let mut first = [
            name.to_string(),
            side.iops.map_or("-".into(), units::rate),
            side.bytes_per_s.map_or("-".into(), units::bytes_per_s),
        ];
        if side.latencies.is_empty() {
            rows.push(row(std::mem::take(&mut first), None, &percentiles));
        }
        for latency in &side.latencies {
            rows.push(row(std::mem::take(&mut first), Some(latency), &percentiles));
        }
    }
    let mut lines = with_head("IOPS", &percentiles, rows);
    let operations = load.operations.iter().map(|operation| {
        let rate = operation
            .per_s
            .map(|per_s| format!("{}/s", units::rate(per_s)));
        let first = [
            clean(&operation.name).into_owned(),
            rate.unwrap_or("-".into()),
            "-".into(),
        ];
        row(first, operation.latency.as_ref(), &percentiles)
    });
    lines.extend(with_head("rate", &percentiles, operations.collect()));
    lines
}

/// The percentiles that are shown, ascending.
fn percentiles(load: &LoadFigures) -> Vec<f64> {
    let of_sides = load.sides().flat_map(|(_, side)| &side.latencies);
    let of_operations = load
        .operations
        .iter()
        .filter_map(|one| one.latency.as_ref());
    let is_needed = |latency: &LatencyFigures| {
        latency.percentile_ns(OF_SYSBENCH).is_some() && latency.percentile_ns(99.0).is_none()
    };
    let mut shown = PERCENTILES.to_vec();
    if of_sides.chain(of_operations).any(is_needed) {
        shown.insert(1, OF_SYSBENCH);
    }
    shown
}

/// A table of rows below its head; nothing where there are none.
fn with_head(rate: &str, percentiles: &[f64], rows: Vec<Vec<String>>) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let first = ["", rate, "bandwidth", "latency", "mean"].map(String::from);
    let listed = percentiles.iter().map(|per_cent| format!("p{per_cent}"));
    let head: Vec<String> = first
        .into_iter()
        .chain(listed)
        .chain(["max".into()])
        .collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    aligned(rows.iter().map(|row| &row[..]), |at| matches!(at, 0 | 3))
}

fn row(first: [String; 3], latency: Option<&LatencyFigures>, percentiles: &[f64]) -> Vec<String> {
    let ns = |value: Option<f64>| value.map_or("-".into(), units::duration_ns);
    let kind = latency.map_or(String::new(), |latency| clean(&latency.kind).into_owned());
    let mean = ns(latency.and_then(|latency| latency.mean_ns));
    let listed = percentiles
        .iter()
        .map(|per_cent| ns(latency.and_then(|latency| latency.percentile_ns(*per_cent))));
    let max = ns(latency.and_then(|latency| latency.max_ns));
    first
        .into_iter()
        .chain([kind, mean])
        .chain(listed)
        .chain([max])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::imported::{OperationFigures, SideFigures};

    #[test]
    fn transactions_have_a_table_of_their_own_with_the_percentile_that_is_told() {
        let transactions = OperationFigures {
            name: "transactions".into(),
            count: Some(33_768),
            per_s: Some(1_688.01),
            latency: Some(LatencyFigures {
                kind: "lat".into(),
                mean_ns: Some(9.47e6),
                percentiles: vec![(95.0, 15.27e6)],
                max_ns: Some(71.2e6),
                ..LatencyFigures::default()
            }),
        };
        let queries = OperationFigures {
            name: "queries".into(),
            per_s: Some(10_128.04),
            ..OperationFigures::default()
        };
        let load = LoadFigures {
            operations: vec![transactions, queries],
            ..LoadFigures::default()
        };
        let lines = load_lines(&load);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(
            !lines[0].contains("IOPS") && lines[0].contains("p95"),
            "{lines:?}"
        );
        assert!(lines[1].contains("transactions  1.69 k/s") && lines[1].contains("15.3 ms"));
        assert!(lines[2].contains("10.1 k/s"), "{lines:?}");
    }

    #[test]
    fn every_direction_and_latency_has_a_line() {
        let latency = |kind: &str, mean| LatencyFigures {
            kind: kind.into(),
            mean_ns: Some(mean),
            percentiles: vec![(99.0, 9.6e6)],
            ..LatencyFigures::default()
        };
        let side = SideFigures {
            iops: Some(20_100.0),
            bytes_per_s: Some(82.5e6),
            latencies: vec![latency("slat", 7.5e3), latency("clat", 3.2e6)],
            ..SideFigures::default()
        };
        let load = LoadFigures {
            read: Some(side),
            ..LoadFigures::default()
        };
        let lines = load_lines(&load);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(
            lines[1].contains("read  20.1 k") && lines[1].contains("slat"),
            "{}",
            lines[1]
        );
        assert!(
            lines[2].trim_start().starts_with("clat") && lines[2].contains("9.60 ms"),
            "{}",
            lines[2]
        );
    }
}
