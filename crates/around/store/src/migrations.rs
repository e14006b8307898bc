//! Bringing a store of an earlier schema up to date: whole or not at all, and the file as it was stays beside it.

use crate::error::{StoreError, StoreErrorKind};
use crate::schema::{APPLICATION, CREATE, FROM_2, FROM_4, SCHEMA};
use crate::{Store, backup, columns, document, job_words, open, write};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// From whatever schema the file has to [`SCHEMA`]. Documents are carried over as they are; columns of schema 1,
/// and words and fingerprints of jobs of every schema, are derived anew.
pub fn run(store: &Store) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| store.failed(&error);
    // From here on nobody else writes, so that the copy is what is migrated.
    let transaction = Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate)
        .map_err(failed)?;
    let version: i64 = transaction
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(failed)?;
    if version == SCHEMA {
        return Ok(());
    }
    keep_copy(&store.path, version)?;
    match version {
        1 => from_1(&transaction).map_err(failed)?,
        2 => from_2(&transaction).map_err(failed)?,
        3 => from_3(&transaction).map_err(failed)?,
        _ => transaction.execute_batch(FROM_4).map_err(failed)?,
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION)
        .map_err(failed)?;
    transaction
        .pragma_update(None, "user_version", SCHEMA)
        .map_err(failed)?;
    transaction.commit().map_err(failed)?;
    if version == 1 {
        give_back(&store.connection);
    }
    Ok(())
}

/// Copies the file to `records.db.schema-1`, or that with a number behind it.
fn keep_copy(path: &Path, version: i64) -> Result<(), StoreError> {
    let name =
        |end: &str| PathBuf::from(format!("{}.schema-{version}{end}", path.to_string_lossy()));
    let is_free = |path: &PathBuf| host::files::kind(path).is_err();
    let names =
        std::iter::once(name("")).chain((2..1_000).map(|number| name(&format!(".{number}"))));
    let Some(copy) = names.into_iter().find(is_free) else {
        let beside = name("").display().to_string();
        return Err(StoreError::new(
            StoreErrorKind::Failed,
            format!("there are a thousand copies of the store beside it ({beside} …)."),
        )
        .on(path)
        .hint("Move them away."));
    };
    let source = open::read_only(path).map_err(|error| crate::error::explain(path, &error))?;
    backup::copy(&source, &copy)
}

/// Schema 1 had one table, with the document in it and fewer columns.
fn from_1(transaction: &Transaction) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "DROP INDEX record_by_time; DROP INDEX record_by_device; ALTER TABLE record RENAME TO record_1;",
    )?;
    transaction.execute_batch(CREATE)?;
    let mut statement = transaction.prepare("SELECT id, document FROM record_1 ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, text): (i64, String) = (row.get(0)?, row.get(1)?);
        match model::json::read_record(&text) {
            Ok(record) => write::put(transaction, Some(id), &columns::of(&record), &text)?,
            // What cannot be read is kept as it is, with the columns it had: a later version may be able to.
            Err(_) => carry_over(transaction, id, &text)?,
        };
    }
    drop(rows);
    drop(statement);
    transaction.execute_batch("DROP TABLE record_1")
}

/// Schema 2 did not say where records come from.
fn from_2(transaction: &Transaction) -> rusqlite::Result<()> {
    transaction.execute_batch(FROM_2)?;
    from_3(transaction)
}

/// Schema 3 had other words and fingerprints of jobs.
fn from_3(transaction: &Transaction) -> rusqlite::Result<()> {
    transaction.execute_batch(FROM_4)?;
    derive_jobs(transaction)
}

/// Derives the words and fingerprints of all jobs. A document that cannot be read keeps what it has.
fn derive_jobs(transaction: &Transaction) -> rusqlite::Result<()> {
    let mut update = transaction.prepare(
        "UPDATE record SET job = ?2, job_words = ?3, job_core = ?4, job_print = ?5 WHERE id = ?1",
    )?;
    let mut statement = transaction.prepare(
        "SELECT record.id, record.document_bytes, document.body
         FROM record JOIN document ON document.record = record.id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, bytes, body): (i64, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let Some(record) = document::unpack(&body, bytes)
            .ok()
            .and_then(|text| model::json::read_record(&text).ok())
        else {
            continue;
        };
        let job = job_words::of(&record);
        let job = job.as_ref();
        update.execute(params![
            id,
            job.map(|job| &job.phrase),
            job.map(|job| &job.words),
            job.map(|job| &job.core),
            job.and_then(|job| job.print.as_ref()),
        ])?;
    }
    Ok(())
}

fn carry_over(transaction: &Transaction, id: i64, text: &str) -> rusqlite::Result<i64> {
    let columns = transaction.query_row(
        "SELECT unix_ms, verb, target, device, host, kernel, summary FROM record_1 WHERE id = ?1",
        params![id],
        |row| {
            Ok(columns::Columns {
                unix_ms: row.get(0)?,
                verb: row.get(1)?,
                target: row.get(2)?,
                device: row.get(3)?,
                host: row.get(4)?,
                kernel: row.get(5)?,
                summary: row.get(6)?,
                ..columns::Columns::default()
            })
        },
    )?;
    write::put(transaction, Some(id), &columns, text)
}

/// The documents are a fifth of what they were: the rest goes back to the file system. Failing that is no harm, the
/// pages are used again.
fn give_back(connection: &Connection) {
    let _ = connection.pragma_update(None, "auto_vacuum", "incremental");
    let _ = connection.execute_batch("VACUUM");
}
