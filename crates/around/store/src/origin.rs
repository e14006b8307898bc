//! Where a record was made. The record's own words are no answer, since who makes a record chooses them: this store marks
//! what is written by a measurement on this machine, and what comes by `merge` or `import`. What has no mark, as in
//! stores of before the marks, counts as from elsewhere.

use crate::Store;
use crate::error::StoreError;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// Where a record was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum Origin {
    /// Measured by the iodyno that keeps this store.
    Here,
    /// Taken over from another store.
    Merged {
        /// The store's file.
        from: String,
        /// When, ms since 1970.
        unix_ms: i64,
    },
    /// Read from a file.
    Imported {
        /// The file.
        from: String,
        /// When, ms since 1970.
        unix_ms: i64,
    },
    /// Not known: it is of a time when the store did not keep that.
    Unknown,
}

impl Origin {
    /// A mark of now for what is taken over from another store.
    pub(crate) fn merged(from: &std::path::Path) -> Origin {
        Origin::Merged {
            from: from.to_string_lossy().into_owned(),
            unix_ms: now_ms(),
        }
    }

    /// A mark of now for what is read from a file.
    pub fn imported(from: &str) -> Origin {
        Origin::Imported {
            from: from.to_string(),
            unix_ms: now_ms(),
        }
    }
}

fn now_ms() -> i64 {
    host::clock::unix_ms() as i64
}

impl Store {
    /// Where a record was made, as this store knows it.
    ///
    /// # Errors
    /// When there is no such record, or the store cannot be read.
    pub fn origin(&self, id: i64) -> Result<Origin, StoreError> {
        self.row(id)?;
        let found: Option<(String, String, i64)> = self
            .connection
            .query_row(
                "SELECT how, source, unix_ms FROM origin WHERE record = ?1",
                [id],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()
            .map_err(|error| self.failed(&error))?;
        Ok(match found {
            Some((how, ..)) if how == HERE => Origin::Here,
            Some((how, from, unix_ms)) if how == MERGED => Origin::Merged { from, unix_ms },
            Some((how, from, unix_ms)) if how == IMPORTED => Origin::Imported { from, unix_ms },
            _ => Origin::Unknown,
        })
    }
}

const HERE: &str = "here";
const MERGED: &str = "merged";
const IMPORTED: &str = "imported";

/// Marks a record. What is not known gets no mark.
pub fn mark(connection: &Connection, id: i64, origin: &Origin) -> rusqlite::Result<()> {
    let (how, from, unix_ms) = match origin {
        Origin::Here => (HERE, "", now_ms()),
        Origin::Merged { from, unix_ms } => (MERGED, from.as_str(), *unix_ms),
        Origin::Imported { from, unix_ms } => (IMPORTED, from.as_str(), *unix_ms),
        Origin::Unknown => return Ok(()),
    };
    connection
        .prepare("INSERT INTO origin VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![id, how, from, unix_ms])?;
    Ok(())
}
