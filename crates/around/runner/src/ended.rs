//! How a verb ended, and why where it failed: from its exit code and its last document.

use model::failure::{ERROR_SCHEMA, ErrorDocument};
use serde::Deserialize;

/// How a verb ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Exit code; none when a signal ended it.
    pub exit: Option<i32>,
    /// Why it failed; none where it did not.
    pub error: Option<ErrorDocument>,
}

/// What a verb gave that is read as a whole.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Exit code; none when a signal ended it.
    pub exit: Option<i32>,
    /// Its document as printed.
    pub document: Vec<u8>,
    /// Its words for people.
    pub words: String,
    /// Why it failed; none where it did not.
    pub error: Option<ErrorDocument>,
}

impl Answer {
    /// The answer of a verb that did what it was asked.
    ///
    /// # Errors
    /// Why it did not.
    pub fn fine(self) -> Result<Answer, Box<ErrorDocument>> {
        match self.error {
            Some(error) => Err(Box::new(error)),
            None if self.document.is_empty() => Err(Box::new(without_a_word(self.exit))),
            None => Ok(self),
        }
    }
}

/// An answer with a failure inside.
#[derive(Deserialize)]
struct Inside {
    error: ErrorDocument,
}

/// Why a verb failed that ended with this code and this last document. It did not with 0; nor with 1, where something was
/// found, and 6, where an experiment could not decide.
pub(crate) fn why(exit: Option<i32>, last: &[u8]) -> Option<ErrorDocument> {
    match exit {
        Some(0 | 1 | 6) => None,
        exit => Some(found_in(last).unwrap_or_else(|| without_a_word(exit))),
    }
}

/// Whether a document is a failure, and no answer.
pub(crate) fn is_failure(document: &[u8]) -> bool {
    itself(document).is_some()
}

/// The failure in a document: the document itself, or its member `error`.
fn found_in(document: &[u8]) -> Option<ErrorDocument> {
    let inside = || model::json::read_bytes::<Inside>(document).ok();
    itself(document).or_else(|| inside().map(|inside| inside.error).filter(is_one))
}

fn itself(document: &[u8]) -> Option<ErrorDocument> {
    model::json::read_bytes(document).ok().filter(is_one)
}

fn is_one(error: &ErrorDocument) -> bool {
    error.schema == ERROR_SCHEMA
}

fn without_a_word(exit: Option<i32>) -> ErrorDocument {
    let error = match exit {
        Some(exit) => format!("it ended with exit code {exit} and without saying why"),
        None => "a signal ended it".into(),
    };
    ErrorDocument {
        exit: exit.and_then(|exit| u8::try_from(exit).ok()),
        ..ErrorDocument::new(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILURE: &str = r#"{"schema":"iodyno.error/1","error":"no","hint":"ask","exit":4}"#;

    #[test]
    fn a_failure_is_found_as_a_document_and_inside_an_answer() {
        let error = why(Some(4), FAILURE.as_bytes()).unwrap();
        assert_eq!(
            (error.error.as_str(), error.hint.as_deref()),
            ("no", Some("ask"))
        );
        let answer = format!(r#"{{"schema":"iodyno.run/1","id":null,"error":{FAILURE}}}"#);
        assert_eq!(why(Some(5), answer.as_bytes()), Some(error));
    }

    #[test]
    fn what_ended_well_has_no_error_and_what_says_nothing_has_one_all_the_same() {
        for exit in [0, 1, 6] {
            assert_eq!(why(Some(exit), FAILURE.as_bytes()), None);
        }
        for other in [
            "",
            "words",
            r#"{"schema":"iodyno.run/1","error":"a member of its own"}"#,
        ] {
            let error = why(Some(5), other.as_bytes()).unwrap();
            assert!(error.error.contains("exit code 5"), "{other}: {error:?}");
            assert_eq!(error.exit, Some(5));
        }
        assert_eq!(why(None, b"").unwrap().error, "a signal ended it");
    }
}
