//! Records in words: the sentence first, then what it rests on, then what to do next.

use super::text::{width, wrap};
use super::{studies, summary};
use model::record::{LoadResult, Record, RecordBody, Trial, Winners};
use model::sample::SensorLog;
use model::verdict::Verdict;
use view::trial::TrialView;

/// What is said of a record that measured nothing.
const NOTHING_JUDGED: &str = "No setting was judged.";

/// A record in lines, with what its number is good for where it is in the store.
pub fn record(id: Option<i64>, record: &Record) -> Vec<String> {
    let mut lines = match &record.body {
        RecordBody::Run(run) => run_lines(record, run.load.as_ref()),
        RecordBody::Tune(tune) => tune_lines(id, record, &tune.trials),
        RecordBody::Watch(_) => watch_lines(record),
        RecordBody::Check(check) => {
            super::check::lines(&record.summary, check, &record.findings, true)
        }
        RecordBody::Import(imported) => super::imported::lines(record, imported),
    };
    lines.extend(view::rehearsed::sentence(&record.provenance));
    lines.extend(id.map(shown_by));
    lines
}

fn run_lines(record: &Record, load: Option<&LoadResult>) -> Vec<String> {
    let mut lines = match (studies::lines(record), load) {
        (Some(lines), load) => {
            let last = load
                .into_iter()
                .flat_map(|load| summary::load_lines(&record.job, load));
            lines.into_iter().chain(last).collect()
        }
        (None, Some(_)) => summary::lines(record),
        (None, None) => vec![NOTHING_JUDGED.into()],
    };
    lines.extend(studies::precondition_lines(record));
    lines
}

fn shown_by(id: i64) -> String {
    format!("  record {id}   show it: iodyno show {id} --json")
}

/// What was watched, by which sensors, and which had nothing to read.
fn watch_lines(record: &Record) -> Vec<String> {
    let (absent, present): (Vec<_>, Vec<_>) =
        record.sensors.iter().partition(|log| log.no_data.is_some());
    let names = |logs: &[&SensorLog]| {
        logs.iter()
            .map(|log| log.sensor.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut lines = vec![
        format!("{}.", record.summary),
        format!("  sensors: {}", names(&present)),
    ];
    if !absent.is_empty() {
        lines.push(format!("  nothing to read here: {}", names(&absent)));
    }
    lines.push("  no load of iodyno ran: this is what others did".to_string());
    lines
}

fn tune_lines(id: Option<i64>, record: &Record, trials: &[Trial]) -> Vec<String> {
    let mut lines = Vec::new();
    for trial in trials {
        let view = TrialView::of(trial);
        lines.push(view.sentence.clone());
        lines.extend(proof_lines(&view));
        lines.extend(view.others.map(|others| format!("  {others}")));
        lines.extend(super::moved::lines(trial));
        lines.extend(
            view.trade_offs
                .iter()
                .flat_map(super::trade_off_rows::lines),
        );
    }
    let decided = |trial: &&Trial| trial.verdict.as_ref().is_some_and(Verdict::is_decided);
    if let Some(trial) = trials.iter().find(decided) {
        lines.push(format!(
            "  holds for this load ({}) on {}; not for others",
            record.job.phrase(),
            trial.device
        ));
    }
    if lines.is_empty() {
        lines.push(NOTHING_JUDGED.into());
    }
    lines.extend(keep_lines(id, record));
    lines
}

/// How what has won is kept, where something has.
fn keep_lines(id: Option<i64>, record: &Record) -> Vec<String> {
    let winners = Winners::of(record.trials());
    let won = || winners.each().into_iter();
    let held: Vec<String> = won()
        .filter_map(|trial| Some((trial, trial.subject().held_by()?)))
        .map(|(trial, why)| format!("  {} cannot be kept by apply: {why}", trial.knob))
        .collect();
    let is_fading = |trial: &&Trial| trial.win().is_some_and(|win| !win.is_lasting());
    let is_open = winners.proofs().iter().any(is_fading);
    match id {
        Some(id) if held.is_empty() && matches!(winners, Winners::Apart { .. }) => won()
            .map(|trial| {
                format!(
                    "  keep it alone: sudo iodyno apply {id} --only {}",
                    trial.knob
                )
            })
            .collect(),
        Some(id) if held.is_empty() && is_open => vec![format!(
            "  keep it until the next boot, and see: sudo iodyno apply {id}"
        )],
        Some(id) if held.is_empty() && won().next().is_some() => vec![format!(
            "  keep it: sudo iodyno apply {id}    keep it for good: sudo iodyno apply {id} --persist"
        )],
        _ => held,
    }
}

/// What a claim rests on.
fn proof_lines(view: &TrialView) -> Vec<String> {
    let (Some(proof), Some(horizon)) = (&view.proof, &view.horizon) else {
        return Vec::new();
    };
    let text = format!(
        "{}, seed {}, {}; {horizon}",
        proof.pairs, proof.seed, proof.cost
    );
    let lines = wrap(&text, width() - 2);
    lines.iter().map(|line| format!("  {line}")).collect()
}
