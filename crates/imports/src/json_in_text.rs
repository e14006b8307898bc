//! JSON documents in a text: fio's and rados bench's, between other lines.

use crate::Text;
use crate::importers::fio_text::values::plain;
use std::ops::Range;

/// Documents that began and did not end; after so many a text is taken as damaged, so that none is read often.
const BROKEN_MAX: usize = 16;
/// A key that tells whose document it is stands in the first lines.
const KEY_LINES: usize = 12;

/// A document's lines and text.
pub struct Document {
    /// Where it stands.
    pub lines: Range<usize>,
    /// From its first brace to its last.
    pub text: String,
    /// Whether its last brace is there.
    pub is_whole: bool,
}

/// The documents in whose first lines one of the words stands.
pub fn documents(text: &Text, words: &[&str]) -> Vec<Document> {
    let (mut found, mut broken, mut index) = (Vec::new(), 0, 0);
    while index < text.lines.len() && broken < BROKEN_MAX {
        let near = &text.lines[index..(index + KEY_LINES).min(text.lines.len())];
        if !text.lines[index].trim_start().starts_with('{')
            || !near.iter().any(|line| words.iter().any(|word| line.contains(word)))
        {
            index += 1;
            continue;
        }
        let document = from(text, index);
        if document.is_whole {
            index = document.lines.end;
        } else {
            broken += 1;
            index += 1;
        }
        // What has no end is only told, and may be as long as the file.
        let text = if document.is_whole { document.text } else { String::new() };
        found.push(Document { text, ..document });
    }
    found
}

/// From the brace that begins a line to the one that closes it; braces in strings do not count.
fn from(text: &Text, first: usize) -> Document {
    let mut document = Document { lines: first..text.lines.len(), text: String::new(), is_whole: false };
    let (mut depth, mut in_string, mut escaped) = (0u32, false, false);
    for (index, line) in text.lines.iter().enumerate().skip(first) {
        let line = if line.is_ascii() { std::borrow::Cow::Borrowed(*line) } else { plain(line) };
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' => depth += 1,
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        document.text.push_str(&line[..at + 1]);
                        document.lines.end = index + 1;
                        document.is_whole = true;
                        return document;
                    }
                }
                _ => {}
            }
        }
        // A string never goes over a line's end in JSON: a quote was lost.
        in_string = false;
        escaped = false;
        document.text.push_str(&line);
        document.text.push('\n');
    }
    document
}
