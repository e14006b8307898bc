//! Why the store did not do what it was asked.

use model::text::{clean, shell_word};
use rusqlite::ErrorCode;
use std::path::Path;

/// What kind of trouble it is: exit codes and answers over HTTP hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no such record.
    Missing,
    /// What was asked makes no sense: a tag with a blank in it, an empty note.
    Usage,
    /// More rights are needed.
    Rights,
    /// Somebody else could choose what is written.
    Refused,
    /// The file is no store, or is not whole.
    Damaged,
    /// A newer iodyno wrote it.
    Newer,
    /// Anything else.
    Failed,
}

/// The error: its kind, and what failed, on what, why, what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// Its kind.
    pub kind: Kind,
    /// What failed, on what, why, and what to do.
    pub message: String,
}

impl StoreError {
    /// An error of this kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        StoreError {
            kind,
            message: message.into(),
        }
    }
}

impl From<host::Error> for StoreError {
    fn from(error: host::Error) -> Self {
        let kind = match &error {
            host::Error::NoStateDir => Kind::Usage,
            error if error.is_refusal() => Kind::Refused,
            error if error.is_permission() => Kind::Rights,
            _ => Kind::Failed,
        };
        StoreError::new(kind, error.to_string())
    }
}

/// A store that is not whole.
pub(crate) fn damaged(path: &Path, why: &str) -> StoreError {
    let damaged = format!("{}.damaged", path.display());
    let (named, damaged) = (path.display().to_string(), shell_word(&damaged));
    let (path, why) = (clean(&named), clean(why));
    let here = shell_word(&named);
    StoreError::new(
        Kind::Damaged,
        format!(
            "the store {path} cannot be used: {why}; nothing in it was changed.\n\
             Put a backup in its place (`iodyno store backup` makes them), or move it away to begin a new one:\n\
             mv {here} {damaged}\n\
             What can still be read of it: sqlite3 {damaged} .recover | sqlite3 recovered.db"
        ),
    )
}

/// What SQLite said, with what to do.
pub(crate) fn explain(path: &Path, error: &rusqlite::Error) -> StoreError {
    let (kind, advice) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            return damaged(path, &error.to_string());
        }
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => (
            Kind::Rights,
            "Another directory can be set with IODYNO_STATE_DIR.",
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            Kind::Failed,
            "Another process has been writing to it for a minute; try again when it is done.",
        ),
        Some(ErrorCode::DiskFull) => (
            Kind::Failed,
            "Make room on its file system, or set IODYNO_STATE_DIR.",
        ),
        _ => (
            Kind::Failed,
            "Another directory can be set with IODYNO_STATE_DIR.",
        ),
    };
    let path = model::text::shown(path);
    StoreError::new(
        kind,
        format!("the store {path} cannot be used: {error}; nothing in it was changed.\n{advice}"),
    )
}
