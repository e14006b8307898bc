//! Records for other programs: tables in Parquet or CSV. What the tables hold is in `tables`, how it is written is not.

mod csv;
mod parquet;
mod tables;

pub use parquet::{Exported, ExportedTable};

use crate::error::{StoreError, StoreErrorKind};
use crate::{RecordRow, Store};
use std::path::Path;
use tables::{ExportSubject, ExportTable, TABLES};

/// Names of the tables, the one with a line for each record first.
pub fn table_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.name)
}

impl Store {
    /// Writes records as Parquet into a directory that is new or empty: a folder for each table, in it one for each day.
    pub fn export_parquet(&self, rows: &[RecordRow], to: &Path) -> Result<Exported, StoreError> {
        let live = host::Host::live();
        let is_free = match host::files::kind(to) {
            Ok(host::files::FileKind::Directory) => live.list(&to.to_string_lossy()).is_empty(),
            Ok(_) => false,
            Err(_) => true,
        };
        if !is_free {
            let why = format!(
                "{} is there already. An export goes into a new or empty directory.",
                model::text::shown(to)
            );
            return Err(StoreError::new(StoreErrorKind::Usage, why));
        }
        let mut order: Vec<&RecordRow> = rows.iter().collect();
        order.sort_by_key(|row| (row.unix_ms, row.id));
        let mut writer = parquet::Writer::new(to)?;
        for row in order {
            let subject = self.subject(row)?;
            writer.add(&subject)?;
        }
        writer.finish()
    }

    /// Gives a table of records as CSV (RFC 4180, with a line of names), a piece for each record, until the taker has
    /// enough.
    pub fn export_csv(
        &self,
        rows: &[RecordRow],
        table: &str,
        mut take: impl FnMut(&str) -> bool,
    ) -> Result<(), StoreError> {
        let names = || table_names().collect::<Vec<_>>().join(", ");
        let table: &ExportTable = TABLES.iter().find(|one| one.name == table).ok_or_else(|| {
            let why = format!(
                "there is no table `{}`. There are {}.",
                table.escape_debug(),
                names()
            );
            StoreError::new(StoreErrorKind::Usage, why)
        })?;
        let mut goes_on = take(&csv::head(table));
        for row in rows {
            if !goes_on {
                break;
            }
            goes_on = take(&csv::lines(table, &self.subject(row)?));
        }
        Ok(())
    }

    fn subject(&self, row: &RecordRow) -> Result<ExportSubject, StoreError> {
        let notes = if row.note_count > 0 {
            self.notes(row.id)?
        } else {
            Vec::new()
        };
        Ok(ExportSubject {
            row: row.clone(),
            notes,
            record: self.get(row.id)?,
        })
    }
}
