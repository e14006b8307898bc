//! Taking in the records of another store.

use crate::error::StoreError;
use crate::{Store, columns, document, open, write};
use model::record::Record;
use rusqlite::{Connection, Transaction, params};
use serde::Serialize;
use std::path::Path;

/// What came of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// Numbers that the records have here which were not here before.
    pub added: Vec<i64>,
    /// Records of the same content that were here already.
    pub known: u32,
    /// Tags and notes that records here have got.
    pub tags: u32,
    /// The same of notes.
    pub notes: u32,
    /// Records that could not be read, each a sentence; they were left out.
    pub problems: Vec<String>,
}

impl Store {
    /// Takes in the records of another store with their tags and notes, all in one go. A record whose content is here
    /// already is not taken twice. The other store is only read; one of an earlier schema is read from a copy that is
    /// brought up to date.
    pub fn merge(&self, other: &Path) -> Result<Merged, StoreError> {
        if host::files::kind(other).is_err() {
            let why = format!("there is no store {}.", other.display());
            return Err(StoreError::new(crate::Kind::Usage, why));
        }
        if matches!(open::schema(other)?, None | Some(crate::schema::SCHEMA)) {
            return self.merge_open(&open::to_read(other)?);
        }
        let dir = host::files::temporary_dir("merge")?;
        let copy = dir.path().join("records.db");
        let source = open::read_only(other).map_err(|error| crate::error::explain(other, &error))?;
        crate::backup::copy(&source, &copy)?;
        self.merge_open(&open::to_write(&copy)?)
    }

    fn merge_open(&self, other: &Store) -> Result<Merged, StoreError> {
        let numbers = numbers(&other.connection).map_err(|error| other.failed(&error))?;
        self.write(|transaction| {
            let mut merged = Merged::default();
            for (id, hash) in &numbers {
                let here = match write::by_hash(transaction, hash)? {
                    Some(here) => {
                        merged.known += 1;
                        here
                    }
                    None => match whole(other, *id, hash) {
                        Ok((record, text)) => {
                            let here = write::put(transaction, None, &columns::of(&record), &text)?;
                            merged.added.push(here);
                            here
                        }
                        Err(why) => {
                            merged.problems.push(why);
                            continue;
                        }
                    },
                };
                annotations(transaction, &other.connection, *id, here, &mut merged)?;
            }
            Ok(merged)
        })
    }
}

/// A record of the other store with its document, where that is what was written.
fn whole(other: &Store, id: i64, hash: &[u8]) -> Result<(Record, String), String> {
    let text = other.document(id).map_err(|error| error.message)?;
    if document::hash(&text) != hash {
        return Err(format!("record {id} in {} is not what was written", other.path.display()));
    }
    let record =
        serde_json::from_str(&text).map_err(|error| format!("record {id} cannot be read: {error}"))?;
    Ok((record, text))
}

fn numbers(connection: &Connection) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
    let mut statement = connection.prepare("SELECT id, hash FROM record ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Brings tags and notes over, unless they are here: a note is the same when its moment and its words are.
fn annotations(
    transaction: &Transaction,
    other: &Connection,
    there: i64,
    here: i64,
    merged: &mut Merged,
) -> rusqlite::Result<()> {
    let mut tags = other.prepare("SELECT name FROM tag WHERE record = ?1")?;
    let mut rows = tags.query([there])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        merged.tags +=
            transaction.execute("INSERT OR IGNORE INTO tag VALUES (?1, ?2)", params![here, name])? as u32;
    }
    let mut notes = other.prepare("SELECT unix_ms, text FROM note WHERE record = ?1 ORDER BY id")?;
    let mut rows = notes.query([there])?;
    while let Some(row) = rows.next()? {
        let (unix_ms, text): (i64, String) = (row.get(0)?, row.get(1)?);
        merged.notes += transaction.execute(
            "INSERT INTO note (record, unix_ms, text) SELECT ?1, ?2, ?3
             WHERE NOT EXISTS (SELECT 1 FROM note WHERE record = ?1 AND unix_ms = ?2 AND text = ?3)",
            params![here, unix_ms, text],
        )? as u32;
    }
    Ok(())
}
