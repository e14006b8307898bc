//! How much room text takes in a terminal, and lines that stay within a width.

use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes: two for a wide character, none for a mark above another one.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// A text in so many columns, cut in the middle where it is longer: both ends of a name tell it from others.
pub fn short(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_string();
    }
    let Some(room) = width.checked_sub(1) else {
        return String::new();
    };
    let tail = ends_within(text.chars().rev(), room / 2);
    let head = ends_within(text.chars(), room - room / 2);
    let tail: String = tail.chars().rev().collect();
    format!("{head}…{tail}")
}

/// As many characters as fit.
fn ends_within(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut taken = 0;
    characters
        .take_while(|c| {
            taken += c.width().unwrap_or(0);
            taken <= width
        })
        .collect()
}

/// The ASCII character that stands in for another one.
pub fn ascii_of(c: char) -> char {
    match c {
        ' '..='~' => c,
        '▁' | '⣀' => '_',
        '▂' => '.',
        '▃' | '⣤' => '-',
        '▄' => '=',
        '▅' | '⣶' => '+',
        '▆' => '*',
        '▇' => '%',
        '█' | '▉' | '▊' | '▋' | '⣿' => '#',
        '▍' | '▌' | '▎' | '▏' | '▕' | '│' | '┆' | '┊' | '┃' | '├' | '┤' => {
            '|'
        }
        '▓' => '=',
        '▒' => '-',
        '░' => '.',
        '–' | '−' | '─' | '╌' | '┈' => '-',
        '┌' | '┐' | '└' | '┘' | '┬' | '┴' | '┼' => '+',
        '·' => '.',
        '…' => '~',
        'µ' => 'u',
        '◀' | '←' | '◂' => '<',
        '▶' | '→' | '▸' => '>',
        '▼' | '↓' => 'v',
        '▲' | '↑' => '^',
        '●' | '■' | '◆' => '*',
        '×' => 'x',
        '✓' => 'y',
        '✗' => 'x',
        '≤' => '<',
        '≥' => '>',
        '°' => ' ',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        _ => '?',
    }
}

/// A text in ASCII alone, as wide as it was, for where nothing else can be shown.
pub fn ascii(text: &str) -> Cow<'_, str> {
    let own = |c: char| match c {
        '\n' | '\t' | '\u{1b}' => c,
        c => ascii_of(c),
    };
    match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().map(own).collect()),
    }
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
    fn long_names_keep_both_ends() {
        assert_eq!(short("nvme0n1", 8), "nvme0n1");
        assert_eq!(short("vg_mysql-data_lv01", 9), "vg_m…lv01");
        assert_eq!(short("nvme-Samsung_980_PRO_1", 11), "nvme-…PRO_1");
        assert_eq!(short("日本日本日本", 6), "日…本");
        assert_eq!(
            (short("abc", 1), short("abc", 0)),
            ("…".into(), String::new())
        );
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(columns("日本 µs"), 7);
        assert_eq!(wrap("日本 日本", 8), ["日本", "日本"]);
    }
}
