//! A run in words: what was measured and what set its limit, then the table.

mod limit;
mod table;
mod together;

use super::lint::doubt_lines;
use super::text::width;
use limit::{Limit, device_share};
use model::finding::{Finding, LIMIT};
use model::imported::{LatencyFigures, Samples};
use model::job::Job;
use model::layers::SWITCHED_OFF;
use model::record::{LoadResult, Record, SectionResult};
use model::units;
use view::text::wrap;

/// What a load gave: `4K random read, depth 32, direct: 64.9 k IOPS, 254 MiB/s, p50 449 µs, p99 750 µs`.
pub fn load_sentence(job: &Job, load: &LoadResult) -> String {
    if !load.operations.is_empty() {
        return operations_sentence(job, load);
    }
    let latency = load.latency();
    let mut parts = vec![
        format!("{} IOPS", units::count(load.iops().round())),
        units::bytes_per_s(load.bytes_per_s()),
    ];
    for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
        let value = latency.quantile_ns(share);
        parts.extend(value.map(|ns| format!("{name} {}", units::duration_ns(ns as f64))));
    }
    // A device counts its flushes and does not time them one by one.
    if let Some(p99) = load.sync.latency.quantile_ns(0.99) {
        parts.push(format!("fsync p99 {}", units::duration_ns(p99 as f64)));
    }
    format!("{}: {}", job.phrase(), parts.join(", "))
}

/// `small files: create 12.3 k/s, stat 230 k/s, read 14.1 k/s, delete 30.0 k/s`.
fn operations_sentence(job: &Job, load: &LoadResult) -> String {
    let done = load
        .operations
        .iter()
        .filter(|operation| operation.done.ios > 0);
    let rates: Vec<String> = done
        .map(|one| format!("{} {}/s", one.name, units::count(one.per_s().round())))
        .collect();
    let rates = if rates.is_empty() {
        "nothing was done".into()
    } else {
        rates.join(", ")
    };
    format!("{}: {rates}", job.phrase())
}

