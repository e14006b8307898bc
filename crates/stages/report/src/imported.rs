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

const HEAD: [&str; 9] = [
    "",
    "IOPS",
    "bandwidth",
    "latency",
    "mean",
    "p50",
    "p99",
    "p99.9",
    "max",
];

fn load_lines(load: &LoadFigures) -> Vec<String> {
    let mut rows = vec![HEAD.map(String::from)];
    for (name, side) in load.sides() {
        let mut first = [
            if name == "mixed" {
                "all".into()
            } else {
                name.to_string()
            },
            side.iops.map_or("-".into(), units::rate),
            side.bytes_per_s.map_or("-".into(), units::bytes_per_s),
        ];
        if side.latencies.is_empty() {
            rows.push(row(std::mem::take(&mut first), None));
        }
        for latency in &side.latencies {
            rows.push(row(std::mem::take(&mut first), Some(latency)));
        }
    }
    if rows.len() == 1 {
        return Vec::new();
    }
    aligned(rows.iter().map(|row| &row[..]), |at| matches!(at, 0 | 3))
}

fn row(first: [String; 3], latency: Option<&LatencyFigures>) -> [String; 9] {
    let [name, iops, bytes] = first;
    let ns = |value: Option<f64>| value.map_or("-".into(), units::duration_ns);
    let at = |per_cent: f64| {
        let latency = latency?;
        let told = latency
            .percentiles
            .iter()
            .find(|(other, _)| (other - per_cent).abs() < 1e-9)
            .map(|(_, ns)| *ns);
        told.or_else(|| {
            latency
                .histogram
                .as_ref()?
                .quantile_ns(per_cent / 100.0)
                .map(|ns| ns as f64)
        })
    };
    let kind = latency.map_or(String::new(), |latency| clean(&latency.kind).into_owned());
    [
        name,
        iops,
        bytes,
        kind,
        ns(latency.and_then(|latency| latency.mean_ns)),
        ns(at(50.0)),
        ns(at(99.0)),
        ns(at(99.9)),
        ns(latency.and_then(|latency| latency.max_ns)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::imported::SideFigures;

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
