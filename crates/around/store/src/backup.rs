//! A copy of the store while it is in use.

use crate::Store;
use crate::error::{self, StoreError, StoreErrorKind};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;

/// How often a copy is begun anew, 100 ms apart, when a writer is in its way.
const TRIES: u32 = 600;

impl Store {
    /// Copies the store as it is at this moment into a new file; writers go on meanwhile. A file that is there is refused.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        if host::files::kind(to).is_ok() {
            return Err(taken(to));
        }
        copy(&self.connection, to)
    }
}

/// Copies to a new file: one that is there is a whole one. SQLite opens files by name, so it writes where nobody else can
/// exchange a name: in a directory for this user alone, beside the store where it may, else below the system's own.
pub fn copy(source: &Connection, to: &Path) -> Result<(), StoreError> {
    let beside = source
        .path()
        .filter(|path| !path.is_empty())
        .and_then(|path| Path::new(path).parent());
    let own = beside.and_then(|beside| host::files::temporary_dir_in(beside, "backup").ok());
    let own = own.map_or_else(|| host::files::temporary_dir("backup"), Ok)?;
    let whole = own.path().join("records.db");
    pages(source, &whole).map_err(|error| {
        let why = error::explain(&whole, &error);
        StoreError::new(
            why.kind,
            format!(
                "cannot copy the store to {}: {error}.",
                model::text::shown(to)
            ),
        )
    })?;
    host::files::copy_new(&whole, to).map_err(|error| {
        if error.is_taken() {
            taken(to)
        } else {
            error.into()
        }
    })
}

fn taken(to: &Path) -> StoreError {
    let to = model::text::shown(to);
    StoreError::new(
        StoreErrorKind::Usage,
        format!("{to} is there already; a backup is a new file."),
    )
}

fn pages(source: &Connection, to: &Path) -> rusqlite::Result<()> {
    let mut target = Connection::open(to)?;
    target.pragma_update(None, "synchronous", "full")?;
    let backup = Backup::new(source, &mut target)?;
    let mut tries = TRIES;
    // All pages in one step: they are of one moment, and a writer does not make it begin anew.
    while backup.step(-1)? != StepResult::Done {
        tries -= 1;
        if tries == 0 {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
                Some("another process kept writing".into()),
            ));
        }
        host::clock::sleep_ms(100);
    }
    Ok(())
}
