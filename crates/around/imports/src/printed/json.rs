//! JSON documents within a text.

use crate::Text;
use crate::json_in_text::Braces;
use serde_json::Value;
use std::ops::Range;

/// A document may be so long, bytes; a longer one is another program's log.
const DOCUMENT_MAX_BYTES: usize = 64 << 20;
/// So many beginnings without an end are looked at.
const UNCLOSED_MAX: usize = 8;

/// What was found.
#[derive(Debug, Default)]
pub struct FoundJson {
    /// The documents that hold `key`, with their lines.
    pub documents: Vec<(Range<usize>, Value)>,
    /// Lines of those that could not be read, and why.
    pub damaged: Vec<(Range<usize>, String)>,
}

/// Every document that begins with a brace at the start of a line and holds the word `key` in quotes.
pub fn documents(text: &Text, key: &str) -> FoundJson {
    let key = format!("\"{key}\"");
    let mut found = FoundJson::default();
    if !text.lines.iter().any(|line| line.contains(&key)) {
        return found;
    }
    let (mut index, mut unclosed) = (0, 0);
    while index < text.lines.len() && unclosed < UNCLOSED_MAX {
        if !text.lines[index].trim_start().starts_with('{') {
            index += 1;
            continue;
        }
        let Some((end, document)) = whole(&text.lines[index..]) else {
            unclosed += 1;
            if text.lines[index..]
                .iter()
                .take(50)
                .any(|line| line.contains(&key))
            {
                found
                    .damaged
                    .push((index..index + 1, "its last brace is missing".into()));
                return found;
            }
            index += 1;
            continue;
        };
        let lines = index..index + end;
        index = lines.end;
        if document.contains(&key) {
            match serde_json::from_str(&document) {
                Ok(value) => found.documents.push((lines, value)),
                Err(error) => found.damaged.push((lines, error.to_string())),
            }
        }
    }
    found
}

/// From the first line on until its brace closes: how many lines, and their text.
fn whole(lines: &[&str]) -> Option<(usize, String)> {
    let mut document = String::new();
    let mut braces = Braces::default();
    for (count, line) in lines.iter().enumerate() {
        if let Some(end) = braces.end_in(line) {
            document.push_str(&line[..end]);
            return Some((count + 1, document));
        }
        document.push_str(line);
        document.push('\n');
        if document.len() > DOCUMENT_MAX_BYTES {
            return None;
        }
    }
    None
}

/// A value as people write it: a string without its quotes; none of null and of what holds others.
pub fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
