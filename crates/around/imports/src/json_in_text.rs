//! JSON documents in a text: fio's and rados bench's, between other lines.

use crate::Text;
use crate::importers::fio_text::values::plain;
use std::borrow::Cow;
use std::ops::Range;

/// Documents that began and did not end; after so many a text is taken as damaged, so that none is read often.
const BROKEN_MAX: usize = 16;
/// A key that tells whose document it is stands in the first lines.
const KEY_LINES: usize = 12;
/// Why a document that does not end is none.
const NO_END: &str = "its last brace is missing";

/// A document.
pub struct EmbeddedJson<T> {
    /// Where it stands; to the end of the text where it is not whole.
    pub lines: Range<usize>,
    /// What it says, or why nobody knows.
    pub said: Result<T, String>,
    /// Whether its last brace is there.
    pub is_whole: bool,
}

/// The documents in whose first lines one of the words stands. `read` reads the one that a text begins with, whatever
/// follows it, and says how many bytes it took.
pub fn documents<'a, T>(
    text: &'a Text<'a>,
    words: &'a [&'a str],
    read: impl Fn(&str) -> Result<(T, usize), String> + 'a,
) -> impl Iterator<Item = EmbeddedJson<T>> + 'a {
    let (mut broken, mut index) = (0, 0);
    std::iter::from_fn(move || {
        if broken == BROKEN_MAX {
            return None;
        }
        index = (index..text.lines.len()).find(|line| may_begin(text, *line, words))?;
        // Nearly always it is as its tool wrote it, and then its end need not be looked for.
        let begun = text.from(index).trim_start();
        let document = match read(begun) {
            Ok((said, used)) => EmbeddedJson {
                lines: index..text.line_of(&begun[..used]) + 1,
                said: Ok(said),
                is_whole: true,
            },
            Err(_) => pasted(text, index, &read),
        };
        if document.is_whole {
            index = document.lines.end;
        } else {
            broken += 1;
            index += 1;
        }
        Some(document)
    })
}

/// Whether a document of one of the words may begin in a line.
fn may_begin(text: &Text, line: usize, words: &[&str]) -> bool {
    let near = &text.lines[line..(line + KEY_LINES).min(text.lines.len())];
    let has_word = |line: &&str| words.iter().any(|word| line.contains(word));
    text.lines[line].trim_start().starts_with('{') && near.iter().any(has_word)
}

/// One that went through somebody's editor, has words that are no JSON, or is damaged.
fn pasted<T>(
    text: &Text,
    first: usize,
    read: &impl Fn(&str) -> Result<(T, usize), String>,
) -> EmbeddedJson<T> {
    let Some((end, document)) = cut_out(text, first) else {
        return EmbeddedJson {
            lines: first..text.lines.len(),
            said: Err(NO_END.into()),
            is_whole: false,
        };
    };
    let said = read(&document).or_else(|_| read(&without_nan(&document)));
    EmbeddedJson {
        lines: first..end,
        said: said.map(|(said, _)| said),
        is_whole: true,
    }
}

/// From the brace that begins a line to the one that closes it: the line after it, and the text.
fn cut_out(text: &Text, first: usize) -> Option<(usize, String)> {
    let mut document = String::new();
    let mut braces = Braces::default();
    for (index, line) in text.lines.iter().enumerate().skip(first) {
        let line = if line.is_ascii() {
            Cow::Borrowed(*line)
        } else {
            plain(line)
        };
        if let Some(end) = braces.end_in(&line) {
            document.push_str(&line[..end]);
            return Some((index + 1, document));
        }
        document.push_str(&line);
        document.push('\n');
    }
    None
}

/// Counts braces line by line; those in strings do not count.
#[derive(Debug, Default)]
pub struct Braces {
    depth: u32,
}

impl Braces {
    /// Just after the brace that closes the first one, where that is in this line.
    pub fn end_in(&mut self, line: &str) -> Option<usize> {
        // A string never goes over a line's end in JSON: where one seems to, a quote was lost.
        let (mut in_string, mut escaped) = (false, false);
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' => self.depth += 1,
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// printf writes `nan` and `inf` for what a division by nothing gives; JSON has no such words.
fn without_nan(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut in_string, mut escaped, mut word) = (false, false, String::new());
    let flush = |clean: &mut String, word: &mut String| {
        let bare = word.trim_start_matches('-').to_ascii_lowercase();
        let is_no_number = ["nan", "inf", "infinity"].contains(&bare.as_str());
        clean.push_str(if is_no_number { "null" } else { word });
        word.clear();
    };
    for c in text.chars() {
        if !in_string
            && (c.is_ascii_alphabetic()
                || c == '-'
                || !word.is_empty() && c.is_ascii_alphanumeric())
        {
            word.push(c);
            continue;
        }
        flush(&mut clean, &mut word);
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        clean.push(c);
    }
    flush(&mut clean, &mut word);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_json_become_nothing() {
        let clean =
            without_nan("{\"a nan\": nan, \"b\": -nan, \"c\": inf, \"d\": -1.5e-3, \"e\": true}");
        assert_eq!(
            clean,
            "{\"a nan\": null, \"b\": null, \"c\": null, \"d\": -1.5e-3, \"e\": true}"
        );
    }

    /// Where documents are found, and what they say.
    fn found(printed: &str) -> Vec<(Range<usize>, Result<usize, String>)> {
        let read = |text: &str| {
            let mut stream =
                serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
            let value = stream
                .next()
                .ok_or("nothing")?
                .map_err(|error| error.to_string())?;
            Ok((
                value.as_object().map_or(0, serde_json::Map::len),
                stream.byte_offset(),
            ))
        };
        let text = Text::new(printed);
        let all = documents(&text, &["key"], read);
        all.map(|one| (one.lines, one.said)).collect()
    }

    #[test]
    fn a_document_has_the_lines_from_its_first_brace_to_its_last() {
        assert_eq!(
            found("a\n  {\r\n\"key\": \"}{\\\"\",\r\n\"b\": 1}\r\nb\n{\"key\": {}} x\n"),
            [(1..4, Ok(2)), (5..6, Ok(1))]
        );
        assert_eq!(found("{\"other\": 1}"), []);
        assert_eq!(found("\u{feff}{\"key\": 1}"), [(0..1, Ok(1))]);
        // Typographic quotes and a number that is none, as a page shows them.
        assert_eq!(
            found("x\n{\u{a0}\u{201c}key\u{201d}: nan,\n\"b\": 2}\ny"),
            [(1..3, Ok(2))]
        );
        assert_eq!(
            found("{\"key\": {\n\"b\": 2}\n"),
            [(0..2, Err(NO_END.into()))]
        );
    }
}
