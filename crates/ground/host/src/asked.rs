//! Programs that are asked a question: what they answer in time, and how much of it.

use crate::signals::Stop;
use crate::{Child, clock};
use model::text::clean_to;

/// How often a program is looked at, ms.
const LOOK_MS: u64 = 5;
/// Longest piece of what a program said that a message repeats, characters.
const SAID_MAX: usize = 300;

/// How long a removal may go on.
#[derive(Debug)]
pub struct Patience {
    /// When it is given up, ns of the monotonic clock.
    pub until_ns: u64,
    /// What ends it.
    pub stop: Stop,
}

impl Patience {
    /// As long as it takes: each call still has an end of its own.
    pub fn endless() -> Patience {
        Patience {
            until_ns: u64::MAX,
            stop: Stop::new(),
        }
    }

    /// So long from now, and until the next signal.
    pub fn of_ms(ms: u64) -> Patience {
        Patience {
            until_ns: clock::outer::monotonic_ns() + ms * 1_000_000,
            stop: Stop::on_next_signal(),
        }
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.stop.is_asked() || clock::outer::monotonic_ns() > self.until_ns
    }
}

/// Why a program that was asked has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// It could not be started.
    #[error("`{command}` cannot be started: {why}")]
    NotStarted {
        /// The command, as it can be typed.
        command: String,
        /// Why.
        why: String,
    },
    /// It ended badly.
    #[error("`{command}` {}{}", how_ended(*status), said_behind(said))]
    Failed {
        /// The command, as it can be typed.
        command: String,
        /// Its exit status; none where a signal ended it.
        status: Option<i32>,
        /// The last of what it said, fit for a terminal.
        said: String,
    },
    /// It did not end in time, and was killed.
    #[error(
        "`{command}` has no answer after {seconds} s: the cluster does not answer{}",
        said_behind(said)
    )]
    NoAnswer {
        /// The command, as it can be typed.
        command: String,
        /// How long it was waited for, seconds.
        seconds: u64,
        /// The last of what it said, fit for a terminal.
        said: String,
    },
    /// It printed more than an answer can be, and was killed.
    #[error("`{command}` printed over {most_bytes} bytes, more than its answer can be")]
    TooMuch {
        /// The command, as it can be typed.
        command: String,
        /// The bound, bytes.
        most_bytes: u64,
    },
    /// It was not waited for any more.
    #[error("`{command}` was not waited for: its end was asked for, or its time is over")]
    Stopped {
        /// The command, as it can be typed.
        command: String,
    },
}

impl AskError {
    /// What a program said that ended badly.
    pub fn said(&self) -> Option<&str> {
        match self {
            AskError::Failed { said, .. } => Some(said),
            _ => None,
        }
    }

    /// Whether a program that ended badly said one of these.
    pub(crate) fn says(&self, words: &[&str]) -> bool {
        let said = self.said().unwrap_or_default();
        words.iter().any(|word| said.contains(word))
    }
}

/// A question to a program that has been started.
pub(crate) struct Question<'a> {
    /// The command, as it can be typed.
    pub command: &'a dyn Fn() -> String,
    /// How long it may take, ms.
    pub deadline_ms: u64,
    /// The most that its answer may be, bytes.
    pub most_bytes: u64,
}

/// Waits for the answer of a program. Dropped with its child, one that did not end is killed.
pub(crate) fn answer(
    mut child: Child,
    question: &Question<'_>,
    is_over: &dyn Fn() -> bool,
) -> Result<String, AskError> {
    let command = || (question.command)();
    let too_much = || AskError::TooMuch {
        command: command(),
        most_bytes: question.most_bytes,
    };
    let end_ns = clock::outer::monotonic_ns() + question.deadline_ms * 1_000_000;
    while !child.has_ended() {
        if child.printed_bytes() > question.most_bytes {
            return Err(too_much());
        }
        if is_over() {
            return Err(AskError::Stopped { command: command() });
        }
        if clock::outer::monotonic_ns() >= end_ns {
            return Err(AskError::NoAnswer {
                command: command(),
                seconds: question.deadline_ms.div_ceil(1000),
                said: last_words(&child.printed().1),
            });
        }
        clock::outer::sleep_ms(LOOK_MS);
    }
    if child.printed_bytes() > question.most_bytes {
        return Err(too_much());
    }
    let (stdout, stderr) = child.printed();
    match child.status() {
        Some(0) => Ok(stdout),
        status => Err(AskError::Failed {
            command: command(),
            status,
            said: last_words(&stderr),
        }),
    }
}

/// The last line that a program said, fit for a terminal. Lines of its own log come with times and thread numbers in front,
/// which say nothing to a reader but are what the program gives.
pub fn last_words(text: &str) -> String {
    let mut lines = text.lines().rev().map(str::trim);
    let last = lines.find(|line| !line.is_empty());
    clean_to(last.unwrap_or_default(), SAID_MAX)
}

/// How a program ended, in words.
fn how_ended(status: Option<i32>) -> String {
    match status {
        Some(status) => format!("ended with status {status}"),
        None => "was ended by a signal".into(),
    }
}

/// What a program said, behind what is told of it.
fn said_behind(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!("; it said: {said}"),
    }
}
