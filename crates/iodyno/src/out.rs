//! Where words go: people's text to stdout, or to stderr when stdout carries a document; and never a panic because
//! the reader went away.

use crate::exit::{Exit, Failure};
use model::failure::ErrorDocument;
use model::text;
use report::text::Paint;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The two streams of a command.
#[derive(Clone, Copy, Debug)]
pub struct Out {
    json: bool,
}

impl Out {
    /// With `--json`, or without.
    pub fn new(json: bool) -> Self {
        Out { json }
    }

    /// Where stdout carries a document a line: words for people go to stderr, and a failure is the last line.
    pub fn of_a_stream() -> Self {
        IS_STREAM.store(true, Ordering::Relaxed);
        Out { json: true }
    }

    /// Whether nobody takes what is written any more: what only watches has then nothing left to do.
    pub fn is_unread(self) -> bool {
        READER_GONE.load(Ordering::Relaxed)
    }

    /// Whether documents are asked for.
    pub fn is_json(self) -> bool {
        self.json
    }

    /// How words are marked: in colour, where that is shown.
    pub fn paint(self) -> Paint {
        match self.has_colour() {
            true => Paint::Colour,
            false => Paint::Plain,
        }
    }

    /// A line for people: one line, whatever is in it. What came from a disk, a record or a file cannot add lines to it.
    pub fn say(self, text: impl AsRef<str>) {
        let line = self.safe(text.as_ref(), text::clean);
        let line = shown(&line);
        if self.json {
            write_line(&mut std::io::stderr(), &line)
        } else {
            write_line(&mut std::io::stdout(), &line)
        }
    }

    /// Several lines for people, whose line ends are our own: foreign parts of them were cleaned where they were put in.
    pub fn text(self, text: impl AsRef<str>) {
        let lines = self.safe(text.as_ref(), own_lines);
        let lines = shown(&lines);
        if self.json {
            write_line(&mut std::io::stderr(), &lines)
        } else {
            write_line(&mut std::io::stdout(), &lines)
        }
    }

    /// A line for people that is no part of the answer, or several, as a failure has them.
    pub fn note(self, text: impl AsRef<str>) {
        write_line(&mut std::io::stderr(), &shown(&own_lines(text.as_ref())));
    }

    /// Cleaned, but for the colours of [`Paint`] where they are asked for.
    fn safe<'a>(self, text: &'a str, clean: fn(&str) -> Cow<'_, str>) -> Cow<'a, str> {
        if text.contains('\u{1b}') && self.has_colour() {
            Cow::Owned(Paint::cleaned(text, clean))
        } else {
            clean(text)
        }
    }

    /// The document, when one was asked for: the last thing that a command gives. It is printed at its [`Out::end`], which
    /// knows whether anything failed after it was made.
    pub fn document(self, document: &impl Serialize) -> Result<(), Failure> {
        match IS_STREAM.load(Ordering::Relaxed) {
            true => self.hold(document, serde_json::to_string),
            false => self.hold(document, serde_json::to_string_pretty),
        }
    }

    /// The same on one line, where it is long.
    pub fn document_on_a_line(self, document: &impl Serialize) -> Result<(), Failure> {
        self.hold(document, serde_json::to_string)
    }

    fn hold<T: Serialize>(
        self,
        document: &T,
        print: fn(&T) -> serde_json::Result<String>,
    ) -> Result<(), Failure> {
        if !self.json {
            return Ok(());
        }
        let text = print(document).map_err(|error| {
            Failure::new(Exit::Failed, format!("cannot write the document: {error}"))
        })?;
        *held() = Some(text);
        Ok(())
    }

    /// Prints the document, with a failure in it where there was one; the failure itself, on one line, where there is no
    /// document. A stream ends with its failure also without `--json`.
    pub fn end(self, failure: Option<&ErrorDocument>) {
        let text = match (held().take(), failure) {
            (Some(document), Some(failure)) => with_failure(document, failure),
            (Some(document), None) => document,
            (None, Some(failure)) if self.json || IS_STREAM.load(Ordering::Relaxed) => {
                json(failure)
            }
            (None, _) => return,
        };
        write_line(&mut std::io::stdout(), &text::json_shown(&text));
    }

