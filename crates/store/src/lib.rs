//! The store: one SQLite file in the state directory, one row a record. A record once written is never changed.
//!
//! SQLite opens the file itself; this is the one place outside `host` that touches the disk.

mod error;

pub use error::{Kind, StoreError};

use model::record::Record;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::path::{Path, PathBuf};

/// Version of the tables; `PRAGMA user_version` of the file.
const SCHEMA: i64 = 1;

const CREATE: &str = "
    CREATE TABLE record (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        unix_ms     INTEGER NOT NULL,
        verb        TEXT NOT NULL,
        target      TEXT NOT NULL,
        device      TEXT,
        host        TEXT NOT NULL,
        kernel      TEXT NOT NULL,
        summary     TEXT NOT NULL,
        document    TEXT NOT NULL
    ) STRICT;
    CREATE INDEX record_by_time ON record (unix_ms);
    CREATE INDEX record_by_device ON record (host, device, unix_ms);";

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A record's line in a list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Row {
    /// Number of the record.
    pub id: i64,
    /// When it was made, ms since 1970.
    pub unix_ms: i64,
    /// `run`, `tune` or `watch`.
    pub verb: String,
    /// What the user named.
    pub target: String,
    /// Kernel name of the device.
    pub device: Option<String>,
    /// Host name.
    pub host: String,
    /// The sentence a person needs.
    pub summary: String,
}

impl Store {
    /// Opens the store below the state directory, and makes it when there is none.
    pub fn open(state_dir: &Path) -> Result<Store, StoreError> {
        host::files::create_dirs(state_dir)?;
        let path = state_dir.join("records.db");
        let opened = Connection::open(&path).and_then(|connection| {
            connection.busy_timeout(std::time::Duration::from_secs(10))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "full")?;
            Ok(connection)
        });
        let mut store = Store { connection: opened.map_err(|error| explain(&path, &error))?, path };
        store.migrate()?;
        Ok(store)
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let path = self.path.clone();
        let version = self.try_migrate().map_err(|error| explain(&path, &error))?;
        if version > SCHEMA {
            return Err(StoreError::new(
                Kind::Newer,
                format!(
                    "the store {} was written by a newer iodyno (schema {version}, this one knows {SCHEMA}); nothing was \
                     changed.\nUse that iodyno, or set IODYNO_STATE_DIR to another directory.",
                    path.display()
                ),
            ));
        }
        Ok(())
    }

    /// The version the file had, after bringing an older one up to date in one transaction.
    fn try_migrate(&mut self) -> rusqlite::Result<i64> {
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            transaction.execute_batch(CREATE)?;
            transaction.pragma_update(None, "user_version", SCHEMA)?;
        }
        transaction.commit()?;
        Ok(version)
    }

    /// Adds a record and returns its number.
    pub fn insert(&self, record: &Record) -> Result<i64, StoreError> {
        let document = serde_json::to_string(record)
            .map_err(|error| StoreError::new(Kind::Failed, format!("cannot write the record: {error}")))?;
        let device = record.path.queue_device().map(|layer| layer.name.clone());
        let provenance = &record.provenance;
        self.connection
            .execute(
                "INSERT INTO record (unix_ms, verb, target, device, host, kernel, summary, document)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    provenance.started_unix_ms as i64,
                    record.verb,
                    record.target,
                    device,
                    provenance.hostname,
                    provenance.kernel,
                    record.summary,
                    document
                ],
            )
            .map_err(|error| explain(&self.path, &error))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// The newest records first.
    pub fn list(&self, limit: u32) -> Result<Vec<Row>, StoreError> {
        self.try_list(limit).map_err(|error| explain(&self.path, &error))
    }

    fn try_list(&self, limit: u32) -> rusqlite::Result<Vec<Row>> {
        let mut statement = self.connection.prepare(
            "SELECT id, unix_ms, verb, target, device, host, summary FROM record ORDER BY id DESC LIMIT ?1",
        )?;
        let rows = statement.query_map([limit], |row| {
            Ok(Row {
                id: row.get(0)?,
                unix_ms: row.get(1)?,
                verb: row.get(2)?,
                target: row.get(3)?,
                device: row.get(4)?,
                host: row.get(5)?,
                summary: row.get(6)?,
            })
        })?;
        rows.collect()
    }

    /// The record of this number.
    pub fn get(&self, id: i64) -> Result<Record, StoreError> {
        let document: Option<String> = self
            .connection
            .query_row("SELECT document FROM record WHERE id = ?1", [id], |row| row.get(0))
            .optional()
            .map_err(|error| explain(&self.path, &error))?;
        let document = document.ok_or_else(|| {
            let path = self.path.display();
            StoreError::new(
                Kind::Missing,
                format!("there is no record {id} in {path}.\n`iodyno list` shows what there is."),
            )
        })?;
        serde_json::from_str(&document).map_err(|error| {
            StoreError::new(
                Kind::Damaged,
                format!("record {id} in {} cannot be read: {error}", self.path.display()),
            )
        })
    }
}

