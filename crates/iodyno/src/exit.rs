//! Exit codes, which scripts rely on, and the one error that carries them.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All went well.
    Fine = 0,
    /// What was found is as bad as `--fail-on` says, or worse.
    Found = 1,
    /// The command line or a document on stdin makes no sense.
    Usage = 2,
    /// More rights are needed.
    Rights = 3,
    /// Refused for the sake of the data or the machine.
    Refused = 4,
    /// The target or the host failed.
    Failed = 5,
    /// The experiment could not decide.
    Undecided = 6,
    /// Stopped by a signal; what was changed is put back, or the message says what is not.
    Interrupted = 130,
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What failed, on what, why, and what to do.
    pub message: String,
}

impl Failure {
    /// A failure with this code and message.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure {
            exit,
            message: message.into(),
        }
    }

    /// A mistake in what was asked.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, message)
    }

    /// The same failure with a sentence on what to do about it.
    pub fn hint(mut self, hint: &str) -> Self {
        self.message = format!("{}\n{hint}", self.message);
        self
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
        Failure::new(exit, error.to_string())
    }
}

impl From<store::StoreError> for Failure {
    fn from(error: store::StoreError) -> Self {
        let exit = match error.kind {
            store::Kind::Missing | store::Kind::Usage => Exit::Usage,
            store::Kind::Rights => Exit::Rights,
            store::Kind::Refused => Exit::Refused,
            store::Kind::Damaged | store::Kind::Newer | store::Kind::Failed => Exit::Failed,
        };
        Failure::new(exit, error.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_a_contract() {
        let codes = [
            Exit::Fine,
            Exit::Found,
            Exit::Usage,
            Exit::Rights,
            Exit::Refused,
            Exit::Failed,
            Exit::Undecided,
            Exit::Interrupted,
        ];
        assert_eq!(codes.map(|code| code as u8), [0, 1, 2, 3, 4, 5, 6, 130]);
    }

    #[test]
    fn a_missing_right_is_told_from_a_broken_host() {
        let error =
            |errno| host::Error::io("write", "/sys/x", std::io::Error::from_raw_os_error(errno));
        assert_eq!(Failure::from(error(1)).exit, Exit::Rights);
        assert_eq!(Failure::from(error(5)).exit, Exit::Failed);
    }
}
