//! The sentence of a verdict, and that of a whole tune.

use crate::effect::{Effect, p99_change};
use model::record::{SetMember, Trial, Winners, knob_label};
use model::units;
use model::verdict::{ArmResult, Outcome, Reason, Verdict};

/// What an experiment found about one knob, without a full stop; the first of the values is the one that was set.
pub fn sentence(knob: &str, values: &[String], verdict: &Verdict) -> String {
    let said = found(knob, values, verdict);
    match verdict.is_decided() && !verdict.is_lasting() {
        true => format!("{said}; {}", super::open(verdict)),
        false => said,
    }
}

/// What an experiment found about several values in place together: `scheduler=none and nr_requests=64 together: +18 % IOPS`.
pub fn set_sentence(set: &[SetMember], verdict: &Verdict) -> String {
    let names: Vec<String> = set
        .iter()
        .map(|member| {
            format!(
                "{}={}",
                knob_label(&member.knob, &member.subject),
                member.value
            )
        })
        .collect();
    let head = match names.as_slice() {
        [one] => one.clone(),
        _ => format!("{} together", names.join(" and ")),
    };
    let said = match verdict.outcome {
        Outcome::Better if verdict.reason != Reason::DefaultWins => {
            format!("{head}: {}", gain(verdict))
        }
        Outcome::Better => format!("{head}: worse than what was found, {}", gain(verdict)),
        Outcome::Equal => format!("{head}: no gain"),
        _ => format!("{head}: no verdict. {}", verdict.sentence),
    };
    match verdict.is_decided() && !verdict.is_lasting() {
        true => format!("{said}; {}", super::open(verdict)),
        false => said,
    }
}

fn found(knob: &str, values: &[String], verdict: &Verdict) -> String {
    let found = values.first().map_or("?", String::as_str);
    let within = units::percent_signed(verdict.rope).replace('+', "");
    match (verdict.outcome, verdict.reason) {
        (Outcome::Better, _) if verdict.arm != found => {
            format!("{knob}: {found} → {}: {}", verdict.arm, gain(verdict))
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
        (_, Reason::Selected) if verdict.arm == found => {
            format!("{knob}: nothing is ahead of {found}")
        }
        (_, Reason::Selected) => {
            let ahead = Effect::of(verdict).map_or(String::new(), |effect| {
                format!(", about {}", effect.change())
            });
            format!("{knob}: {} is ahead of {found}{ahead}", verdict.arm)
        }
        (Outcome::Inconclusive | Outcome::Refused, _) => {
            format!("{knob}: no verdict. {}", verdict.sentence)
        }
    }
}

/// `+59 % IOPS (57 to 61), p99 −38 %`.
fn gain(verdict: &Verdict) -> String {
    let metric = &verdict.metric.name;
    let claim = Effect::of(verdict).map_or("no estimate".into(), |effect| effect.claim(metric));
    match p99_change(verdict.p99.as_ref()) {
        Some(p99) => format!("{claim}, {p99}"),
        None => claim,
    }
}

/// The other values with their distance, for a default that nothing beats. Of the one that fresh pairs compared, it is
/// theirs.
fn losers(verdict: &Verdict) -> String {
    let one = |arm: &ArmResult| {
        let is_compared = verdict.compared.as_ref() == Some(&arm.arm);
        let effect = verdict.effect.filter(|_| is_compared).or(arm.effect)?;
        let change = units::percent_signed(verdict.metric.change(effect));
        Some(format!("{} {change}", arm.arm))
    };
    let all: Vec<String> = verdict.arms.iter().filter_map(one).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(": {}", all.join(", "))
    }
}

/// The sentence of a trial with its full stop; the record keeps the one that was made with the verdict.
pub(super) fn whole(trial: &Trial) -> String {
    match &trial.skipped {
        Some(why) => format!("{}: not tried, {why}.", trial.knob),
        None => format!("{}.", trial.summary.trim_end_matches('.')),
    }
}

/// The sentence of a whole tune: the wins that last, else those of which that is not known, or that there was none.
pub fn tune_sentence(trials: &[Trial]) -> String {
    let tried: Vec<&Trial> = trials
        .iter()
        .filter(|trial| trial.verdict.is_some())
        .collect();
    let won = |is_wanted: fn(&Verdict) -> bool| -> Vec<&str> {
        tried
            .iter()
            .filter(|trial| trial.set.is_empty() && trial.win().is_some_and(is_wanted))
            .map(|trial| trial.summary.as_str())
            .collect()
    };
    let lasting = won(Verdict::is_lasting);
    // What was proved together is the headline, and what each gave alone stands below it.
    let wins = match Winners::of(trials) {
        Winners::Together { set, .. } => vec![set.summary.as_str()],
        _ if lasting.is_empty() => won(|_| true),
        _ => lasting,
    };
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
