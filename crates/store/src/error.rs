//! Why the store did not do what it was asked.

/// What kind of trouble it is: exit codes and answers over HTTP hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no such record.
    Missing,
    /// More rights are needed.
    Rights,
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
        StoreError { kind, message: message.into() }
    }
}

impl From<host::Error> for StoreError {
    fn from(error: host::Error) -> Self {
        let kind = if error.is_permission() { Kind::Rights } else { Kind::Failed };
        StoreError::new(kind, error.to_string())
    }
}
