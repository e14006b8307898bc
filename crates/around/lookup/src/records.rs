//! Records of the store that are held against each other: light enough to hold many, with others like them.

use compare::compare::{Named, records as side_by_side};
use compare::{measures, rank};
use model::comparison::{Comparison, Ranking};
use model::record::{Record, RecordBody};
use store::{Filter, Store, StoreError, StoreErrorKind};

/// Like records that are looked at to learn what repeats differ by, for each record that is compared.
const LIKE_MAX: usize = 30;

/// One thing that is compared.
#[derive(Debug)]
pub struct GivenRecord {
    /// As people call it.
    pub name: String,
    /// Number in the store.
    pub id: Option<i64>,
    /// File it came from, as the user named it.
    pub file: Option<String>,
    /// The record.
    pub record: Record,
}

/// A record without what is large and not compared: many are held at once.
pub fn light(mut record: Record) -> Record {
    let has_loads = match &record.body {
        RecordBody::Run(run) => run.load.is_some() || !run.sections.is_empty(),
        RecordBody::Check(_) => true,
        RecordBody::Tune(_) | RecordBody::Watch(_) | RecordBody::Import(_) => false,
    };
    // Without loads in it, the sensors are what is compared.
    if has_loads {
        record.sensors.clear();
    }
    record
        .trials_mut()
        .iter_mut()
        .filter_map(|trial| trial.verdict.as_mut())
        .for_each(|verdict| verdict.pairs.clear());
    record
}

/// A record of the store.
///
/// # Errors
/// When there is none of this number, or it cannot be read.
pub fn of(store: &Store, id: i64) -> Result<GivenRecord, StoreError> {
    Ok(GivenRecord {
        name: id.to_string(),
        id: Some(id),
        file: None,
        record: light(store.get(id)?),
    })
}

/// Several of them, in this order.
///
/// # Errors
/// See [`of`].
pub fn all(store: &Store, ids: &[i64]) -> Result<Vec<GivenRecord>, StoreError> {
    ids.iter().map(|id| of(store, *id)).collect()
}

/// Records that a filter finds and that are not there already, oldest first.
///
/// # Errors
/// See [`of`].
pub fn filtered(
    store: &Store,
    filter: &Filter,
    given: &[GivenRecord],
) -> Result<Vec<GivenRecord>, StoreError> {
    let mut rows = store.query(filter)?;
    rows.reverse();
    let is_new = |id: &i64| !given.iter().any(|one| one.id == Some(*id));
    rows.iter()
        .map(|row| row.id)
        .filter(is_new)
        .map(|id| of(store, id))
        .collect()
}

/// Other records of the same jobs on the same devices.
///
/// # Errors
/// See [`of`].
pub fn like(store: &Store, given: &[GivenRecord]) -> Result<Vec<GivenRecord>, StoreError> {
    let mut ids: Vec<i64> = Vec::new();
    for id in given.iter().filter_map(|one| one.id) {
        let rows = store.like(id)?;
        ids.extend(rows.iter().take(LIKE_MAX).map(|row| row.id));
    }
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| !given.iter().any(|one| one.id == Some(*id)));
    all(store, &ids)
}

/// As comparisons and histories take them.
pub fn named(given: &[GivenRecord]) -> Vec<Named<'_>> {
    given
        .iter()
        .map(|one| Named {
            name: &one.name,
            id: one.id,
            record: &one.record,
        })
        .collect()
}

/// Fails where there is nothing to hold against each other.
///
/// # Errors
/// When there are fewer than two.
pub fn must_be_several(given: &[GivenRecord]) -> Result<(), StoreError> {
    let why = match given {
        [] => "Nothing to compare: name two records or files, or rank with --rank.".to_string(),
        [only] => format!(
            "{} alone cannot be compared: name a second record or file.",
            only.name
        ),
        _ => return Ok(()),
    };
    Err(StoreError::new(StoreErrorKind::Usage, why))
}

/// They side by side, with what repeats of them differ by: against one of them, without bounds.
///
/// # Errors
/// When there are fewer than two, or like ones cannot be read.
pub fn comparison(
    store: &Store,
    given: &[GivenRecord],
    base: usize,
) -> Result<Comparison, StoreError> {
    must_be_several(given)?;
    let known = like(store, given)?;
    Ok(side_by_side(
        &named(given),
        base,
        &named(&known),
        &[],
        false,
    ))
}

/// Devices ranked by them; by this measure, or the usual one.
pub fn ranking(given: &[GivenRecord], by: Option<&str>) -> Ranking {
    let subjects: Vec<_> = given
        .iter()
        .map(|one| measures::of(&one.name, one.id, &one.record))
        .collect();
    rank::ranking(&subjects, by)
}
