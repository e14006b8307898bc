//! Records that others made, on their way in: what they hold is data, and none of it may be more.

use crate::error::{StoreError, StoreErrorKind};
use crate::origin::Origin;
use crate::schema::CREATE;
use crate::{Store, document};
use model::record::{Record, RecordDocument, Trial};
use model::text::{clean_to, is_plain_name, is_plain_value};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Why a record of others is not taken: a knob, device or value that no kernel could have, and that only makes sense
/// where a program is to take it for something else. None where all are plain.
pub fn objection(trials: &[Trial]) -> Option<String> {
    let odd = |what: &str, text: &str| Some(format!("its {what} `{}` is none", clean_to(text, 60)));
    trials.iter().find_map(|trial| {
        let values = trial
            .arms
            .iter()
            .chain(trial.verdict.as_ref().map(|verdict| &verdict.arm));
        if !is_plain_name(&trial.knob) {
            odd("setting", &trial.knob)
        } else if !is_plain_name(&trial.device) {
            odd("device", &trial.device)
        } else {
            values
                .into_iter()
                .find(|value| !is_plain_value(value))
                .and_then(|value| odd("value", value))
        }
    })
}

/// A document of a record that others made, checked.
pub fn read(text: &str) -> Result<Record, String> {
    let document: RecordDocument =
        serde_json::from_str(text).map_err(|error| format!("it cannot be read: {error}"))?;
    // Of whatever verb it says it is: the document is kept as it came, and other programs read it too.
    if let Some(why) = objection(&document.trials) {
        return Err(format!("it is no record of a measurement: {why}"));
    }
    let record =
        Record::try_from(document).map_err(|error| format!("it cannot be read: {error}"))?;
    match record.provenance.rehearsed {
        Some(_) => Err("it was rehearsed on a simulated disk, and measured nowhere".into()),
        None => Ok(record),
    }
}

/// Refuses another store whose tables are not those that this version makes: a view or a trigger would be a program.
pub fn check_tables(other: &Store) -> Result<(), StoreError> {
    let wanted = Connection::open_in_memory().and_then(|connection| {
        connection.execute_batch(CREATE)?;
        tables(&connection)
    });
    let wanted = wanted.map_err(|error| other.failed(&error))?;
    let found = tables(&other.connection).map_err(|error| other.failed(&error))?;
    let odd = found
        .iter()
        .find(|(name, sql)| wanted.get(*name) != Some(*sql));
    let lost = wanted.keys().find(|name| !found.contains_key(*name));
    match odd.map(|(name, _)| name).or(lost) {
        None => Ok(()),
        Some(name) => Err(not_taken(&other.path, name)),
    }
}

/// Why a store that holds something of this name is not taken over.
pub fn not_taken(other: &Path, name: &str) -> StoreError {
    let (other, name) = (model::text::shown(other), clean_to(name, 60));
    StoreError::new(
        StoreErrorKind::Damaged,
        format!(
            "{other} is not taken over: `{name}` in it is not what iodyno makes; nothing was changed."
        ),
    )
}

/// What makes each table, index, view and trigger; SQLite's own left out.
fn tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

impl Store {
    /// Takes in a record from a file of JSON: what iodyno writes where a result cannot be stored, or what
    /// `iodyno show --json` prints. Gives its number, and whether it was here already.
    ///
    /// # Errors
    /// When the file is none, holds no record, or the record is refused.
    pub fn take_file(&self, file: &Path) -> Result<(i64, bool), StoreError> {
        let refused = |why: String| {
            StoreError::new(
                StoreErrorKind::Failed,
                format!("{} is not taken over: {why}.", model::text::shown(file)),
            )
        };
        let mut text = String::new();
        let opened = host::foreign::open(file)?;
        let limit = document::MAX_BYTES + 1;
        opened
            .take(limit)
            .read_to_string(&mut text)
            .map_err(|error| refused(error.to_string()))?;
        if text.len() as u64 == limit {
            return Err(refused("it is longer than any record".into()));
        }
        let record = inner(&text).map_err(refused)?;
        self.take(&record, &file.to_string_lossy())
    }

    /// Takes in a record that another machine sent, as JSON. Gives its number, and whether it was here already.
    ///
    /// # Errors
    /// When the text is no record, or the record is refused.
    pub fn take_text(&self, text: &str, from: &str) -> Result<(i64, bool), StoreError> {
        let refused = |why: String| {
            let from = clean_to(from, 200);
            let message = format!("what {from} sent is not kept: {why}.");
            StoreError::new(StoreErrorKind::Failed, message)
        };
        if text.len() as u64 > document::MAX_BYTES {
            return Err(refused("it is longer than any record".into()));
        }
        self.take(&read(text).map_err(refused)?, from)
    }

    fn take(&self, record: &Record, from: &str) -> Result<(i64, bool), StoreError> {
        if let Some(here) = self.same(record)? {
            return Ok((here, true));
        }
        let origin = Origin::imported(from);
        let id = self.insert_from(std::slice::from_ref(record), &origin)?[0];
        Ok((id, false))
    }
}

/// Whether a file is no database but begins as JSON does.
pub fn is_json(file: &Path) -> Result<bool, StoreError> {
    let mut head = Vec::new();
    let read = host::foreign::open(file)?.take(64).read_to_end(&mut head);
    Ok(read.is_ok() && head.trim_ascii_start().starts_with(b"{"))
}

/// The record in a file: alone, or in a document of a verb.
fn inner(text: &str) -> Result<Record, String> {
    #[derive(serde::Deserialize)]
    struct Around {
        record: serde_json::Value,
    }
    match serde_json::from_str::<Around>(text) {
        Ok(around) => read(&around.record.to_string()),
        Err(_) => read(text),
    }
}
