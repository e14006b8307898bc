//! A target that is visited again and again: what is not as usual, since when, and what changed with it.
//!
//! Levels are held against the visits before them ([`standing`]), settings against the reference, which is the first visit or
//! the last one that was accepted. Pure: records of visits in, the answer out.

mod changes;
pub mod levels;
mod sentence;
#[cfg(test)]
mod simulated;
pub mod standing;
#[cfg(test)]
mod tests;

use crate::compare::Named;
use crate::history::changed;
use levels::{Level, levels};
use model::check::CheckResult;
use model::guard::{
    GUARD_SCHEMA, GuardAlarm, GuardAnswer, GuardLevel, GuardState, GuardVisit, LevelMeasure,
    LevelState, SettingId, VisitId,
};
use model::record::Record;
use standing::{Side, Standing, standing};

/// A rate that is less than this much below the usual one is nobody's page at night; a tail moves more.
const LEAST_RATE: f64 = 0.10;
const LEAST_TAIL: f64 = 0.50;

/// A value that a change of iodyno's left in place.
#[derive(Clone, Debug)]
pub struct PutInPlace {
    /// The setting.
    pub setting: SettingId,
    /// The value.
    pub value: String,
    /// The change, as `status` names it.
    pub by: String,
}

/// A visit, with what it saw.
struct Visit<'a> {
    id: VisitId,
    record: &'a Record,
    check: &'a CheckResult,
}

impl Visit<'_> {
    fn done(&self) -> GuardVisit {
        self.check.guard.clone().unwrap_or_default()
    }
}

/// How the target of these visits stands: the reference first, this visit last. None of no visits. `accept` is the command that
/// takes it as it is.
pub fn judge(
    records: &[Named<'_>],
    put_in_place: &[PutInPlace],
    accept: &str,
) -> Option<GuardAnswer> {
    let visits: Vec<Visit<'_>> = records.iter().filter_map(visit).collect();
    let (reference, this) = (visits.first()?, visits.last()?);
    let levels = stood(&visits);
    let changes = changes::standing(&visits, put_in_place);
    let of_levels = levels
        .iter()
        .filter(|level| level.state == LevelState::Worse);
    let alarms: Vec<GuardAlarm> = of_levels
        .map(|level| GuardAlarm::Level {
            load: level.load.clone(),
            measure: level.measure,
        })
        .chain(
            changes
                .iter()
                .filter(|change| change.is_alarm)
                .map(|change| GuardAlarm::Setting {
                    place: change.difference.place.clone(),
                    name: change.difference.name.clone(),
                    is: change.difference.b.clone().unwrap_or_default(),
                }),
        )
        .collect();
    let is_learning = |level: &GuardLevel| level.state == LevelState::Learning;
    let state = match (alarms.is_empty(), levels.iter().all(is_learning)) {
        (false, _) => GuardState::Alarm,
        (true, true) => GuardState::Learning,
        (true, false) => GuardState::Quiet,
    };
    let before = visits
        .len()
        .checked_sub(2)
        .map(|index| visits[index].done());
    let before = before.map_or(Vec::new(), |done| done.alarms);
    let is_new = |alarm: &&GuardAlarm| !before.contains(alarm);
    let is_gone = |alarm: &&GuardAlarm| !alarms.contains(alarm);
    let mut answer = GuardAnswer {
        schema: GUARD_SCHEMA.into(),
        target: this.record.target.clone(),
        host: this.record.provenance.hostname.clone(),
        state,
        sentence: String::new(),
        visit: this.id,
        reference: reference.id,
        visits: visits.len(),
        raised: alarms.iter().filter(is_new).cloned().collect(),
        cleared: before.iter().filter(is_gone).cloned().collect(),
        done: GuardVisit {
            alarms: alarms.clone(),
            ..this.done()
        },
        levels,
        changes,
        accept: (state == GuardState::Alarm).then(|| accept.into()),
    };
    answer.sentence = sentence::sentence(&answer);
    Some(answer)
}

fn visit<'a>(named: &Named<'a>) -> Option<Visit<'a>> {
    Some(Visit {
        id: VisitId {
            record: named.id,
            unix_ms: named.record.provenance.started_unix_ms as i64,
        },
        record: named.record,
        check: named.record.check()?,
    })
}

/// The levels of the last visit, the worst first. One that loaded nothing has none, and the others stand as they stood before it.
fn stood(visits: &[Visit<'_>]) -> Vec<GuardLevel> {
    let all: Vec<(&Visit<'_>, Vec<Level>)> = visits
        .iter()
        .map(|visit| (visit, levels(visit.check)))
        .filter(|(_, levels)| !levels.is_empty())
        .collect();
    let newest = all.last().map_or(&[][..], |(_, levels)| levels);
    let mut stood: Vec<GuardLevel> = newest.iter().map(|level| stands(level, &all)).collect();
    let badness = |level: &GuardLevel| match level.state {
        LevelState::Worse => 0,
        LevelState::Suspected => 1,
        LevelState::Better => 2,
        LevelState::Usual | LevelState::Learning => 3,
    };
    stood.sort_by(|one, other| {
        let by_effect = || match badness(one) {
            3 => std::cmp::Ordering::Equal,
            _ => one
                .effect()
                .unwrap_or(0.0)
                .total_cmp(&other.effect().unwrap_or(0.0)),
        };
        badness(one).cmp(&badness(other)).then_with(by_effect)
    });
    stood
}

fn stands(level: &Level, all: &[(&Visit<'_>, Vec<Level>)]) -> GuardLevel {
    let is_it = |one: &&Level| one.role == level.role && one.measure == level.measure;
    let known: Vec<(&Visit<'_>, &Level)> = all
        .iter()
        .filter_map(|(visit, levels)| Some((*visit, levels.iter().find(is_it)?)))
        .collect();
    let values: Vec<f64> = known.iter().map(|(_, level)| level.ln()).collect();
    let least = match level.measure {
        LevelMeasure::P99 => LEAST_TAIL,
        LevelMeasure::Iops | LevelMeasure::Bandwidth => LEAST_RATE,
    };
    let found = standing(&values, -(1.0 - least).ln());
    let state = state(&found);
    let value_of = |ln: f64| match level.measure.more_is_better() {
        true => ln.exp(),
        false => (-ln).exp(),
    };
    let is_told = matches!(
        state,
        LevelState::Worse | LevelState::Better | LevelState::Suspected
    );
    let since = found.since.filter(|_| is_told);
    let changed = since.and_then(|index| {
        let before = known.get(index.checked_sub(1)?)?.0;
        Some(changed(before.record, known[index].0.record, None))
    });
    GuardLevel {
        load: level.load.clone(),
        measure: level.measure,
        state,
        value: level.value,
        usual: found.usual_ln.map(value_of),
        worst_usual: found
            .usual_ln
            .map(|middle| value_of(middle - found.half_ln)),
        visits: known.len(),
        since: since.map(|index| known[index].0.id),
        changed: changed.unwrap_or_default(),
    }
}

fn state(found: &Standing) -> LevelState {
    match (found.usual_ln, found.side, found.is_believed) {
        (None, ..) => LevelState::Learning,
        (_, Some(Side::Worse), true) => LevelState::Worse,
        (_, Some(Side::Worse), false) => LevelState::Suspected,
        (_, Some(Side::Better), true) => LevelState::Better,
        (_, Some(Side::Better) | None, _) => LevelState::Usual,
    }
}
