//! What is said between the machine that leads and a host: one JSON document a line, in both directions, whatever carries
//! them. A host is not believed: lines are bounded, texts are cleaned, and what is no line of this ends the talk with it.

use model::failure::ErrorDocument;
use model::record::Interval;
use model::text::clean_to;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of what is said. Both sides come from one binary, so it only shows a mistake.
pub const PROTOCOL: u32 = 1;
/// The longest line of a host, bytes: a record of a long load.
pub const LINE_MAX: u64 = 64 << 20;
/// The longest line before a verb was started, bytes.
pub const FIRST_LINES_MAX: u64 = 64 << 10;
/// The most that one host may say in all, bytes; and how much more for each second that it lasts.
pub const TALK_MAX: u64 = 256 << 20;
/// The same for each second.
pub const TALK_A_SECOND: u64 = 4 << 10;
/// Lines of words that one host may say.
pub const WORDS_MAX: u32 = 10_000;
/// Longest line of words that is kept, characters.
pub const WORDS_LINE_MAX: usize = 400;
/// Stands in the words of a verb for the number of the record that was sent along.
pub const RECORD_WORD: &str = "@record";

/// What is asked of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// Says who asks; the host answers with [`Tell::Hello`].
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
        /// After so long without a word the other side is taken for dead, ms.
        silence_ms: u64,
    },
    /// What its clock says: for [`Tell::Clock`].
    Clock {
        /// Which question.
        number: u32,
    },
    /// Starts a verb.
    Start {
        /// The verb and its words.
        words: Vec<String>,
        /// A record to keep there first; [`RECORD_WORD`] in the words becomes its number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<Value>,
    },
    /// What waits may begin at this moment of the host's own clock, ns.
    Go {
        /// The moment.
        at_ns: u64,
    },
    /// The one who asks is there.
    Alive,
    /// Put everything back and end.
    Stop,
}

/// Who a host is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostHello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of the binary there.
    pub iodyno: String,
    /// Its own name.
    pub hostname: String,
    /// Release of its kernel.
    pub kernel: String,
    /// What tells this start of the machine from every other one.
    #[serde(default)]
    pub boot: String,
    /// Whether the verb may do all there.
    pub is_root: bool,
    /// Its wall clock, ms since 1970.
    pub unix_ms: u64,
}

/// What a host tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tell", rename_all = "snake_case")]
pub enum Tell {
    /// Who it is.
    Hello(HostHello),
    /// What its clock said when it was asked.
    Clock {
        /// Which question.
        number: u32,
        /// Its monotonic clock, ns.
        at_ns: u64,
    },
    /// All is prepared, and the load waits for [`Ask::Go`].
    Ready,
    /// The load has begun.
    Started {
        /// At this moment of the host's own clock, ns.
        at_ns: u64,
    },
    /// What a load did meanwhile.
    Progress {
        /// The last interval.
        interval: Interval,
    },
    /// A line for people.
    Words {
        /// The line.
        line: String,
    },
    /// The document of the verb.
    Document {
        /// As the verb printed it.
        document: Value,
    },
    /// The record of the verb, where its document is not the record itself.
    Record {
        /// As it was kept.
        record: Value,
    },
    /// The verb has ended.
    Ended {
        /// Its exit code; none when a signal ended it.
        exit: Option<i32>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<ErrorDocument>,
    },
    /// It is there.
    Alive,
}

/// A line of a host; where it carries a document or a record, that is read without a copy of all of it.
///
/// # Errors
/// With the beginning of the line, cleaned, when it is none of the protocol.
pub fn told(line: &[u8]) -> Result<Tell, String> {
    let not = |why: String| {
        let text = String::from_utf8_lossy(&line[..line.len().min(400)]);
        format!("`{}` ({why})", clean_to(text.trim_end(), 80))
    };
    let text = std::str::from_utf8(line).map_err(|_| not("no UTF-8".into()))?;
    if line.len() > LONG {
        if !is_bounded(line) {
            return Err(not("it has more parts than is taken".into()));
        }
        if let Some(told) = long(text) {
            return told.map_err(|error| not(clean_to(&error.to_string(), 120)));
        }
    }
    let told: Tell =
        serde_json::from_str(text).map_err(|error| not(clean_to(&error.to_string(), 120)))?;
    Ok(match told {
        Tell::Words { line } => Tell::Words {
            line: clean_to(&line, WORDS_LINE_MAX),
        },
        Tell::Hello(hello) => Tell::Hello(HostHello {
            iodyno: clean_to(&hello.iodyno, 40),
            hostname: clean_to(&hello.hostname, 64),
            kernel: clean_to(&hello.kernel, 80),
            boot: clean_to(&hello.boot, 64),
            ..hello
        }),
        Tell::Ended { exit, error } => Tell::Ended {
            exit,
            error: error.map(cleaned),
        },
        other => other,
    })
}

/// Lines longer than this carry something whole, bytes.
const LONG: usize = 64 << 10;
/// Parts of a document at most: each takes room of its own, however short it is.
const PARTS_MAX: usize = 16 << 20;

