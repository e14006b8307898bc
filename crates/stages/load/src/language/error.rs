//! What is wrong with a line in fio's language: where, which option, why, and what to write.

use crate::LoadError;
use model::job::Position;
use model::text::clean;

/// A line that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{why}. {advice}", place(position), before(subject))]
pub struct LanguageError {
    /// Where; nothing when the whole of it is meant.
    pub position: Option<Position>,
    /// The option as it was written, with its value: `bs=4q`. Empty when no option is at fault.
    pub subject: String,
    /// What is wrong.
    pub why: String,
    /// What to write.
    pub advice: String,
    /// Which kind of mistake it is.
    pub kind: Mistake,
}

/// The kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// No option of fio has this name.
    Unknown,
    /// The option does not take this value.
    Value,
    /// fio accepts the value and reads something else from it than what is written.
    Misleading,
    /// Options that exclude each other, or a job that fio refuses when it begins.
    Conflict,
    /// The words or lines have no form that could be read.
    Form,
}

fn place(position: &Option<Position>) -> String {
    position
        .as_ref()
        .map(|position| format!("{position}: "))
        .unwrap_or_default()
}

fn before(subject: &str) -> String {
    match subject {
        "" => String::new(),
        subject => format!("{subject}: "),
    }
}

/// What is wrong with one value, before it is known where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bad {
    pub why: String,
    pub advice: String,
    pub kind: Mistake,
}

impl Bad {
    pub fn value(why: impl Into<String>, advice: impl Into<String>) -> Bad {
        Bad {
            why: why.into(),
            advice: advice.into(),
            kind: Mistake::Value,
        }
    }

    pub fn misleading(why: impl Into<String>, advice: impl Into<String>) -> Bad {
        Bad {
            why: why.into(),
            advice: advice.into(),
            kind: Mistake::Misleading,
        }
    }

    pub fn conflict(why: impl Into<String>, advice: impl Into<String>) -> Bad {
        Bad {
            why: why.into(),
            advice: advice.into(),
            kind: Mistake::Conflict,
        }
    }

    pub fn form(why: impl Into<String>, advice: impl Into<String>) -> Bad {
        Bad {
            why: why.into(),
            advice: advice.into(),
            kind: Mistake::Form,
        }
    }

    /// With its place.
    pub fn at(self, position: &Position, subject: impl Into<String>) -> LanguageError {
        LanguageError {
            position: Some(position.clone()),
            subject: clean(&subject.into()).into_owned(),
            why: clean(&self.why).into_owned(),
            advice: clean(&self.advice).into_owned(),
            kind: self.kind,
        }
    }
}

impl From<LanguageError> for LoadError {
    fn from(error: LanguageError) -> Self {
        let what = format!("{}{}", place(&error.position), error.subject);
        LoadError::usage(what.trim_end_matches(": "), error.why, error.advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_place_the_option_the_reason_and_the_remedy() {
        let at = Position {
            source: "db.fio".into(),
            line: 12,
        };
        let error = Bad::value("it has no unit \x1b", "Write bs=4k").at(&at, "bs=4q");
        assert_eq!(
            error.to_string(),
            "db.fio line 12: bs=4q: it has no unit ?. Write bs=4k"
        );
        assert_eq!(
            LoadError::from(error).to_string(),
            "db.fio line 12: bs=4q: it has no unit ?. Write bs=4k"
        );
    }
}
