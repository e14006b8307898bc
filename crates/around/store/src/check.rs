//! What the store is, and whether it is whole.

use crate::error::StoreError;
use crate::programs::{self, Program};
use crate::{Store, document};
use serde::Serialize;

/// What the store is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The file.
    pub path: String,
    /// Whether there is one: the first record makes it.
    pub exists: bool,
    /// Length of the file with its log, bytes.
    pub bytes: u64,
    /// Version of its tables.
    pub schema: i64,
    /// Records.
    pub records: i64,
    /// Values of sensors in them.
    pub samples: i64,
    /// Bytes of JSON that they would be without packing.
    pub document_bytes: i64,
    /// When the oldest was measured, ms since 1970.
    pub oldest_unix_ms: Option<i64>,
    /// When the newest was measured, ms since 1970.
    pub newest_unix_ms: Option<i64>,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Records that were read whole.
    pub whole: u64,
    /// What is wrong, each a sentence; none when all is well.
    pub problems: Vec<String>,
    /// Triggers and views: iodyno makes none, and writes to no store that has some.
    pub programs: Vec<Program>,
}

impl Store {
    /// What the store is.
    pub fn status(&self) -> Result<Status, StoreError> {
        let path = self.path.to_string_lossy().into_owned();
        let live = host::Host::live();
        let sizes = ["", "-wal"].map(|end| {
            live.file_size(&format!("{path}{end}"))
                .map(|size| size.bytes)
        });
        let counts =
            "SELECT count(*), coalesce(sum(samples), 0), CAST(total(document_bytes) AS INTEGER), min(unix_ms),
            max(unix_ms) FROM record";
        self.connection
            .query_row(counts, [], |row| {
                Ok(Status {
                    path,
                    exists: sizes[0].is_some(),
                    bytes: sizes.iter().flatten().sum(),
                    schema: crate::schema::SCHEMA,
                    records: row.get(0)?,
                    samples: row.get(1)?,
                    document_bytes: row.get(2)?,
                    oldest_unix_ms: row.get(3)?,
                    newest_unix_ms: row.get(4)?,
                })
            })
            .map_err(|error| self.failed(&error))
    }

    /// Looks at every page and every record. Changes nothing.
    pub fn check(&self) -> Result<Checked, StoreError> {
        let programs = programs::of(&self.connection).map_err(|error| self.failed(&error))?;
        let mut checked = Checked {
            programs,
            ..Checked::default()
        };
        self.check_pages(&mut checked)
            .map_err(|error| self.failed(&error))?;
        if let Err(error) = self.check_documents(&mut checked) {
            // The pages that cannot be read have been told above; this is how far the documents could be.
            checked
                .problems
                .push(format!("reading the records stopped: {error}"));
        }
        Ok(checked)
    }

    fn check_pages(&self, checked: &mut Checked) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
        for line in lines {
            let line = line?;
            if line != "ok" {
                checked
                    .problems
                    .push(format!("the file: {}", line.replace('\n', "; ")));
            }
        }
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
        let lost = statement.query_map([], |row| row.get::<_, String>(0))?;
        for table in lost {
            checked.problems.push(format!(
                "table {}: a line of a record that is not there",
                table?
            ));
        }
        Ok(())
    }

    fn check_documents(&self, checked: &mut Checked) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(
            "SELECT id, hash, document_bytes, body FROM record LEFT JOIN document ON document.record = record.id
             ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let (hash, bytes, body): (Vec<u8>, i64, Option<Vec<u8>>) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            match check_document(&hash, bytes, body.as_deref()) {
                Ok(()) => checked.whole += 1,
                Err(why) => checked.problems.push(format!("record {id}: {why}")),
            }
        }
        Ok(())
    }
}

fn check_document(hash: &[u8], bytes: i64, body: Option<&[u8]>) -> Result<(), String> {
    let body = body.ok_or("its document is missing")?;
    let text = document::unpack(body, bytes)?;
    if document::hash(&text) != hash {
        return Err("it is not what was written".into());
    }
    model::json::read_record(&text)
        .map(drop)
        .map_err(|error| format!("it cannot be read: {error}"))
}
