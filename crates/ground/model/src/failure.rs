//! `iodyno.error/1`: why a command did not do what it was asked, as a document.

use serde::{Deserialize, Serialize};

/// The schema of [`ErrorDocument`].
pub const ERROR_SCHEMA: &str = "iodyno.error/1";

/// A failure: what failed, on what, why, and what to do about it.
///
/// With `--json` it is the only document of a command that has no answer, the last line of a stream, and the member `error`
/// of an answer that could not be kept or is not whole. The server sends it with every refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorDocument {
    /// Which document this is.
    pub schema: String,
    /// What failed, on what and why, as a sentence.
    pub error: String,
    /// On what, where it is known: a path, a device, a target, an option, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Why, where it is known apart from the sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The exit code of the command; none where no command ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
}

/// How a command ended: its exit code, which scripts rely on.
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

/// What is known of a failure besides its message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// On what: a path, a device, a target, an option, as it was named.
    pub on: Option<String>,
    /// Why.
    pub why: Option<String>,
    /// What to do about it: the end of the message.
    pub hint: Option<String>,
}

impl Parts {
    /// A failure on something.
    pub fn on(on: impl Into<String>) -> Parts {
        Parts {
            on: Some(on.into()),
            ..Parts::default()
        }
    }

    /// The same with its reason.
    pub fn why(self, why: impl Into<String>) -> Parts {
        Parts {
            why: Some(why.into()),
            ..self
        }
    }

    /// The same with what to do.
    pub fn hint(self, hint: impl Into<String>) -> Parts {
        Parts {
            hint: Some(hint.into()),
            ..self
        }
    }
}

impl ErrorDocument {
    /// The document of a message that ends with its hint: the sentence stands in it without.
    pub fn of(message: &str, parts: Parts) -> ErrorDocument {
        let hint = parts.hint.as_deref().unwrap_or_default();
        let error = message.trim_end().strip_suffix(hint).unwrap_or(message);
        let is_between = |c: char| c.is_whitespace() || matches!(c, ':' | ';' | ',');
        ErrorDocument {
            on: parts.on,
            why: parts.why,
            error: error.trim_end_matches(is_between).into(),
            hint: parts.hint,
            ..ErrorDocument::new("")
        }
    }

    /// A failure of which only the sentence is known.
    pub fn new(error: impl Into<String>) -> ErrorDocument {
        ErrorDocument {
            schema: ERROR_SCHEMA.into(),
            error: error.into(),
            on: None,
            why: None,
            hint: None,
            exit: None,
        }
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
    fn a_hint_stands_apart_from_the_sentence() {
        let message = "cannot write to sda: it is in use. Use a directory";
        let parts = Parts::on("sda").why("it is in use").hint("Use a directory");
        let document = ErrorDocument::of(message, parts.clone());
        assert_eq!(document.error, "cannot write to sda: it is in use.");
        assert_eq!(document.hint.as_deref(), Some("Use a directory"));
        assert_eq!((document.on, document.why), (parts.on, parts.why));
        let whole = ErrorDocument::of(message, Parts::default());
        assert_eq!((whole.error.as_str(), whole.hint), (message, None));
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let failure = ErrorDocument {
            exit: Some(4),
            ..ErrorDocument::new("cannot write to sda")
        };
        let document = serde_json::to_string(&failure).unwrap();
        assert_eq!(
            document,
            r#"{"schema":"iodyno.error/1","error":"cannot write to sda","exit":4}"#
        );
        assert_eq!(
            serde_json::from_str::<ErrorDocument>(&document).unwrap(),
            failure
        );
    }
}
