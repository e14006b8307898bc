//! Small parts of every text view: cleaning of foreign names, colour that only repeats words, lines of one width.

use std::borrow::Cow;

/// Lines are broken to stay within this, where words allow.
pub const WIDTH: usize = 80;

/// Whether a view may colour what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Words only, for pipes, logs and `NO_COLOR`.
    #[default]
    Plain,
    /// ANSI attributes on top of the same words.
    Colour,
}

impl Paint {
    /// Text that names a thing.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Text that explains.
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, attribute: &str, text: &str) -> String {
        match self {
            Paint::Colour if !text.is_empty() => format!("\x1b[{attribute}m{text}\x1b[0m"),
            _ => text.to_string(),
        }
    }
}

/// A name from a disk, a mount or a file as it may be shown: what could move the cursor, change colours or reverse
/// the direction of writing becomes `?`.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_unsafe) {
        Cow::Owned(text.chars().map(|c| if is_unsafe(c) { '?' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn is_unsafe(c: char) -> bool {
    // Unicode's direction controls and invisible marks can make one name look like another.
    let reverses =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    c.is_control() || reverses
}

/// Columns a text takes. Every character counts as one: names with wide characters shift their line, nothing more.
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Breaks text at spaces, or after commas where there are none, into lines of at most `width` columns. A word that is
/// longer than a line keeps a line of its own: a path must stay whole to be copied.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words(text) {
        let line = lines.last_mut().map_or(0, |line| columns(line));
        if line > 0 && line + columns(word.trim_end()) > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(if text.contains(' ') { ' ' } else { ',' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(clean("disk\x1b[2J\r\n"), "disk?[2J??");
        assert_eq!(clean("a\u{202e}b\u{9b}c"), "a?b?c");
        assert!(matches!(clean("Größe µs"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_break_where_a_reader_expects() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("rw,noatime,discard", 11), ["rw,noatime,", "discard"]);
        assert_eq!(wrap("a /very/long/path/name b", 6), ["a", "/very/long/path/name", "b"]);
        assert_eq!(wrap("", 6), [""]);
    }

    #[test]
    fn colour_only_adds() {
        assert_eq!(Paint::Plain.strong("x"), "x");
        assert_eq!(Paint::Colour.strong("x"), "\x1b[1mx\x1b[0m");
        assert_eq!(Paint::Colour.faint(""), "");
    }
}
