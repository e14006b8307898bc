//! Numbers of another tool.

use super::{load, measure, named, sensors};
use crate::job;
use analyse::spread::ALPHA;
use model::comparison::{Basis, Measure, Part};
use model::imported::{
    Imported, LatencyFigures, LoadFigures, OperationFigures, Samples, SideFigures,
};
use stats::t_quantile;

/// The load it tells of, or what it saw over time.
pub fn parts(imported: &Imported) -> Vec<Part> {
    let Some(load) = &imported.load else {
        return sensors::imported(imported);
    };
    let mut part = named("", job::imported_facts(imported));
    part.beside = job::imported_beside(imported);
    for (name, side) in load.sides() {
        part.measures.extend(figures(name, side, load));
        part.notes.extend(submission(name, side));
    }
    part.measures.extend(totals(load));
    part.measures
        .extend(load.operations.iter().flat_map(operation));
    part.measures.extend(cpu(load));
    if let Some(errors) = load.errors.filter(|errors| *errors > 0) {
        part.notes.push(format!("{errors} I/Os failed"));
    }
    vec![part]
}

/// A measure's name: what a source does not tell apart has no direction.
fn name_of(side: &str, measure: &str) -> String {
    if side == "mixed" {
        measure.to_string()
    } else {
        format!("{side}.{measure}")
    }
}

fn figures(name: &str, side: &SideFigures, load: &LoadFigures) -> Vec<Measure> {
    let seconds = load.elapsed_ms.filter(|ms| *ms > 0.0).map(|ms| ms / 1e3);
    let rate = |told: Option<f64>, sum: Option<f64>| {
        told.or_else(|| Some(sum? / seconds?))
            .filter(|rate| *rate > 0.0)
    };
    let mut measures = Vec::new();
    if let Some(iops) = rate(side.iops, side.ios.map(|ios| ios as f64)).filter(|_| name != "sync") {
        measures.push(sampled(
            name_of(name, "iops"),
            iops,
            side.iops_samples.as_ref(),
        ));
    }
    if let Some(bytes) = rate(side.bytes_per_s, side.bytes) {
        measures.push(sampled(
            name_of(name, "bw"),
            bytes,
            side.bytes_per_s_samples.as_ref(),
        ));
    }
    measures.extend(latencies(name, side));
    measures
}

/// A rate with the interval that its samples give. How many of several jobs a deviation is about differs between
/// versions of fio, so the relative one counts.
fn sampled(name: String, value: f64, samples: Option<&Samples>) -> Measure {
    let enough =
        samples.filter(|samples| samples.count >= 8 && samples.mean > 0.0 && samples.stddev >= 0.0);
    let Some(samples) = enough else {
        return measure(name, (value, None, None), Basis::OneFigure, 0);
    };
    let n = samples.count as f64;
    let t = t_quantile(1.0 - ALPHA / 2.0, samples.count as usize - 1);
    let half = (t * samples.stddev / n.sqrt() / samples.mean).min(1.0) * value;
    measure(
        name,
        (value, Some(value - half), Some(value + half)),
        Basis::Samples,
        samples.count,
    )
}

fn latencies(name: &str, side: &SideFigures) -> Vec<Measure> {
    let of = |kinds: &[&str], has: fn(&LatencyFigures) -> bool| {
        kinds
            .iter()
            .filter_map(|kind| side.latency(kind))
            .find(|latency| has(latency))
    };
    let mut measures = Vec::new();
    // From submission to completion, as ours; where a source has only the time from the kernel on, that.
    let whole = of(&["lat", "clat", "await"], |latency| {
        latency.mean_ns.is_some()
    });
    let count = whole.and_then(|latency| latency.count).unwrap_or(0);
    let one = |word: &str, value: Option<f64>| {
        value.map(|value| {
            measure(
                name_of(name, word),
                (value, None, None),
                Basis::OneFigure,
                count,
            )
        })
    };
    measures.extend(one("mean", whole.and_then(|latency| latency.mean_ns)));
    let counted = of(&["clat", "lat"], |latency| latency.histogram.is_some());
    let listed = of(&["clat", "lat"], |latency| !latency.percentiles.is_empty());
    if let Some((latency, counts)) =
        counted.and_then(|latency| Some((latency, latency.histogram.as_ref()?)))
    {
        let side = if name == "mixed" { "all" } else { name };
        let found = load::percentiles(side, counts, &|_| 0.0);
        // Nothing tells how neighbours depend: what counts alone say would be too narrow to be believed.
        measures.extend(found.into_iter().map(|one| Measure {
            name: one.name.replace("all.", ""),
            // The middle of the last bucket may lie beyond the greatest.
            value: latency.max_ns.map_or(one.value, |max| one.value.min(max)),
            low: None,
            high: None,
            basis: Basis::OneFigure,
            ..one
        }));
    } else if let Some(listed) = listed {
        for (word, quantile) in load::PERCENTILES {
            let found = listed
                .percentiles
                .iter()
                .find(|(percent, _)| (percent / 100.0 - quantile).abs() < 1e-9);
            measures.extend(one(word, found.map(|(_, ns)| *ns)));
        }
    }
    measures.extend(one("max", whole.and_then(|latency| latency.max_ns)));
    measures
}

