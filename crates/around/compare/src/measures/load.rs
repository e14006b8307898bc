//! Numbers of a load of ours.

use super::{around, measure};
use crate::interval::{of_mean, of_quantile, swing, widened};
use crate::job;
use model::comparison::{Basis, Measure, Part};
use model::dataset::DatasetPass;
use model::histogram::Histogram;
use model::job::Job;
use model::record::{Direction, Interval, IntervalSide, LoadResult};
use model::search::{Level, Search};

/// Percentiles that are compared, with their names.
pub(super) const PERCENTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// Fewer I/Os than this beyond a percentile are no percentile but a few single I/Os.
const BEYOND_MIN: f64 = 10.0;

/// Everything that one load gave.
pub fn part(name: &str, of: &Job, load: &LoadResult) -> Part {
    let intervals = whole(&load.intervals);
    let mut measures = directions(load, &intervals);
    measures.extend(operations(load));
    measures.extend(all_together(load, &intervals));
    measures.extend(cpu_per_io(load));
    Part {
        name: name.into(),
        phrase: of.phrase(),
        job: job::facts(of),
        beside: job::beside(of),
        measures,
        notes: notes(load),
    }
}

/// Reads, writes, trims and syncs, each on its own.
fn directions(load: &LoadResult, intervals: &[&Interval]) -> Vec<Measure> {
    let reads = series(intervals, |one| &one.read);
    let writes = series(intervals, |one| &one.write);
    let mut measures = direction("read", &load.read, load, &reads);
    measures.extend(direction("write", &load.write, load, &writes));
    measures.extend(direction(
        "trim",
        &load.trim,
        load,
        &LoadMeasureSeries::default(),
    ));
    if load.sync.ios > 0 {
        measures.extend(latencies(
            "sync",
            &load.sync.latency,
            &LoadMeasureSeries::default(),
        ));
    }
    measures
}

/// What an engine with operations of its own did of each.
fn operations(load: &LoadResult) -> Vec<Measure> {
    let mut measures = Vec::new();
    for operation in load
        .operations
        .iter()
        .filter(|operation| operation.done.ios > 0)
    {
        let rate = measure(
            format!("{}.per_s", operation.name),
            (operation.per_s(), None, None),
            Basis::OneFigure,
            0,
        );
        measures.push(rate);
        measures.extend(latencies(
            &operation.name,
            &operation.done.latency,
            &LoadMeasureSeries::default(),
        ));
    }
    measures
}

/// The rates of reading a data set, with the interval of the turns that each pass is made of: the parts are in the order of
/// the passes.
pub(super) fn turns(parts: &mut [Part], passes: &[DatasetPass]) {
    for (part, pass) in parts.iter_mut().zip(passes) {
        let (spread, n) = (pass.files_per_s, u64::from(pass.turns));
        let rate = part
            .measures
            .iter_mut()
            .find(|one| one.name == "read.per_s");
        if let Some(rate) = rate.filter(|_| spread.low.is_some()) {
            let bounds = (spread.mean, spread.low, spread.high);
            *rate = measure("read.per_s", bounds, Basis::Visits, n);
        }
    }
}

/// Rates of all directions together, where there are several.
fn all_together(load: &LoadResult, intervals: &[&Interval]) -> Vec<Measure> {
    let directions = [&load.read, &load.write, &load.trim];
    if directions.iter().filter(|one| one.ios > 0).count() < 2 {
        return Vec::new();
    }
    let rates = |count: fn(&IntervalSide) -> u64| -> Vec<f64> {
        intervals
            .iter()
            .map(|one| (count(&one.read) + count(&one.write)) as f64 / (one.length_ms as f64 / 1e3))
            .collect()
    };
    let ios = rate("iops", load.iops(), &rates(|side| side.ios));
    let bytes = rate("bw", load.bytes_per_s(), &rates(|side| side.bytes));
    ios.into_iter().chain(bytes).collect()
}

fn cpu_per_io(load: &LoadResult) -> Option<Measure> {
    let cpu_ns = (load.cpu_user_ms + load.cpu_system_ms) * 1e6;
    (cpu_ns > 0.0 && load.ios() > 0).then(|| {
        measure(
            "cpu_per_io",
            (cpu_ns / load.ios() as f64, None, None),
            Basis::OneFigure,
            load.ios(),
        )
    })
}

fn notes(load: &LoadResult) -> Vec<String> {
    let mut notes = Vec::new();
    if load.service.is_some() {
        notes.push("latencies count from when each I/O was due".into());
    }
    if !load.errors.is_empty() {
        let failed: u64 = load.errors.iter().map(|error| error.1).sum();
        notes.push(format!("{failed} I/Os failed"));
    }
    notes
}

