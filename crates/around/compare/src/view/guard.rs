//! A visit of `guard` in lines: the answer, the levels beside what is usual, and what changed.

use super::{left, paragraph, right};
use model::difference::{Difference, DifferenceWhat};
use model::finding::{FindingProof, ProofOutcome};
use model::guard::{GuardAnswer, GuardChange, GuardLevel, LevelState, VisitId};
use model::units;
use report::text::{Paint, clean, width};

/// Facts that are shown; the rest is in the document.
const CHANGED_MOST: usize = 5;

/// The whole answer. `date` makes a day of ms since 1970.
pub fn lines(answer: &GuardAnswer, date: &dyn Fn(i64) -> String, paint: Paint) -> Vec<String> {
    let sentence = report::text::wrap(&clean(&answer.sentence), width());
    let mut lines: Vec<String> = sentence.iter().map(|line| paint.strong(line)).collect();
    let when = match answer.done.skipped.is_none() {
        true => "now",
        false => "when last loaded",
    };
    lines.extend(table(&answer.levels, when));
    lines.extend(since(&answer.levels, date));
    for change in answer.changes.iter().take(CHANGED_MOST) {
        lines.extend(changed(change, date));
    }
    let hidden = answer.changes.len().saturating_sub(CHANGED_MOST);
    if hidden > 0 {
        lines.push(format!(
            "  and {hidden} more changes in the document (--json)"
        ));
    }
    if answer.done.device_ms > 0 {
        lines.push(format!(
            "  {} of device time of {}, {} written",
            units::span_ms(answer.done.device_ms),
            units::span_ms(answer.done.budget_ms),
            units::bytes(answer.done.written_bytes as f64)
        ));
    }
    lines.extend(
        answer
            .accept
            .iter()
            .map(|command| format!("  take it as it is: {command}")),
    );
    lines
}

/// A row for each level: this visit or the last that loaded, the usual one, the worst usual one.
fn table(levels: &[GuardLevel], when: &str) -> Vec<String> {
    if levels.is_empty() {
        return Vec::new();
    }
    let longest = levels.iter().map(|level| name(level).chars().count()).max();
    let (longest, width) = (longest.unwrap_or(0), when.len().max(11));
    let head = format!(
        "  {} {} {} {}",
        left("", longest),
        right(when, width),
        right("usually", 11),
        right("worst usual", 12)
    );
    let row = |level: &GuardLevel| {
        let value = |value: Option<f64>| value.map_or("-".into(), |it| level.measure.words(it));
        let line = format!(
            "  {} {} {} {}  {}",
            left(&name(level), longest),
            right(&level.measure.words(level.value), width),
            right(&value(level.usual), 11),
            right(&value(level.worst_usual), 12),
            state(level)
        );
        line.trim_end().to_string()
    };
    std::iter::once(head)
        .chain(levels.iter().map(row))
        .collect()
}

fn state(level: &GuardLevel) -> String {
    match level.state {
        LevelState::Usual => String::new(),
        LevelState::Learning => format!("learning, {} so far", level.visits),
        LevelState::Suspected => "out of it once: the next visit decides".into(),
        LevelState::Worse => "worse".into(),
        LevelState::Better => "better".into(),
    }
}

/// Since when levels are out of the usual range, and what else differs there: a paragraph for those that went together.
fn since(levels: &[GuardLevel], date: &dyn Fn(i64) -> String) -> Vec<String> {
    let mut groups: Vec<Vec<&GuardLevel>> = Vec::new();
    for level in levels.iter().filter(|level| level.since.is_some()) {
        let is_with = |other: &&GuardLevel| {
            (other.since, other.state, &other.changed) == (level.since, level.state, &level.changed)
        };
        match groups.iter_mut().find(|group| group.iter().any(is_with)) {
            Some(group) => group.push(level),
            None => groups.push(vec![level]),
        }
    }
    let paragraphs = groups.iter().filter_map(|group| {
        let (first, names) = (group.first()?, group.iter().map(|level| name(level)));
        let what: Vec<String> = first.changed.iter().take(CHANGED_MOST).map(was).collect();
        let what = match what.is_empty() {
            true => "nothing that iodyno sees changed with it".to_string(),
            false => format!("what changed with it: {}", what.join(", ")),
        };
        let names = names.collect::<Vec<_>>().join("; ");
        let at = at(&first.since?, date);
        Some(paragraph(&format!("{names}: since {at}; {what}"), 2))
    });
    paragraphs.flatten().collect()
}

fn name(level: &GuardLevel) -> String {
    format!("{}, {}", level.load, level.measure.phrase())
}

fn changed(change: &GuardChange, date: &dyn Fn(i64) -> String) -> Vec<String> {
    let mut text = format!(
        "{} since {}",
        was(&change.difference),
        at(&change.since, date)
    );
    if let Some(by) = &change.put_by {
        text.push_str(&format!(", put there by iodyno ({by})"));
    }
    let mut lines = paragraph(&text, 2);
    match &change.proof {
        Some(proof) => lines.extend(paragraph(&proved(proof), 4)),
        None if change.difference.what == DifferenceWhat::Setting => {
            lines.extend(paragraph(&change.difference.why, 4));
        }
        None => {}
    }
    lines
}

fn was(difference: &Difference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not there".into());
    format!(
        "{} of {} {} → {}",
        difference.name,
        difference.place,
        value(&difference.a),
        value(&difference.b)
    )
}

fn proved(proof: &FindingProof) -> String {
    let said = match proof.outcome {
        ProofOutcome::Confirmed => "The value from before is better here",
        ProofOutcome::Refuted => "The experiment: the value from before is not better",
        ProofOutcome::Undecided => "No verdict",
    };
    let record = proof.record.map(|id| match proof.outcome {
        ProofOutcome::Confirmed => format!(" Bring it back: sudo iodyno apply {id}"),
        _ => format!(" See it: iodyno show {id}"),
    });
    let words = proof.words.trim_end_matches('.');
    format!("{said}: {words}.{}", record.unwrap_or_default())
}

fn at(visit: &VisitId, date: &dyn Fn(i64) -> String) -> String {
    let day = date(visit.unix_ms);
    match visit.record {
        Some(id) => format!("record {id} of {day}"),
        None => "this visit".into(),
    }
}