    /// A part of an answer that is data already and has its own line ends: as it is into a file or a pipe, cleaned where a
    /// terminal would obey it.
    pub fn raw(self, text: &str) {
        let stdout = std::io::stdout();
        let text = if stdout.is_terminal() {
            text::clean_lines(text)
        } else {
            Cow::Borrowed(text)
        };
        write_all(&mut &stdout, format_args!("{text}"));
    }

    /// An answer that is a file's content and was asked for on stdout, which carries no other document then.
    pub fn answer(self, text: &str) {
        match self.json {
            true => self.note(text),
            false => self.raw(&format!("{text}\n")),
        }
    }

    /// One document of a stream, on a line of its own.
    pub fn line(self, document: &impl Serialize) {
        // What is streamed is made of numbers and strings; there is nothing in it that cannot be written as JSON.
        if let Ok(text) = serde_json::to_string(document) {
            write_line(&mut std::io::stdout(), &text::json_shown(&text));
        }
    }

    /// Whether people's text goes to a terminal that may be coloured (NO_COLOR is respected: no-color.org).
    pub fn has_colour(self) -> bool {
        let is_terminal = if self.json {
            std::io::stderr().is_terminal()
        } else {
            std::io::stdout().is_terminal()
        };
        is_terminal && host::environment::variable("NO_COLOR").is_none()
    }
}

/// Lines of our own. A word of the command line that has line ends in it, as a name of a file may have, adds none.
fn own_lines(text: &str) -> Cow<'_, str> {
    static ODD: OnceLock<Vec<String>> = OnceLock::new();
    let odd = ODD.get_or_init(|| {
        let words = host::environment::arguments().into_iter().skip(1);
        // The word as it is, and the value in `--option=value`.
        let parts = words.flat_map(|word| {
            let value = word.split_once('=').map(|(_, value)| value.to_string());
            [Some(word), value].into_iter().flatten()
        });
        parts
            .filter(|part| part.contains(text::is_unsafe))
            .collect()
    });
    let named = odd.iter().filter(|odd| text.contains(*odd));
    let lines = named.fold(Cow::Borrowed(text), |text, odd| {
        Cow::Owned(text.replace(odd, &text::clean(odd)))
    });
    match lines {
        Cow::Borrowed(text) => text::clean_lines(text),
        Cow::Owned(text) => Cow::Owned(text::clean_lines(&text).into_owned()),
    }
}

/// The document that waits for the end of the command.
static HELD: Mutex<Option<String>> = Mutex::new(None);

/// Raised where stdout carries a stream of documents.
static IS_STREAM: AtomicBool = AtomicBool::new(false);

fn held() -> MutexGuard<'static, Option<String>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn json(failure: &ErrorDocument) -> String {
    // It is made of strings and a number, which JSON always has room for.
    serde_json::to_string(failure).unwrap_or_default()
}

/// Words as the terminal has room for them and the locale can show them; documents are UTF-8 everywhere.
fn shown(text: &str) -> Cow<'_, str> {
    static IS_ASCII: OnceLock<bool> = OnceLock::new();
    let is_ascii = || host::environment::is_utf8(host::environment::variable) == Some(false);
    let text = report::text::narrowed(text);
    match IS_ASCII.get_or_init(is_ascii) {
        true => Cow::Owned(view::text::ascii(&text).into_owned()),
        false => text,
    }
}

/// A document with a failure as its last member.
fn with_failure(document: String, failure: &ErrorDocument) -> String {
    // Documents are objects, and none is empty.
    let members = document.strip_suffix('}').unwrap_or(&document).trim_end();
    let (before, after) = match document.ends_with("\n}") {
        true => ("\n  ", "\n"),
        false => ("", ""),
    };
    format!("{members},{before}\"error\": {}{after}}}", json(failure))
}

/// Raised when a stream's reader went away.
static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Why writing failed, where it was not the reader's wish.
static LOST: OnceLock<String> = OnceLock::new();

/// A closed pipe is the reader's choice: a tune that loses its reader still puts everything back.
fn write_line(stream: &mut impl Write, text: &str) {
    write_all(stream, format_args!("{text}\n"));
}

fn write_all(stream: &mut impl Write, text: std::fmt::Arguments) {
    if let Err(error) = stream.write_fmt(text).and_then(|()| stream.flush()) {
        READER_GONE.store(true, Ordering::Relaxed);
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            // Only the first one is told.
            let _ = LOST.set(error.to_string());
        }
    }
}

/// Why something that was said could not be written, though somebody wanted it: a full disk.
pub fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}
