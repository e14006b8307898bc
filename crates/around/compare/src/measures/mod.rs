//! The comparable numbers of any record: what ran, what watched, what another tool printed.

mod imported;
mod layers;
mod load;
mod sensors;

use crate::interval::Bounds;
use crate::{device, job};
use model::check::Probe;
use model::comparison::{Basis, Better, ComparisonSubject, Measure, Part, Proof};
use model::job::Job;
use model::record::{Record, RecordBody, RunBody, SectionResult, Trial};

/// A record as it is compared. `name` is what the user calls it.
pub fn of(name: &str, id: Option<i64>, record: &Record) -> ComparisonSubject {
    let place = device::place(record);
    let provenance = &record.provenance;
    let imported = record.imported();
    let own = |ours: &str, name: &str| match imported {
        Some(imported) => imported.facts.get(name).cloned().unwrap_or_default(),
        None => ours.to_string(),
    };
    let measured = imported.map(|imported| imported.measured_unix_ms.map(|ms| ms as i64));
    ComparisonSubject {
        name: name.into(),
        record: id,
        verb: record.verb().into(),
        target: record.target.clone(),
        device: place.device,
        identity: place.identity,
        label: place.label,
        host: own(&provenance.hostname, "host"),
        kernel: own(&provenance.kernel, "kernel"),
        stack: place.stack,
        unix_ms: measured.unwrap_or(Some(provenance.started_unix_ms as i64)),
        source: match imported {
            Some(imported) => imported.tool.clone(),
            None => format!("iodyno {}", provenance.iodyno),
        },
        parts: parts(record),
        proofs: record.trials().iter().map(proof).collect(),
        caveats: device::caveats(record),
    }
}

fn parts(record: &Record) -> Vec<Part> {
    let parts = match &record.body {
        RecordBody::Import(imported) => return imported::parts(imported),
        RecordBody::Run(run) => of_run(&record.job, run),
        RecordBody::Check(check) => check.probes.iter().filter_map(of_probe).collect(),
        RecordBody::Tune(_) | RecordBody::Watch(_) => Vec::new(),
    };
    match parts.is_empty() {
        true => sensors::parts(&record.sensors),
        false => parts,
    }
}

fn of_run(job: &Job, run: &RunBody) -> Vec<Part> {
    let mut parts: Vec<Part> = match (&run.load, run.sections.is_empty()) {
        (Some(load), true) => vec![load::part("", job, load)],
        _ => run.sections.iter().map(section).collect(),
    };
    if let Some(dataset) = &run.studies.dataset {
        load::turns(&mut parts, &dataset.target.passes);
    }
    if let ([only], Some(times), Some(load)) = (&mut parts[..], &run.layers, &run.load) {
        only.measures.extend(layers::measures(times, load));
    }
    let search = run.studies.search.as_ref();
    if let Some(best) = search.and_then(|search| search.best.as_ref()) {
        parts.push(load::search(job, best, search));
    }
    parts
}

/// A section. On another device than the record's it is another job, which no other record's is like.
fn section(of: &SectionResult) -> Part {
    let mut part = load::part(&of.name, &of.job, &of.load);
    if !of.elsewhere.is_empty() {
        part.phrase = format!("{} on {}", part.phrase, of.elsewhere);
        part.job.insert("target".into(), of.elsewhere.clone());
    }
    part
}

/// A short load of a check; none of time in which nothing was loaded.
fn of_probe(probe: &Probe) -> Option<Part> {
    if probe.load.ios() + probe.load.sync.ios == 0 {
        return None;
    }
    let mut part = load::part(&probe.phrase(), &probe.job, &probe.load);
    let layers = probe.layers.iter();
    part.measures
        .extend(layers.flat_map(|times| layers::measures(times, &probe.load)));
    Some(part)
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
