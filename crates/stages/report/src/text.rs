//! Small parts of every text view: colour that only repeats words, lines of one width.

pub use model::text::clean;
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

const STRONG: &str = "\x1b[1m";
const FAINT: &str = "\x1b[2m";
const END: &str = "\x1b[0m";

/// All that a paint writes besides words.
const OWN: [&str; 3] = [STRONG, FAINT, END];

impl Paint {
    /// Text that names a thing.
    pub fn strong(self, text: &str) -> String {
        self.wrap(STRONG, text)
    }

    /// Text that explains.
    pub fn faint(self, text: &str) -> String {
        self.wrap(FAINT, text)
    }

    /// Cleans painted text, and keeps the attributes that a paint adds: every other escape becomes harmless.
    pub fn cleaned(text: &str, clean: fn(&str) -> Cow<'_, str>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, own)) = OWN
            .iter()
            .filter_map(|own| Some((rest.find(own)?, *own)))
            .min_by_key(|(at, _)| *at)
        {
            out.push_str(&clean(&rest[..at]));
            out.push_str(own);
            rest = &rest[at + own.len()..];
        }
        out.push_str(&clean(rest));
        out
    }

    fn wrap(self, attribute: &str, text: &str) -> String {
        match self {
            Paint::Colour if !text.is_empty() => format!("{attribute}{text}{END}"),
            _ => text.to_string(),
        }
    }
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
    lines
        .iter()
        .map(|line| line.trim_end().to_string())
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(if text.contains(' ') { ' ' } else { ',' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_where_a_reader_expects() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("rw,noatime,discard", 11), ["rw,noatime,", "discard"]);
        assert_eq!(
            wrap("a /very/long/path/name b", 6),
            ["a", "/very/long/path/name", "b"]
        );
        assert_eq!(wrap("", 6), [""]);
    }

    #[test]
    fn colour_only_adds() {
        assert_eq!(Paint::Plain.strong("x"), "x");
        assert_eq!(Paint::Colour.strong("x"), "\x1b[1mx\x1b[0m");
        assert_eq!(Paint::Colour.faint(""), "");
        let painted = format!("{} \x1b[8mx\x1b[2J\x1b[", Paint::Colour.strong("sda"));
        assert_eq!(
            Paint::cleaned(&painted, clean),
            "\x1b[1msda\x1b[0m ?[8mx?[2J?["
        );
    }
}