/// What the intervals say of one direction: rates, bytes and percentiles of each.
#[derive(Default)]
struct LoadMeasureSeries {
    iops: Vec<f64>,
    bytes_per_s: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// The intervals without a last one that is cut short: a second's tail is no second.
fn whole(intervals: &[Interval]) -> Vec<&Interval> {
    let mut lengths: Vec<u64> = intervals.iter().map(|one| one.length_ms).collect();
    lengths.sort_unstable();
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    intervals
        .iter()
        .filter(|one| one.length_ms > 0 && one.length_ms * 2 >= usual)
        .collect()
}

fn series(intervals: &[&Interval], side: fn(&Interval) -> &IntervalSide) -> LoadMeasureSeries {
    let mut series = LoadMeasureSeries::default();
    for interval in intervals {
        let (one, seconds) = (side(interval), interval.length_ms as f64 / 1e3);
        series.iops.push(one.ios as f64 / seconds);
        series.bytes_per_s.push(one.bytes as f64 / seconds);
        series.p50.push(one.p50_ns as f64);
        series.p99.push(one.p99_ns as f64);
    }
    series
}

fn direction(
    name: &str,
    done: &Direction,
    load: &LoadResult,
    series: &LoadMeasureSeries,
) -> Vec<Measure> {
    if done.ios == 0 || load.elapsed_ms <= 0.0 {
        return Vec::new();
    }
    let seconds = load.elapsed_ms / 1e3;
    let is_alone = done.ios == load.ios();
    // Short runs have no seconds to look at; a load of one direction has its bins.
    let bins = if is_alone && series.iops.len() < crate::interval::LEAST {
        bins(load)
    } else {
        Vec::new()
    };
    let of_series = |own: &[f64], factor: f64| -> Vec<f64> {
        if bins.is_empty() {
            own.to_vec()
        } else {
            bins.iter().map(|rate| rate * factor).collect()
        }
    };
    let each = done.bytes as f64 / done.ios as f64;
    let mut measures = Vec::new();
    measures.extend(rate(
        &format!("{name}.iops"),
        done.ios as f64 / seconds,
        &of_series(&series.iops, 1.0),
    ));
    if done.bytes > 0 {
        let bytes = of_series(&series.bytes_per_s, each);
        measures.extend(rate(
            &format!("{name}.bw"),
            done.bytes as f64 / seconds,
            &bytes,
        ));
    }
    measures.extend(latencies(name, &done.latency, series));
    measures
}

/// Completions a second of each bin; the first and the last one are cut by start and end of the load.
fn bins(load: &LoadResult) -> Vec<f64> {
    let inner = load
        .bins
        .get(1..load.bins.len().saturating_sub(1))
        .unwrap_or_default();
    match load.bin_ms {
        0 => Vec::new(),
        ms => inner
            .iter()
            .map(|count| f64::from(*count) * 1e3 / ms as f64)
            .collect(),
    }
}

fn rate(name: &str, value: f64, series: &[f64]) -> Option<Measure> {
    let (bounds, n) = around(value, series);
    (value > 0.0).then(|| measure(name, bounds, Basis::Batches, n))
}

fn latencies(name: &str, counts: &Histogram, series: &LoadMeasureSeries) -> Vec<Measure> {
    let total = counts.total();
    let (middle, tail) = (swing(&series.p50), swing(&series.p99));
    let mut measures = Vec::new();
    if let Some((mean, half)) = of_mean(counts) {
        let bounds = widened(
            (mean, Some((mean - half).max(0.0)), Some(mean + half)),
            middle.max(swing(&series.iops)),
        );
        measures.push(measure(
            format!("{name}.mean"),
            bounds,
            Basis::Counts,
            total,
        ));
    }
    measures.extend(percentiles(name, counts, &|quantile| {
        if quantile < 0.9 { middle } else { tail }
    }));
    // The greatest is one I/O: it has no interval.
    let max = counts
        .quantile_ns(1.0)
        .filter(|_| total > 0)
        .map(|ns| ns as f64);
    measures.extend(max.map(|max| {
        measure(
            format!("{name}.max"),
            (max, None, None),
            Basis::OneFigure,
            1,
        )
    }));
    measures
}

/// The percentiles of counts, each with the ranks between which the true one lies, and how far it swings over the run.
pub(super) fn percentiles(
    name: &str,
    counts: &Histogram,
    swing: &dyn Fn(f64) -> f64,
) -> Vec<Measure> {
    let total = counts.total();
    let one = |(word, quantile): (&str, f64)| {
        let value = counts.quantile_ns(quantile)? as f64;
        let (low, high) = of_quantile(counts, quantile);
        let bounds = widened(
            (
                value,
                low.map(|low| low.min(value)),
                high.map(|high| high.max(value)),
            ),
            swing(quantile),
        );
        let is_told = total as f64 * (1.0 - quantile) >= BEYOND_MIN;
        is_told.then(|| measure(format!("{name}.{word}"), bounds, Basis::Counts, total))
    };
    PERCENTILES.into_iter().filter_map(one).collect()
}

/// The highest load that keeps a latency, as a part of its own.
pub fn search(of: &Job, best: &Level, search: Option<&Search>) -> Part {
    let goal = search.map_or_else(String::new, |search| {
        let limit = model::units::duration_ns(search.goal.limit_ns as f64);
        format!(" that keeps {} below {limit}", search.goal.statistic.name())
    });
    let n = search.map_or(0, |search| search.trials.len() as u64);
    let iops = (best.iops.mean, best.iops.low, best.iops.high);
    let mut facts = job::facts(of);
    // The depth is the answer, not the question.
    facts.remove("iodepth");
    facts.insert("load".into(), format!("the highest{goal}"));
    Part {
        name: "search".into(),
        phrase: format!("the highest load{goal}"),
        job: facts,
        beside: job::beside(of),
        measures: vec![measure("max.iops", iops, Basis::Visits, n)],
        notes: Vec::new(),
    }
}