/// A remark where percentiles leave out a time that matters.
fn submission(name: &str, side: &SideFigures) -> Option<String> {
    let mean = |kind: &str| side.latency(kind).and_then(|latency| latency.mean_ns);
    let has_clat = side
        .latency("clat")
        .is_some_and(|latency| !latency.percentiles.is_empty());
    let (slat, clat) = (mean("slat")?, mean("clat")?);
    let matters = has_clat && slat > 0.05 * clat;
    matters.then(|| {
        let slat = model::units::duration_ns(slat);
        format!(
            "{name} percentiles begin after submission (clat), which took {slat} on average (slat)"
        )
    })
}

/// Both directions together, where both are told.
fn totals(load: &LoadFigures) -> Vec<Measure> {
    let sides: Vec<&SideFigures> = [&load.read, &load.write, &load.trim]
        .into_iter()
        .flatten()
        .collect();
    if sides.len() < 2 || load.mixed.is_some() {
        return Vec::new();
    }
    let sum = |of: fn(&SideFigures) -> Option<f64>| {
        sides.iter().map(|side| of(side)).sum::<Option<f64>>()
    };
    let one = |name: &str, value: Option<f64>| {
        value
            .filter(|value| *value > 0.0)
            .map(|value| measure(name, (value, None, None), Basis::OneFigure, 0))
    };
    [
        one("iops", sum(|side| side.iops)),
        one("bw", sum(|side| side.bytes_per_s)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Rate and latency of operations that are no single I/Os: `transactions.per_s`, `transactions.p95`.
fn operation(operation: &OperationFigures) -> Vec<Measure> {
    let latency = operation.latency.as_ref();
    let count = operation.count.unwrap_or(0);
    let one = |word: &str, value: Option<f64>, n: u64| {
        let name = format!("{}.{word}", operation.name);
        value
            .filter(|value| *value > 0.0)
            .map(|value| measure(name, (value, None, None), Basis::OneFigure, n))
    };
    let percentiles = load::PERCENTILES.into_iter().map(|(word, quantile)| {
        let told = latency.and_then(|latency| latency.percentile_ns(quantile * 100.0));
        one(word, told, count)
    });
    std::iter::once(one("per_s", operation.per_s, 0))
        .chain([one("mean", latency.and_then(|one| one.mean_ns), count)])
        .chain(percentiles)
        .chain([one("max", latency.and_then(|one| one.max_ns), count)])
        .flatten()
        .collect()
}

/// CPU time by I/O: per cent of one CPU over all of its time, or over the rate of I/Os where their number is not told.
fn cpu(load: &LoadFigures) -> Option<Measure> {
    let share = (load.cpu_user_pct? + load.cpu_system_pct?) / 100.0;
    let sides: Vec<&SideFigures> = load
        .sides()
        .filter(|(name, _)| *name != "sync")
        .map(|(_, side)| side)
        .collect();
    let counts = sides.iter().map(|side| Some(side.ios? as f64));
    let by_count = counts
        .sum::<Option<f64>>()
        .filter(|ios| *ios > 0.0)
        .zip(load.elapsed_ms)
        .map(|(ios, elapsed_ms)| share * elapsed_ms * 1e6 / ios);
    let by_rate = || {
        let iops: f64 = sides.iter().filter_map(|side| side.iops).sum();
        (iops > 0.0).then(|| share / iops * 1e9)
    };
    let cpu_ns = by_count.or_else(by_rate).filter(|ns| *ns > 0.0)?;
    Some(measure(
        "cpu_per_io",
        (cpu_ns, None, None),
        Basis::OneFigure,
        0,
    ))
}
