//! One device over time: which records are its own, and their history.

use crate::records::{all, named};
use compare::history::{HistoryWish, history};
use model::comparison::History;
use store::{Filter, RecordRow, Store, StoreError, StoreErrorKind};

/// How many of the newest records are looked at where nobody says.
pub const LIMIT: u32 = 500;

/// The records of a name that fulfil a filter, newest first. A name is a device's where one has it, else a serial number,
/// else a target.
///
/// # Errors
/// When the store cannot be read.
pub fn rows(store: &Store, of: &str, filter: &Filter) -> Result<Vec<RecordRow>, StoreError> {
    let ways: [fn(&mut Filter, String); 3] = [
        |filter, of| filter.device = Some(of),
        |filter, of| filter.serial = Some(of),
        |filter, of| filter.target = Some(of),
    ];
    for way in ways {
        let mut own = filter.clone();
        way(&mut own, of.into());
        let rows = store.query(&own)?;
        if !rows.is_empty() {
            return Ok(rows);
        }
    }
    Ok(Vec::new())
}

/// The history of these records.
///
/// # Errors
/// When there is none, or one cannot be read; `what` says of what they are.
pub fn of(
    store: &Store,
    rows: &[RecordRow],
    what: &str,
    wish: &HistoryWish,
) -> Result<History, StoreError> {
    if rows.is_empty() {
        let message = format!("There is no record of {what}.");
        let error = StoreError::new(StoreErrorKind::Usage, message);
        return Err(error.hint("`iodyno list` shows what there is."));
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    Ok(history(&named(&all(store, &ids)?), wish))
}