/// The sentence of a run of one or more sections.
pub fn sentence(sections: &[SectionResult]) -> String {
    match sections {
        [only] => load_sentence(&only.job, &only.load),
        all => {
            let each = all
                .iter()
                .map(|one| format!("{}: {}", one.name, load_sentence(&one.job, &one.load)));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

/// A run in lines.
pub fn lines(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    match (record.load(), record.sections().is_empty()) {
        (Some(load), true) => lines.extend(section_lines(record, &record.job, load)),
        _ => {
            for section in record.sections() {
                lines.push(format!("{} ({})", section.name, when(section)));
                lines.extend(
                    section_lines(record, &section.job, &section.load)
                        .iter()
                        .map(|line| format!("  {line}")),
                );
            }
            lines.extend(together::lines(record.sections()));
        }
    }
    let device = record
        .path
        .queue_device()
        .map_or("no block device", |layer| layer.name.as_str());
    lines.push(format!(
        "  on {} ({device}), seed {}",
        record.target, record.job.randseed
    ));
    lines.extend(layer_lines(record));
    lines.extend(doubt_lines(&record.findings));
    lines
}

/// The times by layer, or why those that were asked for are not there.
fn layer_lines(record: &Record) -> Vec<String> {
    let log = record.sensors.iter().find(|log| log.sensor == "layers");
    match (record.layers(), log.and_then(|log| log.no_data.as_ref())) {
        (Some(layers), _) => super::layers::lines(layers),
        (None, Some(why)) if why != SWITCHED_OFF => {
            wrap(&format!("layers not traced: {why}"), width() - 2)
                .into_iter()
                .map(|line| format!("  {line}"))
                .collect()
        }
        (None, _) => Vec::new(),
    }
}

fn when(section: &SectionResult) -> String {
    let stage = section.stage + 1;
    let from = units::span_ms(section.start_ms);
    match section.elsewhere.as_str() {
        "" => format!("stage {stage}, from {from}"),
        elsewhere => format!("stage {stage}, from {from}, on {elsewhere}"),
    }
}

fn section_lines(record: &Record, job: &Job, load: &LoadResult) -> Vec<String> {
    let mut lines = vec![load_sentence(job, load)];
    lines.extend(measured(record, job, load));
    lines.extend(load_lines(job, load));
    lines
}

/// What a load did, by kind of operation, with what it cost and what it noted.
pub fn load_lines(job: &Job, load: &LoadResult) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(table::rows(job, load));
    lines.extend(table::operations(load));
    lines.extend(told_lines(load));
    lines.push(engine_line(load));
    lines.extend(
        load.broken_off
            .iter()
            .map(|why| format!("  ended before its time: {why}")),
    );
    lines.extend(
        load.errors
            .iter()
            .map(|(errno, count)| format!("  errors: {count} with errno {errno}")),
    );
    lines.extend(verified_lines(load));
    lines.extend(load.notes.iter().map(|note| format!("  note: {note}")));
    lines
}

/// What was really measured: the device or the cache, at which depth, and who set the limit.
fn measured(record: &Record, job: &Job, load: &LoadResult) -> Vec<String> {
    let mut lines = Vec::new();
    // With several sections the device's counters belong to all of them.
    if record.sections().is_empty()
        && let Some(device) = record.path.queue_device()
        && let Some(share) = device_share(job, load, &record.sensors, &device.name)
    {
        let words = share.words(record.path.is_in_memory());
        lines.push(format!("  measured: {words}"));
    }
    let limit = found_limit(record).or_else(|| Limit::of(job, load).words(job, load));
    lines.extend(limit.map(|words| format!("  limit: {words}")));
    lines
}

/// The limit that a rule has recognised in the rate. Of several sections it may be another one's.
fn found_limit(record: &Record) -> Option<String> {
    let shown = |finding: &Finding| {
        let mut evidence = finding.evidence.iter();
        evidence
            .find(|one| one.name == LIMIT)
            .map(|one| one.value.clone())
    };
    match record.sections().is_empty() {
        true => record.findings.iter().find_map(shown),
        false => None,
    }
}

/// How the load was made, how long, and its CPU time, kernel workers included.
fn engine_line(load: &LoadResult) -> String {
    let line = format!(
        "  {}, {}",
        load.engine,
        units::span_ms(load.elapsed_ms.round() as u64)
    );
    let total_ms = load.cpu_user_ms + load.cpu_system_ms;
    if total_ms == 0.0 {
        return line;
    }
    let per_io = units::duration_ns(total_ms * 1e6 / load.ios().max(1) as f64);
    format!(
        "{line}, CPU {per_io} per I/O, {} of one CPU",
        units::percent_whole(total_ms / load.elapsed_ms.max(1.0) * 100.0)
    )
}

/// The sums of a program that gives no histogram.
fn told_lines(load: &LoadResult) -> Vec<String> {
    let Some(told) = &load.told else {
        return Vec::new();
    };
    let time = |ns: Option<f64>| ns.map_or_else(|| "not told".into(), units::duration_ns);
    let latency = |one: &LatencyFigures| {
        format!(
            "  latency: mean {}, from {} to {}{}; no percentiles",
            time(one.mean_ns),
            time(one.min_ns),
            time(one.max_ns),
            one.stddev_ns.map_or_else(String::new, |ns| format!(
                ", deviation {}",
                units::duration_ns(ns)
            ))
        )
    };
    let rate = |one: &Samples, word: fn(f64) -> String| {
        format!("from {} to {}", word(one.min), word(one.max))
    };
    let mut lines: Vec<String> = told.latencies.iter().map(latency).collect();
    let bandwidth = told.bytes_per_s_samples.as_ref();
    let bandwidth = bandwidth.map(|one| rate(one, units::bytes_per_s));
    let iops = told
        .iops_samples
        .as_ref()
        .map(|one| rate(one, units::count) + " IOPS");
    let seconds: Vec<String> = [bandwidth, iops].into_iter().flatten().collect();
    // Of a run that ended within its first seconds they are no rates.
    if !seconds.is_empty() && load.elapsed_ms >= 2e3 {
        lines.push(format!("  by second: {}", seconds.join(", ")));
    }
    lines
}

fn verified_lines(load: &LoadResult) -> Vec<String> {
    let Some(verified) = &load.verified else {
        return Vec::new();
    };
    let mut lines = vec![match verified.bad {
        0 => {
            format!(
                "  verified: {} blocks read and checked, none bad",
                units::count(verified.blocks as f64)
            )
        }
        bad => format!(
            "  verified: {} of {} blocks are NOT what was written",
            units::count(bad as f64),
            units::count(verified.blocks as f64)
        ),
    }];
    lines.extend(verified.first_bad.iter().map(|bad| format!("    {bad}")));
    lines
}
