//! The table of a run: a row for each kind of operation.

use model::histogram::Histogram;
use model::job::Job;
use model::record::{Direction, LoadResult, Operation};
use model::units;

/// The percentiles of the table, in per cent, where the job names none; the last column is the slowest I/O.
const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];
/// More columns than these do not fit 80 characters.
const MOST_PERCENTILES: usize = 5;

/// Fewer I/Os than these are told one by one.
const FEW: u64 = 20;

/// Header and rows.
pub fn rows(job: &Job, load: &LoadResult) -> Vec<String> {
    let percentiles: Vec<f64> = match job.percentile_list.is_empty() {
        true => PERCENTILES.to_vec(),
        false => job
            .percentile_list
            .iter()
            .copied()
            .take(MOST_PERCENTILES)
            .collect(),
    };
    let named = [
        ("read", &load.read),
        ("write", &load.write),
        ("trim", &load.trim),
        ("sync", &load.sync),
    ];
    let done: Vec<(&str, &Direction)> = named
        .into_iter()
        .filter(|(_, direction)| direction.ios > 0)
        .collect();
    if done.is_empty() {
        return Vec::new();
    }
    // A device's own counters know no percentiles.
    let has_latency = done
        .iter()
        .any(|(_, direction)| direction.latency.total() > 0);
    let mut lines = vec![header(&percentiles, has_latency)];
    let one = |(name, direction): &(&str, &Direction)| {
        row(
            name,
            direction,
            load.elapsed_ms,
            if has_latency {
                Some(&percentiles)
            } else {
                None
            },
        )
    };
    lines.extend(done.iter().map(one));
    if let Some(service) = &load.service {
        let cells = cells(service, &percentiles);
        lines.push(format!("  {:<7}{:>9} {:>11} {cells}", "service", "", ""));
        lines.push(
            "  latencies count from when each I/O was due, `service` from its submission".into(),
        );
    }
    lines
}

fn header(percentiles: &[f64], has_latency: bool) -> String {
    let columns = format!("  {:<7}{:>9} {:>11}", "", "IOPS", "bandwidth");
    if !has_latency {
        return columns;
    }
    let names: String = percentiles
        .iter()
        .map(|percent| format!("{:>9}", format!("p{percent}")))
        .collect();
    format!("{columns} {names}{:>9}", "max")
}

fn row(name: &str, direction: &Direction, elapsed_ms: f64, percentiles: Option<&[f64]>) -> String {
    if direction.ios < FEW && direction.latency.total() > 0 {
        // A few are no rate and have no percentiles.
        let took =
            |share| units::duration_ns(direction.latency.quantile_ns(share).unwrap_or(0) as f64);
        return match direction.ios {
            1 => format!("  {name:<7} once, in {}", took(1.0)),
            times => format!(
                "  {name:<7} {times} times, in {} to {}",
                took(0.0),
                took(1.0)
            ),
        };
    }
    let seconds = elapsed_ms.max(1e-3) / 1e3;
    let iops = units::count((direction.ios as f64 / seconds).round());
    let bandwidth = match direction.bytes {
        0 => String::new(),
        bytes => units::bytes_per_s(bytes as f64 / seconds),
    };
    let cells =
        percentiles.map(|percentiles| format!(" {}", cells(&direction.latency, percentiles)));
    format!(
        "  {name:<7}{iops:>9} {bandwidth:>11}{}",
        cells.unwrap_or_default()
    )
}

/// A row for each kind of operation of small files: how often, how long it went on, how fast, and how long one took.
pub fn operations(load: &LoadResult) -> Vec<String> {
    let done: Vec<&Operation> = load
        .operations
        .iter()
        .filter(|operation| operation.done.ios > 0)
        .collect();
    if done.is_empty() {
        return Vec::new();
    }
    let line = |cells: [&str; 8]| {
        let [name, count, time, rate, bytes, p50, p99, max] = cells;
        format!("  {name:<8} {count:>8} {time:>8} {rate:>8} {bytes:>11} {p50:>8} {p99:>8} {max:>8}")
    };
    let mut lines = vec![line([
        "",
        "count",
        "time",
        "per s",
        "data per s",
        "p50",
        "p99",
        "max",
    ])];
    lines.extend(done.into_iter().map(|one| {
        let quantile =
            |share| units::duration_ns(one.done.latency.quantile_ns(share).unwrap_or(0) as f64);
        let bytes = match one.done.bytes {
            0 => String::new(),
            bytes => units::bytes_per_s(bytes as f64 / one.busy_ms.max(1e-3) * 1e3),
        };
        line([
            &one.name,
            &units::count(one.done.ios as f64),
            &units::duration_ns(one.busy_ms * 1e6),
            &units::count(one.per_s().round()),
            &bytes,
            &quantile(0.5),
            &quantile(0.99),
            &quantile(1.0),
        ])
    }));
    lines
}

fn cells(latency: &Histogram, percentiles: &[f64]) -> String {
    let shares = percentiles
        .iter()
        .map(|percent| percent / 100.0)
        .chain([1.0]);
    let cell = |share| {
        latency
            .quantile_ns(share)
            .map_or("–".into(), |ns| units::duration_ns(ns as f64))
    };
    shares.map(|share| format!("{:>9}", cell(share))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_eighty_columns() {
        let mut load = LoadResult {
            elapsed_ms: 1000.0,
            ..LoadResult::default()
        };
        (0..1000).for_each(|i| load.read.latency.record(123_456 + i));
        (load.read.ios, load.read.bytes) = (1000, 4_096_000);
        load.sync = load.read.clone();
        load.service = Some(load.read.latency.clone());
        let rows = rows(&Job::default(), &load);
        assert!(
            rows.iter().all(|row| row.chars().count() <= 80),
            "{rows:#?}"
        );
        assert!(
            rows[0].contains("p99.9")
                && rows[1].starts_with("  read")
                && rows[2].starts_with("  sync")
        );
    }
}
