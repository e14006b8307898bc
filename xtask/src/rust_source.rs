//! A Rust file as the checks need it: its code without comments and literals, and its comments alone.
//!
//! Both are as long as the file and have the same line breaks, so that an offset in one is an offset in all. This
//! is a reader of tokens, not a parser: it knows where a string ends, not what an expression means.

use crate::text::{find_word, is_name_byte, leading_name};
use std::ops::Range;

/// One Rust file, read three ways.
pub struct RustSource {
    /// The file as it is.
    pub text: String,
    /// The code; comments and literals are blanks.
    pub code: String,
    /// The comments; everything else is blanks.
    pub comments: String,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// From the `fn` to behind the closing brace.
    pub range: Range<usize>,
}

enum Piece {
    Code,
    Comment,
    Literal,
}

impl RustSource {
    /// Reads a file's text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let blank: String = bytes
            .iter()
            .map(|byte| if *byte == b'\n' { '\n' } else { ' ' })
            .collect();
        let (mut code, mut comments) = (blank.clone().into_bytes(), blank.into_bytes());
        let mut at = 0;
        while at < bytes.len() {
            let (piece, end) = next_piece(bytes, at);
            match piece {
                Piece::Code => code[at..end].copy_from_slice(&bytes[at..end]),
                Piece::Comment => comments[at..end].copy_from_slice(&bytes[at..end]),
                Piece::Literal => {}
            }
            at = end;
        }
        let read = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            text: text.into(),
            code: read(code),
            comments: read(comments),
        }
    }

    /// Whether the character there, which is no blank, stands in a literal.
    pub fn is_literal(&self, at: usize) -> bool {
        let is_blank = |text: &str| text.as_bytes().get(at) == Some(&b' ');
        is_blank(&self.code) && is_blank(&self.comments)
    }

    /// The functions that have a body, inner ones and methods included.
    pub fn functions(&self) -> Vec<Function> {
        find_word(&self.code, "fn")
            .filter_map(|at| self.function_at(at))
            .collect()
    }

    fn function_at(&self, at: usize) -> Option<Function> {
        let name = leading_name(self.code[at + 2..].trim_start());
        let end = item_end(&self.code, at)?;
        let has_body = self.code[..end].ends_with('}');
        (!name.is_empty() && has_body).then(|| Function {
            name: name.into(),
            range: at..end,
        })
    }

    /// The parts that only a test build compiles: items under `#[cfg(test)]` and functions under `#[test]`.
    pub fn test_ranges(&self) -> Vec<Range<usize>> {
        let attributes = self.code.match_indices("#[").map(|(at, _)| at);
        let items = attributes.filter(|at| is_test_attribute(&self.code[*at + 2..]));
        let mut ranges: Vec<_> = items
            .filter_map(|at| Some(at..item_end(&self.code, at)?))
            .collect();
        let inner = self
            .code
            .match_indices("#![")
            .any(|(at, _)| is_test_attribute(&self.code[at + 3..]));
        if inner {
            ranges.push(0..self.code.len());
        }
        ranges
    }
}

fn is_test_attribute(after_bracket: &str) -> bool {
    let attribute = after_bracket.split(']').next().unwrap_or("");
    let condition = attribute.strip_prefix("cfg(").unwrap_or("");
    attribute == "test"
        || (find_word(condition, "test").next().is_some() && !condition.contains("not("))
}

/// Where the item that starts here ends: behind its block, or behind its semicolon if one comes first.
pub fn item_end(code: &str, start: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (index, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b';' if depth == 0 => return Some(index + 1),
            b'{' if depth == 0 => return block_end(code, index),
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Where the block that opens here ends, behind its closing brace.
pub fn block_end(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (index, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

fn next_piece(bytes: &[u8], at: usize) -> (Piece, usize) {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => (Piece::Comment, at + line_length(rest)),
        [b'/', b'*', ..] => (Piece::Comment, at + block_comment_length(rest)),
        [b'"', ..] => (Piece::Literal, at + quoted_length(rest, b'"')),
        [b'\'', ..] => match character_length(rest) {
            Some(length) => (Piece::Literal, at + length),
            None => (Piece::Code, at + 1),
        },
        [first, ..] if is_name_byte(*first) => {
            let end = rest
                .iter()
                .position(|byte| !is_name_byte(*byte))
                .unwrap_or(rest.len());
            match raw_string_length(&rest[..end], &rest[end..]) {
                Some(length) => (Piece::Literal, at + end + length),
                None => (Piece::Code, at + end),
            }
        }
        _ => (Piece::Code, at + 1),
    }
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(rest.len())
}

fn block_comment_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a literal in quotes in which a backslash escapes; an unfinished one reaches to the end.
fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a character literal; nothing when the quote begins a lifetime or a label.
fn character_length(rest: &[u8]) -> Option<usize> {
    let first = *rest.get(1)?;
    if first == b'\\' {
        return Some(quoted_length(rest, b'\''));
    }
    let width = match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    };
    (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

/// The length of a raw string behind its prefix `r`, `br` or `cr`; nothing when this is not one.
fn raw_string_length(prefix: &[u8], rest: &[u8]) -> Option<usize> {
    if !matches!(prefix, b"r" | b"br" | b"cr") {
        return None;
    }
    let hashes = rest.iter().position(|byte| *byte != b'#')?;
    if rest[hashes] != b'"' {
        return None;
    }
    let closing: Vec<u8> = std::iter::once(b'"')
        .chain(std::iter::repeat_n(b'#', hashes))
        .collect();
    let body = &rest[hashes + 1..];
    let length = body
        .windows(closing.len())
        .position(|window| window == closing);
    Some(length.map_or(rest.len(), |length| hashes + 1 + length + closing.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        RustSource::new(text)
            .code
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn comments_and_literals_are_not_code() {
        assert_eq!(code("a /* { /* } */ */ b // {"), "a b");
        assert_eq!(
            code(r#"f("}\"{", b"{", '{', '\'', b'}')"#),
            "f( , b , , , b )"
        );
        assert_eq!(code("r#\"} \" {\"# + br\"{\" + r#type"), "+ + r#type");
        assert_eq!(code("'é' 'a: &'a str"), "'a: &'a str");
    }

    #[test]
    fn the_three_readings_are_of_one_length() {
        let source = RustSource::new("let é = \"ü\n\"; // ñ\n");
        assert_eq!(
            (source.code.len(), source.comments.len()),
            (source.text.len(), source.text.len())
        );
        assert_eq!(source.comments.trim(), "// ñ");
    }

    #[test]
    fn functions_have_bodies() {
        let text = "trait T { fn a(&self); fn b(x: [u8; 2]) -> u8 { if x { 1 } } }\ntype F = fn(u8) -> u8;";
        let functions = RustSource::new(text).functions();
        assert_eq!(functions.len(), 1);
        assert_eq!(functions[0].name, "b");
        assert_eq!(
            &text[functions[0].range.clone()],
            "fn b(x: [u8; 2]) -> u8 { if x { 1 } }"
        );
    }

    #[test]
    fn test_code_is_told_from_product_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod t { fn b() {} }\n#[cfg(not(test))]\nfn c() {}\n#[test]\nfn d() {}";
        let source = RustSource::new(text);
        let tests: Vec<&str> = source
            .test_ranges()
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(
            tests,
            ["#[cfg(test)]\nmod t { fn b() {} }", "#[test]\nfn d() {}"]
        );
    }
}
