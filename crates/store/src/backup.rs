//! A copy of the store while it is in use.

use crate::Store;
use crate::error::{self, Kind, StoreError};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::{Path, PathBuf};

/// How often a copy is begun anew, 100 ms apart, when a writer is in its way.
const TRIES: u32 = 600;

impl Store {
    /// Copies the store as it is at this moment into a new file; writers go on meanwhile. A file that is there is refused.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        if host::files::kind(to).is_ok() {
            let to = model::text::shown(to);
            return Err(StoreError::new(
                Kind::Usage,
                format!("{to} is there already; a backup is a new file."),
            ));
        }
        copy(&self.connection, to)
    }
}

/// Copies under another name first: a copy that is there is a whole one.
pub fn copy(source: &Connection, to: &Path) -> Result<(), StoreError> {
    let unfinished = PathBuf::from(format!("{}.unfinished", to.to_string_lossy()));
    host::files::remove(&unfinished)?;
    host::private::ensure(&unfinished)?;
    let done = pages(source, &unfinished).map_err(|error| {
        let why = error::explain(&unfinished, &error);
        StoreError::new(why.kind, format!("cannot copy the store to {}: {error}.", model::text::shown(to)))
    });
    let moved = done.and_then(|()| host::files::rename(&unfinished, to).map_err(StoreError::from));
    if moved.is_err() {
        // The reason of the failure is told; this file is only in the way.
        let _ = host::files::remove(&unfinished);
    }
    moved
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
