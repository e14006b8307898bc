//! The one error of the commands, which carries its exit code.

pub use model::failure::Exit;
use model::failure::{ErrorDocument, Parts};

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What failed, on what, why, and what to do.
    pub message: String,
    /// The same apart; what to do is the end of the message.
    pub parts: Parts,
    /// Whether the command has told it already, in the words of its answer: then it only goes into the document.
    pub is_told: bool,
}

impl Failure {
    /// A failure with this code and message.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure {
            exit,
            message: message.into(),
            parts: Parts::default(),
            is_told: false,
        }
    }

    /// A failure with this code, this message and what is known of it.
    pub fn with(exit: Exit, message: impl Into<String>, parts: Parts) -> Self {
        Failure {
            parts,
            ..Failure::new(exit, message)
        }
    }

    /// A mistake in what was asked.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, message)
    }

    /// The same failure on this.
    pub fn on(mut self, on: impl Into<String>) -> Self {
        self.parts.on = Some(on.into());
        self
    }

    /// The same failure for this reason.
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.parts.why = Some(why.into());
        self
    }

    /// The same failure with a sentence on what to do about it.
    pub fn hint(mut self, hint: impl AsRef<str>) -> Self {
        let hint = hint.as_ref();
        self.message = format!("{}\n{hint}", self.message);
        self.parts.hint = Some(match self.parts.hint.take() {
            Some(earlier) => format!("{earlier}\n{hint}"),
            None => hint.to_string(),
        });
        self
    }

    /// The same failure, of which the answer has told.
    pub fn told(mut self) -> Self {
        self.is_told = true;
        self
    }

    /// It as a document, for programs.
    pub fn document(&self) -> ErrorDocument {
        ErrorDocument {
            exit: Some(self.exit as u8),
            ..ErrorDocument::of(&self.message, self.parts.clone())
        }
    }
}

impl From<host::Error> for Failure {
    fn from(error: host::Error) -> Self {
        let exit = match &error {
            host::Error::Locked { .. } => Exit::Refused,
            host::Error::NoStateDir => Exit::Usage,
            error if error.is_refusal() => Exit::Refused,
            error if error.is_permission() => Exit::Rights,
            _ => Exit::Failed,
        };
        Failure::with(exit, error.to_string(), error.parts())
    }
}

impl From<store::StoreError> for Failure {
    fn from(error: store::StoreError) -> Self {
        let exit = match error.kind {
            store::StoreErrorKind::Missing | store::StoreErrorKind::Usage => Exit::Usage,
            store::StoreErrorKind::Rights => Exit::Rights,
            store::StoreErrorKind::Refused => Exit::Refused,
            store::StoreErrorKind::Damaged
            | store::StoreErrorKind::Newer
            | store::StoreErrorKind::Failed => Exit::Failed,
        };
        Failure::with(exit, error.message, error.parts)
    }
}

impl From<inventory::InventoryError> for Failure {
    /// A target that cannot be looked at is the target's failure, or a matter of rights. A pool that a cluster does not have
    /// is a wrong word, as it is for `run`.
    fn from(error: inventory::InventoryError) -> Self {
        let exit = match &error {
            error if error.is_permission() => Exit::Rights,
            inventory::InventoryError::NoPool { .. } => Exit::Usage,
            _ => Exit::Failed,
        };
        Failure::with(exit, error.to_string(), error.parts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_right_is_told_from_a_broken_host() {
        let error =
            |errno| host::Error::io("write", "/sys/x", std::io::Error::from_raw_os_error(errno));
        assert_eq!(Failure::from(error(1)).exit, Exit::Rights);
        assert_eq!(Failure::from(error(5)).exit, Exit::Failed);
    }
}
