//! The store: one SQLite file in the state directory. A record once written is never changed; tags and notes lie beside
//! it, and the columns it is found by are derived from it.
//!
//! One process writes at a time and any number read beside it (SQLite's WAL). SQLite opens the file itself; this is the
//! one place outside `host` that touches the disk.

mod backup;
mod check;
mod columns;
mod document;
mod error;
mod export;
mod foreign;
mod job_words;
mod merge;
mod migrations;
mod moment;
mod notes;
mod open;
mod origin;
mod programs;
mod proofs;
mod query;
mod schema;
mod tags;
mod write;

pub use check::{Checked, Status};
pub use error::{StoreError, StoreErrorKind};
pub use export::{Exported, ExportedTable, table_names};
pub use merge::Merged;
pub use moment::moment;
pub use notes::Note;
pub use origin::Origin;
pub use programs::{Program, removal};
pub use query::{Filter, RecordRow};

use model::record::Record;
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

/// Name of the file in the state directory.
const FILE: &str = "records.db";

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the store below the state directory for reading and writing. Makes it when there is none, and brings one of
    /// an earlier schema up to date; a copy of that stays beside it.
    pub fn open(state_dir: &Path) -> Result<Store, StoreError> {
        host::durable::ensure(state_dir)?;
        open::to_write(&state_dir.join(FILE))
    }

    /// Opens the store below the state directory for reading alone, which needs no right to write and waits for no
    /// writer. Where there is none it is empty, and none is made. One of an earlier schema is brought up to date first,
    /// which needs the right to.
    pub fn open_read_only(state_dir: &Path) -> Result<Store, StoreError> {
        host::durable::check(state_dir)?;
        open::to_read(&state_dir.join(FILE))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The record of this number.
    pub fn get(&self, id: i64) -> Result<Record, StoreError> {
        let text = self.document(id)?;
        model::json::read_record(&text).map_err(|error| self.damaged(id, &error.to_string()))
    }

    /// The record of this number as the JSON that was written.
    pub fn document(&self, id: i64) -> Result<String, StoreError> {
        let found: Option<(Vec<u8>, i64)> = self
            .connection
            .query_row(
                "SELECT body, document_bytes FROM document JOIN record ON record.id = document.record WHERE record = ?1",
                [id],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .map_err(|error| self.failed(&error))?;
        let (body, bytes) = found.ok_or_else(|| self.missing(id))?;
        document::unpack(&body, bytes).map_err(|why| self.damaged(id, &why))
    }

    fn missing(&self, id: i64) -> StoreError {
        let path = model::text::shown(&self.path);
        StoreError::new(
            StoreErrorKind::Missing,
            format!("there is no record {id} in {path}."),
        )
        .on(&self.path)
        .hint("`iodyno list` shows what there is.")
    }

    fn damaged(&self, id: i64, why: &str) -> StoreError {
        StoreError::new(
            StoreErrorKind::Damaged,
            format!(
                "record {id} in {} cannot be read: {why}.",
                model::text::shown(&self.path)
            ),
        )
        .on(&self.path)
        .why(why)
        .hint("`iodyno store check` says what else is damaged.")
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        error::explain(&self.path, error)
    }
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod foreign_tests;
#[cfg(test)]
mod migrations_tests;
#[cfg(test)]
mod tests;
