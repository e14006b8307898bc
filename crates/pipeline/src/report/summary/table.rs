//! The table of a run: a row for each kind of operation.

use model::histogram::Histogram;
use model::job::Job;
use model::record::{Direction, LoadResult};
use model::units;

/// The percentiles of the table, in per cent, where the job names none; the last column is the slowest I/O.
const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];
/// More columns than these do not fit 80 characters.
const MOST_PERCENTILES: usize = 5;

/// Header and rows.
pub fn rows(job: &Job, load: &LoadResult) -> Vec<String> {
    let percentiles: Vec<f64> = match job.percentile_list.is_empty() {
        true => PERCENTILES.to_vec(),
        false => job.percentile_list.iter().copied().take(MOST_PERCENTILES).collect(),
    };
    let named = [("read", &load.read), ("write", &load.write), ("trim", &load.trim), ("sync", &load.sync)];
    let others = load.operations.iter().map(|operation| (operation.name.as_str(), &operation.done));
    let done: Vec<(&str, &Direction)> =
        named.into_iter().chain(others).filter(|(_, direction)| direction.ios > 0).collect();
    if done.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![header(&percentiles)];
    lines.extend(done.iter().map(|(name, direction)| row(name, direction, load.elapsed_ms, &percentiles)));
    if let Some(service) = &load.service {
        let cells = cells(service, &percentiles);
        lines.push(format!("  {:<7}{:>9} {:>11} {cells}", "service", "", ""));
        lines.push(
            "  latencies count from when each I/O was due; `service` from when it was submitted".into(),
        );
    }
    lines
}

fn header(percentiles: &[f64]) -> String {
    let names: String = percentiles.iter().map(|percent| format!("{:>9}", format!("p{percent}"))).collect();
    format!("  {:<7}{:>9} {:>11} {names}{:>9}", "", "IOPS", "bandwidth", "max")
}

fn row(name: &str, direction: &Direction, elapsed_ms: f64, percentiles: &[f64]) -> String {
    let seconds = elapsed_ms.max(1e-3) / 1e3;
    let iops = units::count((direction.ios as f64 / seconds).round());
    let bandwidth = match direction.bytes {
        0 => String::new(),
        bytes => units::bytes_per_s(bytes as f64 / seconds),
    };
    format!("  {name:<7}{iops:>9} {bandwidth:>11} {}", cells(&direction.latency, percentiles))
}

fn cells(latency: &Histogram, percentiles: &[f64]) -> String {
    let shares = percentiles.iter().map(|percent| percent / 100.0).chain([1.0]);
    let cell = |share| latency.quantile_ns(share).map_or("–".into(), |ns| units::duration_ns(ns as f64));
    shares.map(|share| format!("{:>9}", cell(share))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_eighty_columns() {
        let mut load = LoadResult { elapsed_ms: 1000.0, ..LoadResult::default() };
        (0..1000).for_each(|i| load.read.latency.record(123_456 + i));
        (load.read.ios, load.read.bytes) = (1000, 4_096_000);
        load.sync = load.read.clone();
        load.service = Some(load.read.latency.clone());
        let rows = rows(&Job::default(), &load);
        assert!(rows.iter().all(|row| row.chars().count() <= 80), "{rows:#?}");
        assert!(rows[0].contains("p99.9") && rows[1].starts_with("  read") && rows[2].starts_with("  sync"));
    }
}
