//! Taking in the records of another store. Whatever is in it is data: a record that cannot be read, or is none, is left
//! out and said, the others are taken.

use crate::error::StoreError;
use crate::open::FoundStore;
use crate::origin::{self, Origin};
use crate::{Store, columns, document, foreign, notes, open, tags, write};
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
    /// Takes in the records of another store with their tags and notes, all in one go, and marks them as from there. A
    /// record whose content is here already is not taken twice. The other store is only read; one of an earlier schema is
    /// read from a copy that is brought up to date. A file of JSON with one record is taken too.
    pub fn merge(&self, other: &Path) -> Result<Merged, StoreError> {
        match host::files::kind(other) {
            Ok(host::files::FileKind::File) => {}
            Ok(_) => {
                let why = format!(
                    "{} is no store: it is no regular file.",
                    model::text::shown(other)
                );
                return Err(StoreError::new(crate::StoreErrorKind::Usage, why));
            }
            Err(_) => {
                let why = format!("there is no store {}.", model::text::shown(other));
                return Err(StoreError::new(crate::StoreErrorKind::Usage, why));
            }
        }
        if foreign::is_json(other)? {
            let (id, is_known) = self.take_file(other)?;
            let added = if is_known { Vec::new() } else { vec![id] };
            return Ok(Merged {
                added,
                known: u32::from(is_known),
                ..Merged::default()
            });
        }
        let from = Origin::merged(other);
        let looked = open::look(other)?;
        if matches!(
            looked.found,
            FoundStore::Nothing | FoundStore::Schema(crate::schema::SCHEMA)
        ) {
            return self.merge_open(&open::to_read(other)?, &from);
        }
        if let Some(program) = looked.programs.first() {
            return Err(foreign::not_taken(other, &program.name));
        }
        let dir = host::files::temporary_dir("merge")?;
        let copy = dir.path().join("records.db");
        let source =
            open::read_only(other).map_err(|error| crate::error::explain(other, &error))?;
        crate::backup::copy(&source, &copy)?;
        self.merge_open(&open::to_write(&copy)?, &from)
    }

    fn merge_open(&self, other: &Store, from: &Origin) -> Result<Merged, StoreError> {
        foreign::check_tables(other)?;
        let numbers = numbers(&other.connection).map_err(|error| other.failed(&error))?;
        self.write(|transaction| {
            let mut merged = Merged::default();
            for (id, hash) in &numbers {
                match Coming::read(other, *id, hash.as_deref()) {
                    Ok(coming) => coming.keep(transaction, from, &mut merged)?,
                    Err(why) => merged.problems.push(why),
                }
            }
            Ok(merged)
        })
    }
}

/// A record of the other store with what lies beside it, read and checked.
struct Coming {
    record: Record,
    text: String,
    hash: [u8; 32],
    tags: Vec<String>,
    notes: Vec<(i64, String)>,
}

impl Coming {
    /// Reads it, where it is what was written and a record.
    fn read(other: &Store, id: i64, hash: Option<&[u8]>) -> Result<Coming, String> {
        let text = other.document(id).map_err(|error| error.message)?;
        let own = document::hash(&text);
        let path = model::text::shown(&other.path);
        if hash != Some(&own[..]) {
            return Err(format!("record {id} in {path} is not what was written"));
        }
        let record = foreign::read(&text).map_err(|why| format!("record {id} in {path}: {why}"))?;
        let unread =
            |error: rusqlite::Error| format!("tags and notes of record {id} in {path}: {error}");
        let (tags, notes) = beside(&other.connection, id).map_err(unread)?;
        Ok(Coming {
            record,
            text,
            hash: own,
            tags,
            notes,
        })
    }

    /// Adds it, unless it is here, and brings its tags and notes over: a note is the same when its moment and words are.
    fn keep(
        &self,
        transaction: &Transaction,
        from: &Origin,
        merged: &mut Merged,
    ) -> rusqlite::Result<()> {
        let here = match write::by_hash(transaction, &self.hash)? {
            Some(here) => {
                merged.known += 1;
                here
            }
            None => {
                let here = write::put(transaction, None, &columns::of(&self.record), &self.text)?;
                origin::mark(transaction, here, from)?;
                merged.added.push(here);
                here
            }
        };
        for name in self.tags.iter().filter(|name| tags::is_fine(name)) {
            let add = "INSERT OR IGNORE INTO tag VALUES (?1, ?2)";
            merged.tags += transaction.execute(add, params![here, name])? as u32;
        }
        for (unix_ms, text) in self
            .notes
            .iter()
            .filter(|(_, text)| text.len() <= notes::LONGEST)
        {
            merged.notes += transaction.execute(
                "INSERT INTO note (record, unix_ms, text) SELECT ?1, ?2, ?3
                 WHERE NOT EXISTS (SELECT 1 FROM note WHERE record = ?1 AND unix_ms = ?2 AND text = ?3)",
                params![here, unix_ms, text],
            )? as u32;
        }
        Ok(())
    }
}

/// Every record with its hash; none where that is damaged.
fn numbers(connection: &Connection) -> rusqlite::Result<Vec<(i64, Option<Vec<u8>>)>> {
    let mut statement = connection.prepare("SELECT id, hash FROM record ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1).ok())))?;
    rows.collect()
}

/// Tags, and notes with their moments.
type Beside = (Vec<String>, Vec<(i64, String)>);

/// What lies beside a record.
fn beside(other: &Connection, id: i64) -> rusqlite::Result<Beside> {
    let mut tags = other.prepare("SELECT name FROM tag WHERE record = ?1")?;
    let tags = tags
        .query_map([id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut notes =
        other.prepare("SELECT unix_ms, text FROM note WHERE record = ?1 ORDER BY id")?;
    let notes = notes.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((tags, notes.collect::<rusqlite::Result<_>>()?))
}
