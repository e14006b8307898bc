//! What the claim rests on: the sentence under it, and the part of the proof.

use super::html;
use crate::figure::{Figure, Table};
use crate::svg::escape;
use model::record::{Record, Trial};
use model::units;
use model::verdict::{Guard, Outcome, Stage, Verdict};

/// The sentence under the claim: how sure it is.
pub fn lede(record: &Record) -> String {
    lede_lines(record)
        .iter()
        .map(|line| format!("<p class=\"lede\">{}</p>\n", escape(line)))
        .collect()
}

/// The same as text.
pub fn lede_lines(record: &Record) -> Vec<String> {
    if let Some(imported) = &record.imported {
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
        return all;
    }
    let verdicts: Vec<String> = record.trials.iter().filter_map(rests_on).collect();
    match (verdicts.is_empty(), record.verb.as_str()) {
        (false, _) => {
            let mut all = verdicts;
            all.push(format!(
                "It holds for this load ({}) on {}; not for others.",
                record.job.phrase(),
                device(record)
            ));
            all
        }
        (true, "check") => vec!["Short loads, one each; changes no setting.".into()],
        (true, "watch") => vec!["No load of iodyno ran: this is what others did.".into()],
        (true, _)
            if record
                .studies
                .sweep
                .as_ref()
                .is_some_and(|sweep| sweep.repeats > 1) =>
        {
            vec!["Each point was visited several times in random order; no other machine or setting is compared.".into()]
        }
        (true, _) => {
            let load = record.load.as_ref().map(|load| {
                format!(
                    " {} I/Os in {}.",
                    units::count(load.ios() as f64),
                    units::span_ms(load.elapsed_ms as u64)
                )
            });
            vec![format!(
                "One run: no comparison is claimed.{}",
                load.unwrap_or_default()
            )]
        }
    }
}

fn device(record: &Record) -> String {
    let trial = record.trials.first().map(|trial| trial.device.clone());
    trial
        .or_else(|| record.path.queue_device().map(|layer| layer.name.clone()))
        .unwrap_or_else(|| "this device".into())
}

/// `46 fresh pairs after the choice was made, seed 81723, α 0.05`.
fn rests_on(trial: &Trial) -> Option<String> {
    let verdict = trial.verdict.as_ref()?;
    let Some(stage) = verdict.estimated_in.filter(|_| is_decided(verdict)) else {
        return Some(format!("{}: no verdict. {}", trial.knob, verdict.sentence));
    };
    let pairs = verdict
        .pairs
        .iter()
        .filter(|pair| pair.stage == stage)
        .count();
    let fresh = if stage == Stage::Holdout {
        "fresh pairs after the choice was made"
    } else {
        "pairs"
    };
    let p99 = verdict
        .p99
        .as_ref()
        .filter(|p99| p99.guard != Guard::NotJudged);
    let p99 = p99.map_or(String::new(), |p99| {
        let interval = match (p99.low, p99.high) {
            (Some(low), Some(high)) => format!(" ({:.2} to {:.2})", low, high),
            _ => String::new(),
        };
        format!(", p99 × {:.2}{interval}", p99.ratio)
    });
    Some(format!(
        "{}: {}{pairs} {fresh}, seed {}, α {}, {} of device time{p99}.",
        trial.knob,
        interval(verdict),
        verdict.seed,
        verdict.alpha,
        units::span_ms(verdict.device_ms)
    ))
}

/// Whether anything is claimed.
fn is_decided(verdict: &Verdict) -> bool {
    matches!(verdict.outcome, Outcome::Better | Outcome::Equal)
}

/// How far the audit could see; under a second it saw nothing but noise.
fn horizon(verdict: &Verdict) -> String {
    match verdict.horizon_ms {
        0..1_000 => "too noisy to exclude that an effect fades".into(),
        ms => format!("no fading seen up to {}", units::span_ms(ms)),
    }
}

fn interval(verdict: &Verdict) -> String {
    match (verdict.effect, verdict.low, verdict.high) {
        (Some(effect), Some(low), Some(high)) => format!(
            "{} ({} to {}), from ",
            units::percent_signed(effect),
            units::percent_signed(low),
            units::percent_signed(high)
        ),
        _ => String::new(),
    }
}

/// The part of the page; empty where nothing was compared.
pub fn section(record: &Record, figures: &[&Figure]) -> String {
    if record.trials.is_empty() {
        return String::new();
    }
    let mut out = html::figures(figures);
    for trial in &record.trials {
        match (&trial.skipped, &trial.verdict) {
            (Some(why), _) => {
                out.push_str(&format!(
                    "<p>{}: not tried, {}.</p>\n",
                    escape(&trial.knob),
                    escape(why)
                ));
            }
            (None, Some(verdict)) => out.push_str(&rule(trial, verdict)),
            (None, None) => {}
        }
    }
    out
}

/// The arms of a trial against the one that was set.
pub fn arms_table(trial: &Trial, verdict: &Verdict) -> Table {
    let mut table = Table::new(&["arm", "against what is set", "interval", "remark"]);
    if let Some(found) = trial.arms.first() {
        table.row([
            format!("A {found}"),
            "–".into(),
            "–".into(),
            "set now".into(),
        ]);
    }
    for (index, arm) in trial.arms.iter().enumerate().skip(1) {
        let claimed = is_decided(verdict)
            && verdict.compared.as_ref() == Some(arm)
            && verdict.effect.is_some();
        let found = verdict.arms.iter().find(|one| one.arm == *arm);
        let (effect, low, high) = match claimed {
            true => (verdict.effect, verdict.low, verdict.high),
            false => found.map_or((None, None, None), |one| (one.effect, one.low, one.high)),
        };
        let interval = match (low, high) {
            (Some(low), Some(high)) => {
                format!(
                    "{} to {}",
                    units::percent_signed(low),
                    units::percent_signed(high)
                )
            }
            _ => "–".into(),
        };
        let remark = match (claimed, found.is_some_and(|one| one.dropped)) {
            (true, _) => "the estimate that is claimed",
            (_, true) => "dropped: another arm beat it",
            _ => "not claimed",
        };
        table.row([
            format!("{} {arm}", crate::figures::arm_letter(index)),
            effect.map_or("never compared".into(), units::percent_signed),
            interval,
            remark.into(),
        ]);
    }
    table
}

fn rule(trial: &Trial, verdict: &Verdict) -> String {
    let word = match verdict.outcome {
        Outcome::Better => "decided",
        Outcome::Equal => "decided: equal",
        Outcome::Inconclusive | Outcome::Refused => "no verdict",
    };
    let stages: Vec<String> = verdict
        .stages
        .iter()
        .map(|cost| {
            let stage = serde_json::to_value(cost.stage).ok();
            let stage = stage
                .as_ref()
                .and_then(|stage| stage.as_str())
                .unwrap_or("?")
                .to_string();
            format!(
                "{stage} {} windows, {}",
                cost.windows,
                units::span_ms(cost.device_ms)
            )
        })
        .collect();
    let notes = html::list(&verdict.notes);
    format!(
        "<h3>{}: {word}</h3>\n<p>{}</p>\n{}<p class=\"quiet\">Windows of {}, of which the first {} do not count; equal means \
         within ±{}; {}. {}.</p>\n{notes}",
        escape(&trial.knob),
        escape(&verdict.sentence),
        html::table(&arms_table(trial, verdict)),
        units::span_ms(verdict.window_ms),
        units::span_ms(verdict.washout_ms),
        units::percent(verdict.rope * 100.0),
        horizon(verdict),
        escape(&stages.join("; "))
    )
}
