//! Adding and deleting records.

use crate::columns::{self, Columns};
use crate::error::{StoreError, StoreErrorKind};
use crate::origin::{self, Origin};
use crate::{Store, document, proofs};
use model::record::Record;
use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params,
};

impl Store {
    /// Adds a record that was measured here and returns its number. When this returns the record is on the disk.
    pub fn insert(&self, record: &Record) -> Result<i64, StoreError> {
        Ok(self.insert_all(std::slice::from_ref(record))?[0])
    }

    /// Adds records that were measured here in one go, all or none of them, and returns their numbers.
    pub fn insert_all(&self, records: &[Record]) -> Result<Vec<i64>, StoreError> {
        self.insert_from(records, &Origin::Here)
    }

    /// The same of records that come from somewhere.
    pub fn insert_from(&self, records: &[Record], origin: &Origin) -> Result<Vec<i64>, StoreError> {
        let texts = records.iter().map(to_json).collect::<Result<Vec<_>, _>>()?;
        self.write(|transaction| {
            let both = records.iter().zip(&texts);
            let add = |(record, text): (&Record, &String)| {
                let id = put(transaction, None, &columns::of(record), text)?;
                origin::mark(transaction, id, origin)?;
                Ok(id)
            };
            both.map(add).collect()
        })
    }

    /// The number of a record whose content is exactly this one's.
    pub fn same(&self, record: &Record) -> Result<Option<i64>, StoreError> {
        let hash = document::hash(&to_json(record)?);
        by_hash(&self.connection, &hash).map_err(|error| self.failed(&error))
    }

    /// Deletes records with their tags and notes; all or, when one of them is not there, none.
    pub fn delete(&self, ids: &[i64]) -> Result<(), StoreError> {
        for id in ids {
            self.row(*id)?;
        }
        self.write(|transaction| {
            for id in ids {
                transaction.execute("DELETE FROM record WHERE id = ?1", [id])?;
            }
            transaction.execute(
                "DELETE FROM setting WHERE id NOT IN (SELECT setting FROM record_setting)",
                [],
            )
        })?;
        // Gives the pages back to the file system. Where that fails they are used again.
        let _ = self.connection.execute_batch("PRAGMA incremental_vacuum");
        Ok(())
    }

    /// Does something to the store, whole or not at all.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let attempt = || {
            let transaction =
                Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let done = change(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        attempt().map_err(|error: rusqlite::Error| match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => StoreError::new(
                StoreErrorKind::Rights,
                format!(
                    "the store {} was opened for reading, or may not be written to.",
                    model::text::shown(&self.path)
                ),
            ),
            _ => self.failed(&error),
        })
    }
}

/// The document of a record.
pub fn to_json(record: &Record) -> Result<String, StoreError> {
    serde_json::to_string(record).map_err(|error| {
        StoreError::new(
            StoreErrorKind::Failed,
            format!("cannot write the record: {error}"),
        )
    })
}

/// The record with this content.
pub fn by_hash(connection: &Connection, hash: &[u8]) -> rusqlite::Result<Option<i64>> {
    connection
        .query_row(
            "SELECT min(id) FROM record WHERE hash = ?1",
            [hash],
            |row| row.get(0),
        )
        .optional()
        .map(Option::flatten)
}

/// Adds a document with its columns, under this number or a new one.
pub fn put(
    connection: &Connection,
    id: Option<i64>,
    columns: &Columns,
    text: &str,
) -> rusqlite::Result<i64> {
    let body = document::pack(text)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let (job, figures) = (columns.job.as_ref(), &columns.figures);
    connection
        .prepare(
            "INSERT INTO record (id, hash, document_bytes, unix_ms, verb, target, path, device, serial, model, host,
                 kernel, job, job_words, job_core, job_print, summary, elapsed_ms, iops, bytes_per_s, mean_ns, p50_ns,
                 p99_ns, p999_ns, samples)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                 ?22, ?23, ?24, ?25)",
        )?
        .execute(params![
            id,
            document::hash(text),
            text.len() as i64,
            columns.unix_ms,
            columns.verb,
            columns.target,
            columns.path,
            columns.device,
            columns.serial,
            columns.model,
            columns.host,
            columns.kernel,
            job.map(|job| &job.phrase),
            job.map(|job| &job.words),
            job.map(|job| &job.core),
            job.and_then(|job| job.print.as_ref()),
            columns.summary,
            figures.elapsed_ms,
            figures.iops,
            figures.bytes_per_s,
            figures.mean_ns,
            figures.p50_ns,
            figures.p99_ns,
            figures.p999_ns,
            columns.samples,
        ])?;
    let id = connection.last_insert_rowid();
    connection
        .prepare("INSERT INTO document VALUES (?1, ?2)")?
        .execute(params![id, body])?;
    put_devices(connection, id, columns)?;
    put_settings(connection, id, columns)?;
    proofs::put(connection, id, &columns.proofs)?;
    Ok(id)
}

fn put_devices(connection: &Connection, id: i64, columns: &Columns) -> rusqlite::Result<()> {
    let mut insert = connection.prepare("INSERT INTO device VALUES (?1, ?2, ?3, ?4)")?;
    for device in &columns.devices {
        insert.execute(params![id, device.name, device.serial, device.model])?;
    }
    Ok(())
}

/// A setting is there once with each value it ever had; machines have the same ones in every record.
fn put_settings(connection: &Connection, id: i64, columns: &Columns) -> rusqlite::Result<()> {
    let mut find = connection.prepare("SELECT id FROM setting WHERE name = ?1 AND value = ?2")?;
    let mut add = connection.prepare("INSERT INTO setting (name, value) VALUES (?1, ?2)")?;
    let mut link = connection.prepare("INSERT INTO record_setting VALUES (?1, ?2)")?;
    for (name, value) in &columns.settings {
        let known: Option<i64> = find
            .query_row(params![name, value], |row| row.get(0))
            .optional()?;
        let setting = match known {
            Some(setting) => setting,
            None => add.insert(params![name, value])?,
        };
        link.execute([id, setting])?;
    }
    Ok(())
}
