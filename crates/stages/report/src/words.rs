//! Records in words: the sentence first, then what it rests on, then what to do next.

use super::{studies, summary};
use model::record::{Record, Trial};
use model::sample::SensorLog;
use model::units;
use model::verdict::{Guard, Outcome, P99, Reason, Verdict};

/// What an experiment found about one knob.
pub fn verdict_sentence(knob: &str, values: &[String], verdict: &Verdict) -> String {
    let found = values.first().map_or("?", String::as_str);
    let within = units::percent_signed(verdict.rope).replace('+', "");
    match (verdict.outcome, verdict.reason) {
        (Outcome::Better, _) if verdict.arm != found => {
            format!(
                "{knob}: {found} → {}: {}{}",
                verdict.arm,
                effect(verdict),
                p99(verdict.p99.as_ref())
            )
        }
        (Outcome::Better | Outcome::Equal, Reason::WithinRope) if values.len() == 2 => {
            format!("{knob}: {} equals {found} within {within}", values[1])
        }
        (Outcome::Better | Outcome::Equal, Reason::WithinRope) => {
            format!("{knob}: no setting helps, all are within {within} of {found}")
        }
        (Outcome::Better | Outcome::Equal, _) => {
            format!("{knob}: nothing beats {found}{}", losers(verdict))
        }
        (Outcome::Inconclusive | Outcome::Refused, _) => {
            format!("{knob}: no verdict. {}", verdict.sentence)
        }
    }
}

/// `+59 % IOPS (57 to 61)`.
fn effect(verdict: &Verdict) -> String {
    let (Some(effect), Some(low), Some(high)) = (verdict.effect, verdict.low, verdict.high) else {
        return "no estimate".into();
    };
    format!(
        "{} IOPS ({} to {})",
        units::percent_signed(effect),
        bare(low),
        bare(high)
    )
}

/// A bound without sign and unit where it is positive: `57`, `−1.2`.
fn bare(value: f64) -> String {
    units::percent_signed(value)
        .trim_start_matches('+')
        .trim_end_matches(" %")
        .to_string()
}

fn p99(p99: Option<&P99>) -> String {
    match p99 {
        Some(p99) if p99.guard != Guard::NotJudged => {
            format!(", p99 {}", units::percent_signed(p99.ratio - 1.0))
        }
        _ => String::new(),
    }
}

/// The other arms with their distance, for a default that nothing beats.
fn losers(verdict: &Verdict) -> String {
    let one = |arm: &model::verdict::ArmResult| {
        Some(format!(
            "{} {}",
            arm.arm,
            units::percent_signed(arm.effect?)
        ))
    };
    let all: Vec<String> = verdict.arms.iter().filter_map(one).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(": {}", all.join(", "))
    }
}

/// The sentence of a whole tune: the wins, or that there was none.
pub fn tune_sentence(trials: &[Trial]) -> String {
    let tried: Vec<&Trial> = trials
        .iter()
        .filter(|trial| trial.verdict.is_some())
        .collect();
    let wins: Vec<&str> = tried
        .iter()
        .filter(|trial| is_win(trial))
        .map(|trial| trial.summary.as_str())
        .collect();
    match (wins.is_empty(), tried.is_empty()) {
        (false, _) => wins.join("; "),
        (true, false) => tried
            .iter()
            .map(|trial| trial.summary.trim_end_matches('.'))
            .collect::<Vec<_>>()
            .join("; "),
        (true, true) => "no knob was tried".to_string(),
    }
}

fn is_win(trial: &Trial) -> bool {
    let verdict = trial.verdict.as_ref();
    verdict.is_some_and(|v| v.outcome == Outcome::Better && Some(&v.arm) != trial.arms.first())
}

