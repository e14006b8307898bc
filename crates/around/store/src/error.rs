//! Why the store did not do what it was asked.

use model::failure::Parts;
use model::text::{clean, shell_word, shown};
use rusqlite::ErrorCode;
use std::path::Path;

/// What kind of trouble it is: exit codes and answers over HTTP hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
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
    pub kind: StoreErrorKind,
    /// What failed, on what, why, and what to do.
    pub message: String,
    /// The same apart; what to do is the end of the message.
    pub parts: Parts,
}

impl StoreError {
    /// An error of this kind.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        StoreError {
            kind,
            message: message.into(),
            parts: Parts::default(),
        }
    }

    /// The same on this file.
    pub(crate) fn on(mut self, path: &Path) -> Self {
        self.parts.on = Some(shown(path));
        self
    }

    /// The same for this reason.
    pub(crate) fn why(mut self, why: impl Into<String>) -> Self {
        self.parts.why = Some(why.into());
        self
    }

    /// The same with what to do, on a line of its own.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        self.message = format!("{}\n{hint}", self.message);
        self.parts.hint = Some(hint);
        self
    }
}

impl From<host::Error> for StoreError {
    fn from(error: host::Error) -> Self {
        let kind = match &error {
            host::Error::NoStateDir => StoreErrorKind::Usage,
            error if error.is_refusal() => StoreErrorKind::Refused,
            error if error.is_permission() => StoreErrorKind::Rights,
            _ => StoreErrorKind::Failed,
        };
        StoreError {
            parts: error.parts(),
            ..StoreError::new(kind, error.to_string())
        }
    }
}

/// A store that is not whole.
pub(crate) fn damaged(path: &Path, why: &str) -> StoreError {
    let named = path.display().to_string();
    let beside = format!("{named}.damaged");
    let damaged = shell_word(&beside);
    let here = shell_word(&named);
    let why = clean(why);
    let message = format!(
        "the store {} cannot be used: {why}; nothing in it was changed.",
        shown(path)
    );
    StoreError::new(StoreErrorKind::Damaged, message).on(path).why(why).hint(format!(
        "Put a backup in its place (`iodyno store backup` makes them), or move it away to begin a new one:\n\
             mv {here} {damaged}\n\
             What can still be read of it: sqlite3 {damaged} .recover | sqlite3 recovered.db"
    ))
}

/// What SQLite said, with what to do.
pub(crate) fn explain(path: &Path, error: &rusqlite::Error) -> StoreError {
    let (kind, advice) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            return damaged(path, &error.to_string());
        }
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => (
            StoreErrorKind::Rights,
            "Another directory can be set with IODYNO_STATE_DIR.",
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            StoreErrorKind::Failed,
            "Another process has been writing to it for a minute; try again when it is done.",
        ),
        Some(ErrorCode::DiskFull) => (
            StoreErrorKind::Failed,
            "Make room on its file system, or set IODYNO_STATE_DIR.",
        ),
        _ => (
            StoreErrorKind::Failed,
            "Another directory can be set with IODYNO_STATE_DIR.",
        ),
    };
    let message = format!(
        "the store {} cannot be used: {error}; nothing in it was changed.",
        shown(path)
    );
    StoreError::new(kind, message)
        .on(path)
        .why(error.to_string())
        .hint(advice)
}
