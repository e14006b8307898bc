//! The sentence of an answer: the worst level first, then what was changed.

use super::standing::LEARNING_VISITS;
use model::guard::{GuardAnswer, GuardChange, GuardLevel, GuardState, LevelState};
use model::units;

/// For people, in one line.
pub(super) fn sentence(answer: &GuardAnswer) -> String {
    match &answer.done.skipped {
        Some(why) => format!("{} Nothing was loaded: {why}.", stands(answer)),
        None => stands(answer),
    }
}

fn stands(answer: &GuardAnswer) -> String {
    let worse: Vec<&GuardLevel> = answer
        .levels
        .iter()
        .filter(|level| level.state == LevelState::Worse)
        .collect();
    let changed: Vec<&GuardChange> = answer.changes.iter().filter(|one| one.is_alarm).collect();
    let parts = [
        worse.first().map(|level| slower(level)),
        changed.first().map(|change| set(change)),
    ];
    let mut sentence = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let more = worse.len().saturating_sub(1) + changed.len().saturating_sub(1);
    if more > 0 {
        sentence.push_str(&format!("; and {more} more"));
    }
    match answer.state {
        GuardState::Alarm => format!("{}: {sentence}.", answer.target),
        GuardState::Learning if answer.levels.is_empty() => {
            format!(
                "{}: no alarm, and no load has been made yet.",
                answer.target
            )
        }
        GuardState::Learning => format!(
            "{}: learning what is usual, {} of {LEARNING_VISITS} visits made; no alarm.",
            answer.target,
            answer
                .levels
                .iter()
                .map(|level| level.visits)
                .min()
                .unwrap_or(0)
        ),
        GuardState::Quiet => {
            let suspected = answer
                .levels
                .iter()
                .find(|one| one.state == LevelState::Suspected);
            match suspected {
                Some(level) => format!(
                    "{}: {}, once; the next visit decides.",
                    answer.target,
                    slower(level)
                ),
                None => format!(
                    "{}: as usual, {} levels at visit {}.",
                    answer.target,
                    answer.levels.len(),
                    answer.visits
                ),
            }
        }
    }
}

/// `depth 32: IOPS −41 % (12.1 k/s, usually 20.5 k/s)`.
fn slower(level: &GuardLevel) -> String {
    let usual = level.usual.unwrap_or(level.value);
    format!(
        "{}: {} {} ({}, usually {})",
        level.load,
        level.measure.phrase(),
        units::percent_signed(level.value / usual - 1.0),
        level.measure.words(level.value),
        level.measure.words(usual)
    )
}

/// `scheduler of vda is bfq, was none, which gives +27 % IOPS`: where an experiment says so.
fn set(change: &GuardChange) -> String {
    let difference = &change.difference;
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not there".into());
    let (is, was) = (value(&difference.b), value(&difference.a));
    let effect = change.proof.as_ref().and_then(|proof| proof.effect);
    let gives = effect.map(|effect| {
        format!(
            ", which gives {} in an experiment",
            units::percent_signed(effect)
        )
    });
    format!(
        "{} of {} is {is}, was {was}{}",
        difference.name,
        difference.place,
        gives.unwrap_or_default()
    )
}