/// Whether a line has no more parts than is taken, by the bytes that begin one.
fn is_bounded(line: &[u8]) -> bool {
    let parts = line
        .iter()
        .filter(|byte| matches!(byte, b',' | b'[' | b'{'));
    parts.count() <= PARTS_MAX
}

/// A line that carries a document or a record, as our own side writes it.
fn long(line: &str) -> Option<serde_json::Result<Tell>> {
    let inner = |head: &str| line.trim_end().strip_prefix(head)?.strip_suffix('}');
    if let Some(document) = inner(r#"{"tell":"document","document":"#) {
        let read = serde_json::from_str(document);
        return Some(read.map(|document| Tell::Document { document }));
    }
    let record = inner(r#"{"tell":"record","record":"#)?;
    let read = serde_json::from_str(record);
    Some(read.map(|record| Tell::Record { record }))
}

/// A failure of a host, as it may be shown.
fn cleaned(error: ErrorDocument) -> ErrorDocument {
    let line = |text: String| {
        let lines = text.lines().map(|line| clean_to(line, WORDS_LINE_MAX));
        lines.take(20).collect::<Vec<_>>().join("\n")
    };
    ErrorDocument {
        schema: clean_to(&error.schema, 40),
        error: line(error.error),
        on: error.on.map(line),
        why: error.why.map(line),
        hint: error.hint.map(line),
        exit: error.exit,
    }
}

/// A line to send; it ends with its line feed.
pub fn line(said: &impl Serialize) -> String {
    // Made of strings, numbers and JSON, which JSON always has room for.
    let mut text = serde_json::to_string(said).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_said_is_one_line_and_comes_back() {
        let asks = [
            Ask::Hello {
                protocol: PROTOCOL,
                silence_ms: 1,
            },
            Ask::Start {
                words: vec!["run".into(), "/a\nb".into()],
                record: Some(serde_json::json!({"a": [1, 2]})),
            },
            Ask::Go { at_ns: u64::MAX },
            Ask::Stop,
        ];
        for ask in asks {
            let line = line(&ask);
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert_eq!(serde_json::from_str::<Ask>(&line).unwrap(), ask);
        }
        let tell = Tell::Ended {
            exit: Some(5),
            error: Some(ErrorDocument::new("no room\non /srv")),
        };
        assert_eq!(told(line(&tell).as_bytes()), Ok(tell));
    }

    #[test]
    fn a_long_document_comes_back_and_one_of_too_many_parts_does_not() {
        let numbers: Vec<u32> = (0..40_000).collect();
        for tell in [
            Tell::Document {
                document: serde_json::json!({"numbers": numbers}),
            },
            Tell::Record {
                record: serde_json::json!({"numbers": numbers}),
            },
        ] {
            let line = line(&tell);
            assert!(line.len() > LONG);
            assert_eq!(told(line.as_bytes()), Ok(tell));
        }
        let parts = format!(
            r#"{{"tell":"document","document":[{}0]}}"#,
            "[],".repeat(PARTS_MAX / 2)
        );
        assert!(told(parts.as_bytes()).unwrap_err().contains("more parts"));
    }

    #[test]
    fn texts_of_a_host_cannot_drive_a_terminal() {
        let line = format!(
            r#"{{"tell":"words","line":"\u001b[2J{}"}}"#,
            "x".repeat(900)
        );
        let Ok(Tell::Words { line }) = told(line.as_bytes()) else {
            panic!("{line}");
        };
        assert!(!line.contains('\u{1b}') && line.chars().count() == WORDS_LINE_MAX);
        let hello = r#"{"tell":"hello","protocol":1,"iodyno":"0\n","hostname":"a\u0007","kernel":"","is_root":true,"unix_ms":1}"#;
        let Ok(Tell::Hello(hello)) = told(hello.as_bytes()) else {
            panic!("no hello");
        };
        assert_eq!(
            (hello.iodyno.as_str(), hello.hostname.as_str()),
            ("0?", "a?")
        );
    }

    #[test]
    fn garbage_is_shown_by_its_beginning() {
        let why = told(b"\x1b]0;owned\x07 Welcome\n").unwrap_err();
        assert!(why.starts_with("`?]0;owned? Welcome`"), "{why}");
        assert!(told(&[0xff; 1000]).unwrap_err().len() < 400);
        assert!(told(br#"{"tell":"shell","command":"rm"}"#).is_err());
    }

    proptest! {
        #[test]
        fn no_line_is_a_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = told(&line);
        }

        #[test]
        fn a_line_that_is_nearly_one_is_no_panic(cut in 0usize..120, with in any::<u8>()) {
            let tell = Tell::Clock { number: 3, at_ns: u64::MAX };
            let mut bytes = line(&tell).into_bytes();
            let at = cut.min(bytes.len() - 1);
            bytes[at] = with;
            if let Ok(Tell::Words { line }) = told(&bytes) {
                prop_assert!(!line.contains(char::from(27)));
            }
        }
    }
}
