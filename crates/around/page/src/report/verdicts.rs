//! What the claim rests on: the sentence under it, and the part of the proof.

use super::pieces;
use crate::figure::{Figure, FigureTable};
use maud::{Markup, html};
use model::dataset::Dataset;
use model::imported::Imported;
use model::record::{LoadResult, Record, RecordBody, RunBody, Trial};
use model::units;
use model::verdict::{Outcome, Verdict};
use view::effect::p99_ratio;
use view::tradeoffs::TradeOffs;
use view::trial::TrialView;

/// The sentence under the claim: how sure it is.
pub fn lede(record: &Record) -> Markup {
    html! {
        @for line in lede_lines(record) { p.lede { (line) } }
    }
}

/// The same as text.
pub fn lede_lines(record: &Record) -> Vec<String> {
    match &record.body {
        RecordBody::Import(imported) => import_lines(imported),
        RecordBody::Tune(tune) => tune_lines(record, &tune.trials),
        RecordBody::Check(_) => vec!["Short loads, one each; changes no setting.".into()],
        RecordBody::Watch(_) => vec!["No load of iodyno ran: this is what others did.".into()],
        RecordBody::Run(run) => run_lines(run),
    }
}

fn import_lines(imported: &Imported) -> Vec<String> {
    let lines = imported.lines.map_or(String::new(), |(first, last)| {
        format!(", lines {first} to {last}")
    });
    let mut all = vec![format!(
        "Measured by {}, read from {}{lines}. One result of another tool: no comparison is claimed.",
        imported.tool, imported.file
    )];
    all.extend(
        imported
            .lossy
            .iter()
            .map(|text| format!("Lost or rounded there: {text}.")),
    );
    all
}

fn tune_lines(record: &Record, trials: &[Trial]) -> Vec<String> {
    let mut all: Vec<String> = trials.iter().filter_map(rests_on).collect();
    // Where every trial was skipped, its load ran at most once.
    if all.is_empty() {
        return vec![one_run(None)];
    }
    all.push(format!(
        "It holds for this load ({}) on {}; not for others.",
        record.job.phrase(),
        device(record)
    ));
    all
}

fn run_lines(run: &RunBody) -> Vec<String> {
    if let Some(dataset) = &run.studies.dataset {
        return vec![dataset_line(dataset)];
    }
    let sweep = run.studies.sweep.as_ref();
    if sweep.is_some_and(|sweep| sweep.repeats > 1) {
        return vec!["Each point was visited several times in random order; no other machine or setting is compared.".into()];
    }
    vec![one_run(run.load.as_ref())]
}

/// What a figure of a data set rests on.
fn dataset_line(dataset: &Dataset) -> String {
    let turns = dataset
        .target
        .passes
        .iter()
        .map(|pass| pass.turns)
        .max()
        .unwrap_or(0);
    match &dataset.against {
        Some(first) => format!(
            "Read in turns with {first}, the same files in each of up to {turns} rounds, in random order; the interval is \
             that of the rounds' ratios."
        ),
        None => format!(
            "Up to {turns} turns of files drawn at random; nothing else was read beside it."
        ),
    }
}

fn one_run(load: Option<&LoadResult>) -> String {
    let load = load.map(|load| {
        format!(
            " {} I/Os in {}.",
            units::count(load.ios() as f64),
            units::span_ms(load.elapsed_ms as u64)
        )
    });
    format!(
        "One run: no comparison is claimed.{}",
        load.unwrap_or_default()
    )
}

fn device(record: &Record) -> String {
    let trial = record.trials().first().map(|trial| trial.device.clone());
    trial
        .or_else(|| record.path.queue_device().map(|layer| layer.name.clone()))
        .unwrap_or_else(|| "this device".into())
}

/// `+5.1 % (+3.8 % to +6.3 %), from 46 fresh pairs after the choice was made, seed 81723, α 0.05`.
fn rests_on(trial: &Trial) -> Option<String> {
    let verdict = trial.verdict.as_ref()?;
    let view = TrialView::of(trial);
    let Some(proof) = view.proof.filter(|_| verdict.is_decided()) else {
        return Some(format!("{}: no verdict. {}", trial.knob, verdict.sentence));
    };
    let claim = view
        .claim
        .map_or(String::new(), |claim| format!("{claim}, from "));
    let p99 = p99_ratio(verdict.p99.as_ref()).map_or(String::new(), |p99| format!(", {p99}"));
    Some(format!(
        "{}: {claim}{}, seed {}, α {}, {}{p99}.",
        trial.knob, proof.pairs, proof.seed, proof.alpha, proof.cost
    ))
}

/// The part of the page; empty where nothing was compared.
pub fn section(record: &Record, figures: &[&Figure]) -> Markup {
    html! {
        @if !record.trials().is_empty() { (pieces::figures(figures)) }
        @for trial in record.trials() {
            @if let Some(why) = &trial.skipped {
                p { (trial.knob) ": not tried, " (why) "." }
            } @else if let Some(verdict) = &trial.verdict {
                (rule(trial, verdict))
            }
        }
    }
}

/// The arms of a trial against the one that was set.
pub fn arms_table(trial: &Trial) -> FigureTable {
    let mut table = FigureTable::new(&["arm", "against what is set", "interval", "remark"]);
    for row in TrialView::of(trial).values {
        table.row([row.value, row.change, row.interval, row.remark.into()]);
    }
    table
}

fn trade_offs_table(trade_offs: &TradeOffs) -> FigureTable {
    let goals = trade_offs.goals.iter().copied();
    let head: Vec<&str> = ["value"]
        .into_iter()
        .chain(goals)
        .chain(["remark"])
        .collect();
    let mut table = FigureTable::new(&head);
    for row in &trade_offs.rows {
        let cells = [row.arm.clone()].into_iter().chain(row.cells.clone());
        table.row(cells.chain([row.remark().unwrap_or_default()]));
    }
    table
}

fn rule(trial: &Trial, verdict: &Verdict) -> Markup {
    let word = match verdict.outcome {
        Outcome::Better => "decided",
        Outcome::Equal => "decided: equal",
        Outcome::Inconclusive | Outcome::Refused => "no verdict",
    };
    let stages: Vec<String> = verdict
        .stages
        .iter()
        .map(|cost| {
            format!(
                "{} {} windows, {}",
                view::stage::word(cost.stage),
                cost.windows,
                units::span_ms(cost.device_ms)
            )
        })
        .collect();
    let view = TrialView::of(trial);
    let terms = format!(
        "Windows of {}, of which the first {} do not count; equal means within ±{}; {}. {}.",
        units::span_ms(verdict.window_ms),
        units::span_ms(verdict.washout_ms),
        units::percent(verdict.rope * 100.0),
        view.horizon.as_deref().unwrap_or_default(),
        stages.join("; ")
    );
    html! {
        h3 { (trial.knob) ": " (word) }
        p { (verdict.sentence) }
        (pieces::table(&arms_table(trial)))
        @if let Some(trade_offs) = &view.trade_offs {
            p { "What each value gives and costs beside that, where one goal wins and another loses:" }
            (pieces::table(&trade_offs_table(trade_offs)))
        }
        p.quiet { (terms) }
        @if let Some(others) = &view.others {
            p.quiet { "Meanwhile " (others) "." }
        }
        (pieces::list(&verdict.notes))
    }
}
