//! What a run ends with: its exit code, from its record.

use crate::exit::{Exit, Failure};
use model::record::Record;

/// What a run ends with: a stop, data that were not what was written, or neither.
pub fn ended(record: &Record, was_cut: bool) -> Result<Exit, Failure> {
    match (was_cut, record_is_bad(record)) {
        (true, _) => Ok(Exit::Interrupted),
        (false, true) => {
            let target = &record.target;
            let message = format!(
                "{target} does not hold what was written to it: reading back found other data"
            );
            Err(Failure::new(Exit::Failed, message).on(target).told())
        }
        (false, false) => broken_off(record),
    }
}

/// The failure of a load that ended before its time; its record holds what was done until then.
fn broken_off(record: &Record) -> Result<Exit, Failure> {
    let loads = record.sections().iter().map(|section| &section.load);
    let why = loads
        .chain(record.load())
        .find_map(|load| load.broken_off.as_ref());
    match why {
        None => Ok(Exit::Fine),
        Some(why) => {
            let message = format!(
                "{}: {why}. The record holds what was done until then",
                record.target
            );
            Err(Failure::new(Exit::Failed, message)
                .on(&record.target)
                .why(why))
        }
    }
}

/// Whether reading back found other data than was written.
fn record_is_bad(record: &Record) -> bool {
    let sections = record
        .sections()
        .iter()
        .map(|section| &section.load)
        .chain(record.load());
    sections
        .filter_map(|load| load.verified.as_ref())
        .any(|verified| verified.bad > 0)
}