fn explain(path: &Path, error: &rusqlite::Error) -> StoreError {
    let is_damaged =
        matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt));
    let advice = if is_damaged {
        format!("Move it away to begin a new one: mv {0} {0}.damaged", path.display())
    } else {
        "Another directory can be set with IODYNO_STATE_DIR.".to_string()
    };
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => Kind::Rights,
        _ if is_damaged => Kind::Damaged,
        _ => Kind::Failed,
    };
    StoreError::new(
        kind,
        format!("the store {} cannot be used: {error}; nothing in it was changed.\n{advice}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::{IoPath, Layer, LayerKind};
    use model::job::Job;
    use model::record::{Provenance, RECORD_SCHEMA};

    fn record(summary: &str) -> Record {
        let root = Layer::new(LayerKind::Disk, "vda");
        let path = IoPath::new("/dev/vda", root);
        Record {
            schema: RECORD_SCHEMA.into(),
            verb: "run".into(),
            target: "/dev/vda".into(),
            summary: summary.into(),
            provenance: Provenance::default(),
            path,
            job: Job::default(),
            load: None,
            sections: Vec::new(),
            findings: Vec::new(),
            sensors: vec![],
            layers: None,
            trials: vec![],
            studies: model::studies::Studies::default(),
            check: None,
            imported: None,
        }
    }

    #[test]
    fn keeps_records_whole() {
        let dir = host::files::temporary_dir("store").unwrap();
        let store = Store::open(dir.path()).unwrap();
        let first = store.insert(&record("one")).unwrap();
        let second = store.insert(&record("two")).unwrap();
        assert!(second > first);
        drop(store);
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(store.get(first).unwrap(), record("one"));
        let rows = store.list(10).unwrap();
        assert_eq!(rows.iter().map(|row| row.summary.as_str()).collect::<Vec<_>>(), ["two", "one"]);
        assert_eq!(rows[0].device.as_deref(), Some("vda"));
        assert_eq!(store.get(99).unwrap_err().kind, Kind::Missing);
    }

    #[test]
    fn a_newer_store_is_left_alone() {
        let dir = host::files::temporary_dir("store").unwrap();
        Store::open(dir.path()).unwrap().connection.pragma_update(None, "user_version", 99).unwrap();
        let failure = Store::open(dir.path()).unwrap_err();
        assert_eq!(failure.kind, Kind::Newer);
        assert!(failure.message.contains("newer iodyno"), "{}", failure.message);
    }

    #[test]
    fn a_damaged_store_is_named_with_what_to_do() {
        let dir = host::files::temporary_dir("store").unwrap();
        host::files::write_atomically(&dir.path().join("records.db"), &"not a database. ".repeat(64))
            .unwrap();
        let failure = Store::open(dir.path()).unwrap_err();
        assert_eq!(failure.kind, Kind::Damaged);
        assert!(failure.message.contains("records.db.damaged"), "{}", failure.message);
    }
}
