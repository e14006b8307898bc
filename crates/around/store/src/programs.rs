//! Triggers and views in a store's file. iodyno makes none, so each is somebody's program: it runs when a record is
//! written or read, and can change or remove others without a word.

use crate::error::{StoreError, StoreErrorKind};
use model::text::{clean_to, shell_word, shown};
use rusqlite::Connection;
use serde::Serialize;
use std::path::Path;

/// So many are named in a message.
const NAMED_MAX: usize = 5;

/// A trigger or a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// `trigger` or `view`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

impl Program {
    /// In words: `the trigger "t"`.
    pub fn phrase(&self) -> String {
        format!("the {} `{}`", self.kind, clean_to(&self.name, 60))
    }

    fn drop_statement(&self) -> String {
        let kind = self.kind.to_uppercase();
        format!("DROP {kind} \"{}\"", self.name.replace('"', "\"\""))
    }
}

/// All that are in a file.
pub fn of(connection: &Connection) -> rusqlite::Result<Vec<Program>> {
    let mut statement = connection.prepare(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name",
    )?;
    let rows = statement.query_map([], |row| {
        let (kind, name) = (row.get(0)?, row.get(1)?);
        Ok(Program { kind, name })
    })?;
    rows.collect()
}

/// The command that removes the first of them.
pub fn removal(path: &Path, programs: &[Program]) -> String {
    let statements: Vec<String> = programs
        .iter()
        .take(NAMED_MAX)
        .map(Program::drop_statement)
        .collect();
    let path = path.to_string_lossy();
    format!(
        "sqlite3 {} {}",
        shell_word(&path),
        shell_word(&statements.join("; "))
    )
}

/// Refuses to write to a store that has any.
pub fn refuse(path: &Path, programs: &[Program]) -> Result<(), StoreError> {
    if programs.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = programs
        .iter()
        .take(NAMED_MAX)
        .map(Program::phrase)
        .collect();
    let more = match programs.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    Err(StoreError::new(
        StoreErrorKind::Refused,
        format!(
            "the store {} is not written to: iodyno did not make {}{more}, and what it does could change or remove \
             records; nothing was changed.\nWhoever put it there may have changed records already: look at a backup. \
             To remove it:\n{}",
            shown(path),
            named.join(", "),
            removal(path, programs)
        ),
    ))
}