/// A record in lines, with what its number is good for where it is in the store.
pub fn record(id: Option<i64>, record: &Record) -> Vec<String> {
    if let Some(check) = &record.check {
        let mut lines = super::check::lines(&record.summary, check, &record.findings, true);
        lines.extend(id.map(shown_by));
        return lines;
    }
    if let Some(imported) = &record.imported {
        let mut lines = super::imported::lines(record, imported);
        lines.extend(id.map(shown_by));
        return lines;
    }
    let mut lines = match (studies::lines(record), &record.load) {
        (Some(lines), load) => {
            let last = load
                .iter()
                .flat_map(|load| summary::load_lines(&record.job, load));
            lines.into_iter().chain(last).collect()
        }
        (None, Some(_)) => summary::lines(record),
        (None, None) if record.verb == "watch" => watch_lines(record),
        (None, None) => tune_lines(id, record),
    };
    lines.extend(studies::precondition_lines(record));
    lines.extend(id.map(shown_by));
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

fn tune_lines(id: Option<i64>, record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for trial in &record.trials {
        lines.push(match &trial.skipped {
            Some(why) => format!("{}: not tried, {why}.", trial.knob),
            None => format!("{}.", trial.summary.trim_end_matches('.')),
        });
        lines.extend(trial.verdict.as_ref().and_then(proof_line));
        lines.extend(super::moved::lines(trial));
    }
    let device = record
        .trials
        .first()
        .map_or("the device", |trial| trial.device.as_str());
    lines.push(format!(
        "  holds for this load ({}) on {device}; not for others",
        record.job.phrase()
    ));
    let has_won = record.trials.iter().any(|trial| is_win(trial) && !trial.aa);
    if let (Some(id), true) = (id, has_won) {
        lines.push(format!(
            "  keep it: sudo iodyno apply {id}    keep it for good: sudo iodyno apply {id} --persist"
        ));
    }
    lines
}

/// What the verdict rests on.
fn proof_line(verdict: &Verdict) -> Option<String> {
    let stage = verdict.estimated_in?;
    let pairs = verdict
        .pairs
        .iter()
        .filter(|pair| pair.stage == stage)
        .count();
    let fresh = if stage == model::verdict::Stage::Holdout {
        " fresh pairs after the choice was made"
    } else {
        " pairs"
    };
    Some(format!(
        "  {pairs}{fresh}, seed {}, {} of device time; {}",
        verdict.seed,
        units::span_ms(verdict.device_ms),
        horizon(verdict.horizon_ms)
    ))
}

/// How far the audit could see. Under a second it saw nothing but noise, and says so.
fn horizon(horizon_ms: u64) -> String {
    match horizon_ms {
        0..1_000 => "too noisy to exclude that the effect fades".to_string(),
        _ => format!("no fading seen up to {}", units::span_ms(horizon_ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::verdict::ArmResult;

    fn verdict(outcome: Outcome, reason: Reason, arm: &str) -> Verdict {
        Verdict {
            outcome,
            arm: arm.into(),
            reason,
            sentence: "The noise is too large.".into(),
            effect: Some(0.59),
            low: Some(0.57),
            high: Some(0.61),
            estimated_in: None,
            compared: None,
            windows: 0,
            device_ms: 0,
            seed: 7,
            alpha: 0.05,
            rope: 0.02,
            window_ms: 120,
            washout_ms: 40,
            horizon_ms: 0,
            raw_effect: None,
            lives_in_tail: false,
            smallest_detectable: None,
            p99: Some(P99 {
                ratio: 0.62,
                low: Some(0.6),
                high: Some(0.65),
                guard: Guard::Passed,
            }),
            arms: vec![ArmResult {
                arm: "none".into(),
                effect: Some(-0.12),
                low: None,
                high: None,
                dropped: true,
            }],
            stages: vec![],
            pairs: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn a_win_names_both_values_the_interval_and_the_tail() {
        let values = ["bfq".to_string(), "none".to_string()];
        let won = verdict(Outcome::Better, Reason::Confirmed, "none");
        assert_eq!(
            verdict_sentence("scheduler", &values, &won),
            "scheduler: bfq → none: +59 % IOPS (57 to 61), p99 −38 %"
        );
        let equal = verdict(Outcome::Equal, Reason::WithinRope, "bfq");
        assert_eq!(
            verdict_sentence("scheduler", &values, &equal),
            "scheduler: none equals bfq within 2.0 %"
        );
        let lost = verdict(Outcome::Better, Reason::DefaultWins, "bfq");
        assert_eq!(
            verdict_sentence("scheduler", &values, &lost),
            "scheduler: nothing beats bfq: none −12 %"
        );
        let refused = verdict(Outcome::Refused, Reason::TooNoisy, "bfq");
        assert_eq!(
            verdict_sentence("scheduler", &values, &refused),
            "scheduler: no verdict. The noise is too large."
        );
    }
}
