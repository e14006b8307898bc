//! How to do it again, and what this record cannot say.

use super::{About, pieces};
use crate::figure::FigureTable;
use crate::figures::lines::capital;
use maud::{Markup, html};
use model::imported::Imported;
use model::job::Job;
use model::record::{Provenance, Record, RecordBody, RunBody, Trial};
use model::units;

/// The part of the page.
pub fn section(record: &Record, about: &About) -> Markup {
    let command = pieces::command_text(&record.provenance.command);
    let sensors = sensors(record);
    html! {
        @if !command.is_empty() { pre { (command) } }
        dl {
            @for (name, text) in facts(record, about) { dt { (name) } dd { (text) } }
        }
        @if !sensors.rows.is_empty() {
            details {
                summary { "Sensors and what they cost" }
                (pieces::table(&sensors))
            }
        }
    }
}

/// Job, seed, version and machine.
pub fn facts(record: &Record, about: &About) -> Vec<(String, String)> {
    let provenance = &record.provenance;
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, text: String| {
        if !text.is_empty() {
            facts.push((name.into(), text));
        }
    };
    add(
        "record",
        about.id.map_or(String::new(), |id| {
            format!("{id}; whole: iodyno show {id} --json")
        }),
    );
    add("target", record.target.clone());
    if let Some(imported) = record.imported() {
        add("tool", imported.tool.clone());
        add("file", imported.file.clone());
        add("name there", imported.name.clone());
        imported
            .facts
            .iter()
            .for_each(|(name, text)| add(name, text.clone()));
        imported
            .units
            .iter()
            .for_each(|text| add("unit", text.clone()));
    } else {
        add("load", record.job.phrase());
        add(
            "engine",
            record
                .load()
                .map_or_else(|| record.job.ioengine.clone(), |load| load.engine.clone()),
        );
        add("seed of the offsets", record.job.randseed.to_string());
    }
    let seeds = record
        .trials()
        .iter()
        .filter_map(|trial| Some((trial, trial.verdict.as_ref()?.seed)));
    add(
        "seed of the order",
        seeds
            .map(|(trial, seed)| format!("{} {seed}", trial.knob))
            .collect::<Vec<_>>()
            .join(", "),
    );
    add(
        "seed of the order",
        record
            .studies()
            .sweep
            .as_ref()
            .map_or(String::new(), |sweep| sweep.seed.to_string()),
    );
    add("iodyno", build(provenance));
    add("machine", provenance.hostname.clone());
    add("kernel", provenance.kernel.clone());
    if let Some(place) = &provenance.kube {
        let (context, namespace) = (&place.context, &place.namespace);
        add("Kubernetes", format!("{context}, namespace {namespace}"));
        add("storage", place.storage.to_string());
    }
    add("CPU", provenance.cpu.clone());
    add("clock", provenance.clock.clone());
    facts
}

/// The version, and the commit where it is known.
fn build(provenance: &Provenance) -> String {
    match provenance.commit.as_str() {
        "" => provenance.iodyno.clone(),
        commit => format!("{}, commit {commit}", provenance.iodyno),
    }
}

/// Each sensor with its samples and its cost.
pub fn sensors(record: &Record) -> FigureTable {
    let mut table =
        FigureTable::new(&["sensor", "samples", "every", "series", "CPU time", "remark"]);
    for log in &record.sensors {
        let span = crate::series::seconds(log);
        let every = match log.time_ns.len() {
            n if n > 1 => units::duration_ns(span * 1e9 / (n - 1) as f64),
            _ => "–".into(),
        };
        let remark = log.no_data.clone().unwrap_or_else(|| log.notes.join(" "));
        table.row([
            log.sensor.clone(),
            log.time_ns.len().to_string(),
            every,
            log.series.len().to_string(),
            units::duration_ns(log.cost_cpu_ns as f64),
            remark,
        ]);
    }
    table
}

/// The part on limits.
pub fn limits(record: &Record, left_out: &[String]) -> Markup {
    let mut items = limit_items(record);
    items.extend(left_out.iter().cloned());
    pieces::list(&items)
}

/// What this record cannot say, each a sentence.
pub fn limit_items(record: &Record) -> Vec<String> {
    let mut items = match &record.body {
        RecordBody::Import(imported) => return limits_of_import(imported),
        RecordBody::Run(run) => limits_of_run(run, &record.job),
        RecordBody::Tune(tune) if tune.trials.iter().any(|trial| trial.verdict.is_some()) => {
            limits_of_proof(&tune.trials, &record.job)
        }
        RecordBody::Tune(_) | RecordBody::Watch(_) | RecordBody::Check(_) => Vec::new(),
    };
    let absent: Vec<String> = record
        .sensors
        .iter()
        .filter_map(|log| {
            Some(format!(
                "{} ({})",
                log.sensor,
                log.no_data.as_ref()?.trim_end_matches('.')
            ))
        })
        .collect();
    if !absent.is_empty() {
        items.push(format!(
            "What these sensors would have seen: {}.",
            absent.join("; ")
        ));
    }
    items.extend(record.path.notes.iter().cloned());
    items
}

/// What another tool's result leaves open: nobody can ask its machine any more.
fn limits_of_import(imported: &Imported) -> Vec<String> {
    let mut items = super::imported::missing(imported);
    items.push(format!(
        "What {} did not print is not here, and nothing was filled in.",
        imported.tool
    ));
    items.push("Path, settings and sensors of that machine were not recorded with it.".into());
    items
}

/// What a run leaves open.
fn limits_of_run(run: &RunBody, job: &Job) -> Vec<String> {
    if let Some(dataset) = &run.studies.dataset {
        let notes = dataset.notes.iter().chain(&dataset.target.notes);
        return notes.map(|note| format!("{}.", capital(note))).collect();
    }
    let mut items = vec![
        "Whether a setting helps: one run against another is not a comparison; `iodyno tune` makes one."
            .into(),
        "What another run would give: single runs on one machine differ by several per cent for no reason.".into(),
    ];
    if run.load.is_some() && !job.open_loop {
        items.push("How long I/Os would wait that come at their own time: the load was closed, and stopped asking while the device stalled.".into());
    }
    if let Some(load) = &run.load {
        items.extend(load.notes.iter().cloned());
    }
    items
}

/// What an experiment leaves open.
fn limits_of_proof(trials: &[Trial], job: &Job) -> Vec<String> {
    let mut items = vec![format!(
        "Other loads than this one ({}), and other devices.",
        job.phrase()
    )];
    let verdicts = trials.iter().filter_map(|one| one.verdict.as_ref());
    items.extend(verdicts.map(|verdict| match verdict.horizon_ms {
        0..1_000 => "Whether the effect builds up or fades: the noise hides it.".into(),
        ms => format!(
            "Effects that build up or fade more slowly than {} could hide.",
            units::span_ms(ms)
        ),
    }));
    let untried = trials
        .iter()
        .filter_map(|trial| Some(format!("{} ({})", trial.knob, trial.skipped.as_ref()?)));
    let untried: Vec<String> = untried.collect();
    if !untried.is_empty() {
        items.push(format!("Not tried: {}.", untried.join("; ")));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_stands_behind_the_version_where_it_is_known() {
        let built_from = |commit: &str| {
            build(&Provenance {
                iodyno: "0.1.0".into(),
                commit: commit.into(),
                ..Provenance::default()
            })
        };
        assert_eq!(built_from(""), "0.1.0");
        assert_eq!(built_from("7914fbc73dbd"), "0.1.0, commit 7914fbc73dbd");
    }
}
