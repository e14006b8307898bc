//! Where words go: people's text to stdout, or to stderr when stdout carries a document; and never a panic because
//! the reader went away.

use crate::exit::{Exit, Failure};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

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

    /// Whether nobody takes what is written any more: what only watches has then nothing left to do.
    pub fn is_unread(self) -> bool {
        READER_GONE.load(Ordering::Relaxed)
    }

    /// Whether documents are asked for.
    pub fn is_json(self) -> bool {
        self.json
    }

    /// A line for people.
    pub fn say(self, text: impl AsRef<str>) {
        if self.json { self.note(text) } else { write_line(&mut std::io::stdout(), text.as_ref()) }
    }

    /// A line for people that is no part of the answer.
    pub fn note(self, text: impl AsRef<str>) {
        write_line(&mut std::io::stderr(), text.as_ref());
    }

    /// The document, when one was asked for.
    pub fn document(self, document: &impl Serialize) -> Result<(), Failure> {
        if !self.json {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(document)
            .map_err(|error| Failure::new(Exit::Failed, format!("cannot write the document: {error}")))?;
        write_line(&mut std::io::stdout(), &text);
        Ok(())
    }

    /// A part of an answer that is data already and has its own line ends.
    pub fn raw(self, text: &str) {
        write_all(&mut std::io::stdout(), format_args!("{text}"));
    }

    /// One document of a stream, on a line of its own.
    pub fn line(self, document: &impl Serialize) {
        // What is streamed is made of numbers and strings; there is nothing in it that cannot be written as JSON.
        if let Ok(text) = serde_json::to_string(document) {
            write_line(&mut std::io::stdout(), &text);
        }
    }

    /// Whether people's text goes to a terminal that may be coloured (NO_COLOR is respected: no-color.org).
    pub fn has_colour(self) -> bool {
        let is_terminal =
            if self.json { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
        is_terminal && host::environment::variable("NO_COLOR").is_none()
    }
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
