//! Verbs of iodyno that run beside the helper, because they change the machine, load it, or read what somebody sent.
//!
//! The helper keeps the rights of whoever started it, so that it can give them to a verb; each verb gives up, between fork
//! and exec, what it does not need ([`host::Privileges`]). What only reads the machine or the store needs no process: the
//! helper has dropped none of the rights for it, and calls it on a thread that gives up the others
//! ([`host::Privileges::within`]). Three reads stay verbs: `import`, of a file that somebody sent, since only a process has
//! a bound on its memory; `watch`, which traces and is ended at any moment; and the plan of an `apply`, whose words are
//! shown.

use crate::answer::Fault;
use crate::helper::Helper;
use crate::route::Call;
use host::Privileges;
use model::failure::ErrorDocument;
use runner::{Answer, RunnerError, Verb};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::Duration;

/// The longest document that is taken, bytes: more is no answer for a browser.
const DOCUMENT_MAX: u64 = 64 << 20;
/// How long a verb that only looks may take.
pub const LOOK_TIME: Duration = Duration::from_secs(120);

/// Runs a verb to its end. It changes something, so it is never cut short.
///
/// # Errors
/// When it cannot be run, or failed: its own error and exit code.
pub fn change(helper: &Helper, words: &[String]) -> Result<Answer, Fault> {
    let running = helper.runner.start(&Verb::new(Privileges::Load, words))?;
    Ok(running.whole(DOCUMENT_MAX)?.fine()?)
}

/// Runs a verb that only looks; ended when it takes too long, or nobody waits for it any more.
///
/// # Errors
/// See [`change`].
pub fn look(
    helper: &Helper,
    call: &Call,
    privileges: Privileges,
    words: &[String],
) -> Result<Answer, Fault> {
    let running = helper.runner.start(&Verb::new(privileges, words))?;
    let answer = running.whole_within(DOCUMENT_MAX, LOOK_TIME, &call.cancel)?;
    Ok(answer.fine()?)
}

/// Runs an import in a directory, so that a file in it can be named without its path. It may be ended at any moment: the
/// store has a record whole or not at all. It stays a process of its own: it reads what somebody sent, so it has no
/// capability and a bound on its memory, which only a process can have.
///
/// # Errors
/// See [`change`].
pub fn import_in(
    helper: &Helper,
    call: &Call,
    directory: &Path,
    words: &[String],
) -> Result<Answer, Fault> {
    let state_dir = host::files::canonical(&helper.options.state_dir)?;
    let verb = Verb::new(Privileges::Own, words)
        .in_directory(directory)
        .with_variable("IODYNO_STATE_DIR", state_dir);
    let running = helper.runner.start(&verb)?;
    Ok(running.whole_within(DOCUMENT_MAX, helper.options.import_time, &call.cancel)?)
}

/// A document of a verb.
///
/// # Errors
/// When it is another one, or none.
pub fn parsed<T: DeserializeOwned>(document: &[u8]) -> Result<T, Fault> {
    model::json::read_bytes(document).map_err(|_| Fault::defect())
}

impl From<Box<ErrorDocument>> for Fault {
    /// Why a verb failed, for a browser.
    fn from(told: Box<ErrorDocument>) -> Fault {
        let status = match told.exit {
            Some(2) => 400,
            Some(3) => 403,
            Some(4) => 409,
            Some(5) => 422,
            Some(130) | None => 503,
            Some(_) => 500,
        };
        Fault {
            told,
            ..Fault::new(status, "")
        }
    }
}

impl From<RunnerError> for Fault {
    fn from(error: RunnerError) -> Fault {
        let message = error.to_string();
        match error {
            RunnerError::Host(error) => error.into(),
            RunnerError::TooLong(_) => Fault::new(503, message)
                .hint("The same verb on the command line has no limit of time."),
            RunnerError::TooMuch(_) => {
                Fault::new(413, message).hint("The same verb on the command line prints it whole.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_have_their_status() {
        let status = |exit| {
            let told = ErrorDocument {
                exit,
                ..ErrorDocument::new("no")
            };
            Fault::from(Box::new(told)).status
        };
        assert_eq!(
            [Some(2), Some(3), Some(4), Some(5), Some(130), None].map(status),
            [400, 403, 409, 422, 503, 503]
        );
    }
}
