//! Starts verbs of iodyno somewhere, and brings home their documents, their words, their end and their errors.
//!
//! A verb is a list of words for the executable, never a line for a shell. It runs with `--json`, so what it prints is a
//! document, or one a line, and why it failed is one too (`iodyno.error/1`): nothing is ever read out of the words that it
//! has for people. Where it runs is a [`RunnerPlace`], one file each in `place/`.

mod cancel;
mod ended;
mod place;
mod running;
mod verb;

pub use cancel::{Cancel, CancelOnDrop};
pub use ended::{Answer, Ended};
pub use place::{CommandLine, PlaceError, RunnerPlace, SshPlace, TemplatePlace};
pub use running::{Running, RunningLines};
pub use verb::Verb;

use host::{Piped, Privileges};
use std::time::Duration;

/// Starts verbs in one place.
#[derive(Clone, Debug)]
pub struct Runner {
    place: RunnerPlace,
    program: String,
}

/// Why a verb has no answer that it would have given itself.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// It could not be started or waited for.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// It took too long and was ended.
    #[error("it took longer than {} and was ended", model::units::span_ms(.0.as_millis() as u64))]
    TooLong(Duration),
    /// Its document is longer than is taken.
    #[error("the answer is longer than {}", model::units::bytes(*.0 as f64))]
    TooMuch(u64),
}

impl Runner {
    /// For the executable `program`, as it is called in that place.
    pub fn new(place: RunnerPlace, program: impl Into<String>) -> Runner {
        Runner {
            place,
            program: program.into(),
        }
    }

    /// Starts a verb. When the thread that did so ends, the verb is asked to put everything back and end.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self, verb: &Verb) -> Result<Running, RunnerError> {
        let CommandLine { program, words } =
            self.place.command_line(&self.program, verb.all_words());
        let child = Piped::start_in(
            &program,
            &words,
            verb.privileges,
            verb.directory.as_deref(),
            &verb.variables(),
        )?;
        Ok(Running::new(child))
    }

    /// Starts a verb that is talked with: [`Running::stdin`] is what it reads.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_talking(&self, verb: &Verb) -> Result<Running, RunnerError> {
        let line = self.place.command_line(&self.program, verb.all_words());
        let child = Piped::start_talking(&line.program, &line.words, verb.privileges)?;
        Ok(Running::new(child))
    }

    /// Starts the program itself with these words, to talk with it in a protocol of its own: no verb, and no `--json`. What
    /// leads there may be the user's own command, with all that the user may.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn talk(&self, words: Vec<String>) -> Result<Piped, RunnerError> {
        let line = self.place.command_line(&self.program, words);
        let child = Piped::start_talking(&line.program, &line.words, Privileges::Users)?;
        Ok(child)
    }
}
