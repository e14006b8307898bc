//! The comparable numbers of any record: what ran, what watched, what another tool printed.

mod imported;
mod layers;
mod load;
mod sensors;

use crate::interval::Bounds;
use crate::{device, job};
use model::comparison::{Basis, Better, ComparisonSubject, Measure, Part, Proof};
use model::record::{Record, Trial};

/// A record as it is compared. `name` is what the user calls it.
pub fn of(name: &str, id: Option<i64>, record: &Record) -> ComparisonSubject {
    let place = device::place(record);
    let provenance = &record.provenance;
    let fact = |name: &str| {
        record
            .imported
            .as_ref()
            .and_then(|imported| imported.facts.get(name).cloned())
    };
    let is_import = record.imported.is_some();
    let own = |ours: &str, fact: Option<String>| {
        if is_import {
            fact.unwrap_or_default()
        } else {
            ours.to_string()
        }
    };
    let measured = record
        .imported
        .as_ref()
        .map(|imported| imported.measured_unix_ms.map(|ms| ms as i64));
    ComparisonSubject {
        name: name.into(),
        record: id,
        verb: record.verb.clone(),
        target: record.target.clone(),
        device: place.device,
        identity: place.identity,
        label: place.label,
        host: own(&provenance.hostname, fact("host")),
        kernel: own(&provenance.kernel, fact("kernel")),
        stack: place.stack,
        unix_ms: measured.unwrap_or(Some(provenance.started_unix_ms as i64)),
        source: match &record.imported {
            Some(imported) => imported.tool.clone(),
            None => format!("iodyno {}", provenance.iodyno),
        },
        parts: parts(record),
        proofs: record.trials.iter().map(proof).collect(),
        caveats: device::caveats(record),
    }
}

fn parts(record: &Record) -> Vec<Part> {
    if let Some(imported) = &record.imported {
        return imported::parts(imported);
    }
    let mut parts: Vec<Part> = match (&record.load, record.sections.is_empty()) {
        (Some(load), true) => vec![load::part("", &record.job, load)],
        _ => record
            .sections
            .iter()
            .map(|one| load::part(&one.name, &one.job, &one.load))
            .collect(),
    };
    if let ([only], Some(times), Some(load)) = (&mut parts[..], &record.layers, &record.load) {
        only.measures.extend(layers::measures(times, load));
    }
    if let Some(check) = &record.check {
        for probe in check
            .probes
            .iter()
            .filter(|probe| probe.load.ios() + probe.load.sync.ios > 0)
        {
            let mut part = load::part(&probe.phrase(), &probe.job, &probe.load);
            part.measures.extend(
                probe
                    .layers
                    .iter()
                    .flat_map(|times| layers::measures(times, &probe.load)),
            );
            parts.push(part);
        }
    }
    if let Some(best) = record
        .studies
        .search
        .as_ref()
        .and_then(|search| search.best.as_ref())
    {
        parts.push(load::search(
            &record.job,
            best,
            record.studies.search.as_ref(),
        ));
    }
    if parts.is_empty() {
        parts.extend(sensors::parts(&record.sensors));
    }
    parts
}

fn proof(trial: &Trial) -> Proof {
    let verdict = trial.verdict.as_ref();
    Proof {
        knob: trial.knob.clone(),
        device: trial.device.clone(),
        summary: trial.summary.clone(),
        effect: verdict.and_then(|verdict| verdict.effect),
        low: verdict.and_then(|verdict| verdict.low),
        high: verdict.and_then(|verdict| verdict.high),
    }
}

/// Which way is better, and the unit, by the last word of a measure's name.
fn measure(name: impl Into<String>, (value, low, high): Bounds, basis: Basis, n: u64) -> Measure {
    let name = name.into();
    let (unit, better) = match name.rsplit('.').next().unwrap_or_default() {
        "iops" | "per_s" => ("/s", Better::More),
        "bw" => ("bytes/s", Better::More),
        _ => ("ns", Better::Less),
    };
    let basis = if low.is_none() && high.is_none() {
        Basis::OneFigure
    } else {
        basis
    };
    Measure {
        name,
        unit: unit.into(),
        better,
        value,
        low,
        high,
        basis,
        n,
    }
}

/// Bounds around a value from a mean of stretches: the value itself counts all I/Os, the stretches say how sure it is.
fn around(value: f64, series: &[f64]) -> (Bounds, u64) {
    match crate::interval::of_series(series).filter(|found| found.mean > 0.0) {
        Some(found) => {
            let half = found.half / found.mean * value;
            (
                (value, Some((value - half).max(0.0)), Some(value + half)),
                found.stretches as u64,
            )
        }
        None => ((value, None, None), 0),
    }
}

/// A part whose job says what it is.
fn named(name: &str, facts: model::comparison::JobFacts) -> Part {
    Part {
        name: name.into(),
        phrase: job::phrase(&facts),
        job: facts,
        ..Part::default()
    }
}

#[cfg(test)]
mod tests;
