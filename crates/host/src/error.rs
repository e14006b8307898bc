//! What can go wrong at the door, each with what failed, on what and why.

use std::path::{Path, PathBuf};

/// Result of a call to the machine.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call to the machine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call on a path failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `open`, `read`, `write`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What was asked for would let somebody else choose what is written, so it was not done.
    #[error("cannot {action} {}: {why}", path.display())]
    Refused {
        /// What was tried: `open`, `write`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// A captured machine's file is malformed.
    #[error("{} is not a captured machine: line {line}: {why}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A journal cannot be read back whole.
    #[error("the journal {} is damaged at line {line}; the settings it names before that line are known", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
    },
    /// The kernel took a value and shows another.
    #[error("{path}: wrote `{wanted}`, the kernel shows `{found}`")]
    ReadBack {
        /// The attribute.
        path: String,
        /// The value written.
        wanted: String,
        /// The value shown.
        found: String,
    },
    /// A write was asked for that the journal does not cover: a defect in iodyno, never the user's.
    #[error("{path} was about to be written without its old value in the journal; nothing was written")]
    NotJournalled {
        /// The attribute.
        path: String,
    },
    /// Another iodyno holds the lock.
    #[error("{what} is in use by another iodyno (process {pid})")]
    Locked {
        /// What is locked.
        what: String,
        /// Who holds it, `?` where unknown.
        pid: String,
    },
    /// A program could not be started or failed.
    #[error("{program}: {why}")]
    Program {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
}

impl Error {
    /// An [`Error::Io`].
    pub fn io(action: &'static str, path: impl AsRef<Path>, source: impl Into<std::io::Error>) -> Self {
        Error::Io { action, path: path.as_ref().to_path_buf(), source: source.into() }
    }

    pub(crate) fn archive(path: &Path, (line, why): (usize, String)) -> Self {
        Error::Archive { path: path.to_path_buf(), line, why }
    }

    /// An [`Error::Refused`].
    pub fn refused(action: &'static str, path: impl AsRef<Path>, why: impl Into<String>) -> Self {
        Error::Refused { action, path: path.as_ref().to_path_buf(), why: why.into() }
    }

    /// Whether a file that must be new is there already.
    pub fn is_taken(&self) -> bool {
        self.errno() == Some(libc::EEXIST)
    }

    /// Whether it was not tried for the safety of data.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Error::Refused { .. })
    }

    /// The errno behind it, where there is one.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Error::Io { source, .. } => source.raw_os_error(),
            _ => None,
        }
    }

    /// Whether more rights would help.
    pub fn is_permission(&self) -> bool {
        matches!(self.errno(), Some(libc::EPERM | libc::EACCES))
    }
}
