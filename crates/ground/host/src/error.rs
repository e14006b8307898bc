//! What can go wrong at the door, each with what failed, on what and why.

mod parts;

use crate::WayOut;
use model::text::{clean, shown};
use std::path::{Path, PathBuf};

/// Result of a call to the machine.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call to the machine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call on a path failed.
    #[error("cannot {action} {}: {source}", shown(path))]
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
    #[error(
        "{} is not a captured machine: line {line}: {}",
        shown(path),
        clean(why)
    )]
    Archive {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A journal is not what iodyno wrote, and nothing was done by it.
    #[error(
        "the journal {} is damaged at line {line}: nothing was written by it, and it stays. {known}",
        shown(path)
    )]
    Journal {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What its whole lines say, and how to go on.
        known: String,
    },
    /// A journal of another version.
    #[error(
        "the journal {} has form {version}, and this iodyno reads form {reads}: undo it with the iodyno that wrote it",
        shown(path)
    )]
    JournalVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The one that is read.
        reads: u32,
    },
    /// Something that somebody else could have put there.
    #[error("{} is not believed: {why}", shown(path))]
    Untrusted {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// There is no place for records and journals.
    #[error(
        "no directory for records and journals is known: HOME is not set. Set IODYNO_STATE_DIR to a directory of yours"
    )]
    NoStateDir,
    /// An earlier command left the device changed: that comes first.
    #[error(
        "{device}: `{purpose}` ended before it put everything back. First {}: {}",
        way.aim,
        way.command
    )]
    Unfinished {
        /// Kernel name of the device.
        device: String,
        /// The command that ended.
        purpose: String,
        /// What mends it.
        way: WayOut,
    },
    /// Later changes stand on the one that is to be undone.
    #[error(
        "{purpose} ({id}) is not the last change of {what}: {above} came after it.\nTo take all of them back, the last one first: {command}"
    )]
    Beneath {
        /// The command to undo.
        purpose: String,
        /// Its journal.
        id: String,
        /// The setting that both changed.
        what: String,
        /// The later ones.
        above: String,
        /// What takes all of them back.
        command: String,
    },
    /// A path that no knob and no way to persist owns.
    #[error("{path} is no setting of {owner} and no file of iodyno's: nothing was written")]
    Foreign {
        /// The path.
        path: String,
        /// Whose settings are written.
        owner: String,
    },
    /// The settings of a journal are in place, so it cannot be forgotten.
    #[error("{purpose} ({id}) is not forgotten: {why}")]
    NotForgotten {
        /// The command.
        purpose: String,
        /// Its journal.
        id: String,
        /// Why.
        why: String,
    },
    /// What a journal's settings show now cannot be taken for what was left in place.
    #[error("{purpose} ({id}) is not accepted as it is: {why}")]
    NotAccepted {
        /// The command.
        purpose: String,
        /// Its journal.
        id: String,
        /// Why.
        why: String,
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
    #[error(
        "{path} was about to be written without its old value in the journal; nothing was written"
    )]
    NotJournalled {
        /// The attribute.
        path: String,
    },
    /// Another iodyno holds the lock.
    #[error("{what} is in use by another iodyno ({holder})")]
    Locked {
        /// What is locked.
        what: String,
        /// Who holds it: its process, what that does, and whether it stands still.
        holder: String,
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
    pub fn io(
        action: &'static str,
        path: impl AsRef<Path>,
        source: impl Into<std::io::Error>,
    ) -> Self {
        Error::Io {
            action,
            path: path.as_ref().to_path_buf(),
            source: source.into(),
        }
    }

    pub(crate) fn untrusted(path: &Path, why: impl Into<String>) -> Self {
        Error::Untrusted {
            path: path.to_path_buf(),
            why: why.into(),
        }
    }

    pub(crate) fn archive(path: &Path, (line, why): (usize, String)) -> Self {
        Error::Archive {
            path: path.to_path_buf(),
            line,
            why,
        }
    }

    /// An [`Error::Refused`].
    pub fn refused(action: &'static str, path: impl AsRef<Path>, why: impl Into<String>) -> Self {
        Error::Refused {
            action,
            path: path.as_ref().to_path_buf(),
            why: why.into(),
        }
    }

    /// Whether a file that must be new is there already.
    pub fn is_taken(&self) -> bool {
        self.errno() == Some(libc::EEXIST)
    }

    /// Whether nothing is at a path.
    pub fn is_missing(&self) -> bool {
        self.errno() == Some(libc::ENOENT)
    }

    /// Whether the kernel has no such file, or does not take what was written for now.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.errno(), Some(libc::ENOENT | libc::EOPNOTSUPP))
    }

    /// Whether it was not tried for the safety of data or settings.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Error::Refused { .. }
                | Error::Unfinished { .. }
                | Error::Beneath { .. }
                | Error::Untrusted { .. }
                | Error::Foreign { .. }
                | Error::NotForgotten { .. }
                | Error::NotAccepted { .. }
        )
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
