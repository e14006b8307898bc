//! Notes: sentences of the user's on a record, beside it and not in it.

use crate::Store;
use crate::error::{StoreError, StoreErrorKind};
use rusqlite::params;
use serde::{Deserialize, Serialize};

/// The longest note, bytes.
pub const LONGEST: usize = 64 << 10;

/// A note on a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// Number of the note.
    pub id: i64,
    /// When it was written, ms since 1970.
    pub unix_ms: i64,
    /// What it says.
    pub text: String,
}

impl Store {
    /// The notes of a record, oldest first.
    pub fn notes(&self, id: i64) -> Result<Vec<Note>, StoreError> {
        self.row(id)?;
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT id, unix_ms, text FROM note WHERE record = ?1 ORDER BY unix_ms, id",
            )?;
            let rows = statement.query_map([id], |row| {
                Ok(Note {
                    id: row.get(0)?,
                    unix_ms: row.get(1)?,
                    text: row.get(2)?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Adds a note and returns its number.
    pub fn note(&self, id: i64, text: &str) -> Result<i64, StoreError> {
        self.row(id)?;
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST {
            let why = format!(
                "a note is text of 1 to {LONGEST} bytes; this one has {}.",
                text.len()
            );
            return Err(StoreError::new(StoreErrorKind::Usage, why));
        }
        let now = host::clock::unix_ms() as i64;
        self.write(|transaction| {
            transaction
                .prepare("INSERT INTO note (record, unix_ms, text) VALUES (?1, ?2, ?3)")?
                .insert(params![id, now, text])
        })
    }

    /// Takes a note away, by its number.
    pub fn unnote(&self, id: i64, note: i64) -> Result<(), StoreError> {
        self.row(id)?;
        let taken = self.write(|transaction| {
            transaction.execute(
                "DELETE FROM note WHERE record = ?1 AND id = ?2",
                params![id, note],
            )
        })?;
        if taken == 0 {
            let why =
                format!("record {id} has no note {note}.\n`iodyno note {id}` shows what there is.");
            return Err(StoreError::new(StoreErrorKind::Missing, why));
        }
        Ok(())
    }
}
