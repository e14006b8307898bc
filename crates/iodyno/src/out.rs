//! Where words go: people's text to stdout, or to stderr when stdout carries a document; and never a panic because
//! the reader went away.

use crate::exit::{Exit, Failure};
use serde::Serialize;
use std::io::{IsTerminal, Write};

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

/// A closed pipe is the reader's choice: a tune that loses its reader still puts everything back.
fn write_line(stream: &mut impl Write, text: &str) {
    let _ = writeln!(stream, "{text}").and_then(|()| stream.flush());
}
