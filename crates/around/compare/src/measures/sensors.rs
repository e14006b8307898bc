//! Numbers of what was watched without a load: the disk counters of a record of ours, the tables of other tools.

use super::{around, measure, named};
use model::comparison::{Basis, Better, JobFacts, Measure, Part};
use model::field::{Formula, disk as disk_fields};
use model::imported::Imported;
use model::sample::SensorLog;
use std::collections::BTreeMap;

/// One part for each device that the counters of a watch are about.
pub fn parts(sensors: &[SensorLog]) -> Vec<Part> {
    let Some(log) = sensors.iter().find(|log| log.sensor == "diskstats") else {
        return Vec::new();
    };
    let mut devices: Vec<&str> = log
        .series
        .iter()
        .filter_map(|series| series.name.strip_prefix("disk.")?.strip_suffix(".read_ios"))
        .collect();
    devices.sort_unstable();
    devices
        .iter()
        .map(|device| disk(device, log))
        .filter(|part| !part.measures.is_empty())
        .collect()
}

fn disk(device: &str, log: &SensorLog) -> Part {
    let mut part = named(device, watched());
    let of = |id: String| field(log, &id, device);
    for side in ["read", "write"] {
        let ios = of(format!("disk.{side}s_per_s"));
        let bytes = of(format!("disk.{side}_bytes_per_s"));
        let rate = |name: &str, found: &Rates| {
            let (bounds, n) = around(found.whole, &found.each);
            (found.whole > 0.0)
                .then(|| measure(format!("{side}.{name}"), bounds, Basis::Batches, n))
        };
        part.measures
            .extend(ios.as_ref().and_then(|ios| rate("iops", ios)));
        part.measures
            .extend(bytes.as_ref().and_then(|bytes| rate("bw", bytes)));
        if let Some(waited) = of(format!("disk.await_{side}_ms")) {
            let await_ns = (waited.whole * 1e6, None, None);
            let name = format!("{side}.await");
            part.measures
                .push(measure(name, await_ns, Basis::OneFigure, 0));
        }
    }
    part
}

fn watched() -> JobFacts {
    JobFacts::from([("load".to_string(), "what others did".to_string())])
}

/// A rate over all of the time, and from sample to sample.
struct Rates {
    whole: f64,
    each: Vec<f64>,
}

/// A declared field of a device. A ratio has no value where nothing happened, and is taken over all of the time.
fn field(log: &SensorLog, id: &str, device: &str) -> Option<Rates> {
    let name = |pattern: &str| pattern.replacen("{}", device, 1);
    match disk_fields::find(id)?.formula {
        Formula::Rate([of], factor) => rates(log, &name(of), factor),
        Formula::Ratio([of], [per], factor) => {
            let (of, per) = (rates(log, &name(of), 1.0)?, rates(log, &name(per), 1.0)?);
            (per.whole > 0.0).then(|| Rates {
                whole: of.whole / per.whole * factor,
                each: Vec::new(),
            })
        }
        _ => None,
    }
}

fn rates(log: &SensorLog, name: &str, factor: f64) -> Option<Rates> {
    let series = log.series(name)?;
    let read: Vec<(i64, f64)> = log
        .time_ns
        .iter()
        .zip(&series.values)
        .filter_map(|(time, value)| value.map(|value| (*time, value)))
        .collect();
    let (first, last) = (read.first()?, read.last()?);
    let seconds = (last.0 - first.0) as f64 / 1e9;
    let each = read.windows(2).filter_map(|pair| {
        let grown = series.kind.grown(pair[0].1, pair[1].1)?;
        let seconds = (pair[1].0 - pair[0].0) as f64 / 1e9;
        (seconds > 0.0).then(|| grown * factor / seconds)
    });
    let whole = series.delta().filter(|_| seconds > 0.0)? * factor / seconds;
    Some(Rates {
        whole,
        each: each.collect(),
    })
}

/// Means of the tables of another tool, one part for each of their subjects.
pub fn imported(imported: &Imported) -> Vec<Part> {
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    for series in &imported.series {
        let values: Vec<f64> = series.values.iter().flatten().copied().collect();
        if values.is_empty() {
            continue;
        }
        let mean = stats::mean(&values);
        let (bounds, n) = around(mean, &values);
        let part = parts.entry(&series.subject).or_insert_with(|| {
            let mut facts = watched();
            facts.insert(
                "load".into(),
                format!(
                    "{} table",
                    imported.tool.split(['-', ' ']).next().unwrap_or("a")
                ),
            );
            named(&series.subject, facts)
        });
        let base = measure(&series.field, bounds, Basis::Batches, n);
        part.measures.push(Measure {
            unit: series.unit.clone(),
            better: if series.field.ends_with("per_s") {
                Better::More
            } else {
                Better::Less
            },
            ..base
        });
    }
    parts.into_values().collect()
}
