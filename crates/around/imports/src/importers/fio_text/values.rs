//! Numbers and units as fio prints them, and as pages that were pasted mangle them.

use std::borrow::Cow;

/// A number and how far the printed one may be from the measured one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded {
    /// As printed, in the base unit.
    pub value: f64,
    /// One step of its last printed digit.
    pub step: f64,
}

impl Rounded {
    /// Whether a number that is known better is printed so.
    pub fn may_be(self, exact: f64) -> bool {
        (self.value - exact).abs() <= self.step * 1.001
    }

    fn times(self, factor: f64) -> Rounded {
        Rounded {
            value: self.value * factor,
            step: self.step * factor,
        }
    }
}

/// The number at the start, after spaces, and what follows it.
pub fn number(text: &str) -> Option<(Rounded, &str)> {
    let text = text.trim_start_matches([' ', '\t']);
    let end = text
        .bytes()
        .take(32)
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    // A full stop after the number belongs to the sentence.
    let digits = text[..end].trim_end_matches('.');
    let value: f64 = digits.parse().ok()?;
    let decimals = digits
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    Some((
        Rounded {
            value,
            step: 0.1f64.powi(decimals as i32),
        },
        &text[digits.len()..],
    ))
}

/// A count, or anything else that fio shortens in thousands: `20.1k`, `5686`, `1503.0k`, `1.2M`.
pub fn scaled(text: &str) -> Option<Rounded> {
    let (number, rest) = number(text)?;
    let factor = match rest.as_bytes().first() {
        Some(b'k' | b'K') => 1e3,
        Some(b'M') => 1e6,
        Some(b'G') => 1e9,
        _ => return Some(number),
    };
    // `KiB`, `MB`: bytes, no count.
    let is_alone = !rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    is_alone.then(|| number.times(factor))
}

/// What `KB` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thousand {
    /// 1000 bytes, as fio says since 2.20 and everybody else does.
    Si,
    /// 1024 bytes, as fio meant before.
    Binary,
}

/// An amount of bytes with the unit it was printed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount<'a> {
    /// Bytes.
    pub bytes: Rounded,
    /// `MiB`, `KB`, `B`.
    pub unit: &'a str,
    /// What follows.
    pub rest: &'a str,
}

/// `78.7MiB/s (…`, `36636KB`, `1024B/s`: an amount of bytes or of bytes in a second. Bits become bytes.
pub fn amount(text: &str, thousand: Thousand) -> Option<Amount<'_>> {
    let (number, rest) = number(text)?;
    let rest = rest.trim_start_matches(' ');
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, rest) = rest.split_at(length);
    let factor = bytes_of(unit, thousand)?;
    Some(Amount {
        bytes: number.times(factor),
        unit,
        rest: rest.strip_prefix("/s").unwrap_or(rest),
    })
}

/// How many bytes a unit is: `KiB`, `kB`, `MB`, `Gib`, `B`.
pub fn bytes_of(unit: &str, thousand: Thousand) -> Option<f64> {
    let (prefix, is_bits) = match unit.strip_suffix('B') {
        Some(prefix) => (prefix, false),
        None => (
            unit.strip_suffix("bit")
                .or_else(|| unit.strip_suffix('b'))?,
            true,
        ),
    };
    let (letter, is_binary) = match prefix.strip_suffix('i') {
        Some(letter) => (letter, true),
        None => (prefix, thousand == Thousand::Binary),
    };
    let rank = match letter {
        "" => 0,
        "k" | "K" => 1,
        "m" | "M" => 2,
        "g" | "G" => 3,
        "t" | "T" => 4,
        "p" | "P" => 5,
        _ => return None,
    };
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    Some(base.powi(rank) / if is_bits { 8.0 } else { 1.0 })
}

/// Whether a unit means 1000 bytes to some and 1024 to others.
pub fn is_ambiguous(unit: &str) -> bool {
    unit.len() > 1 && !unit.contains('i')
}

/// The text after `key=`, where the key is a word of its own.
pub fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(at) = text[from..].find(key).map(|at| at + from) {
        let end = at + key.len();
        let is_word = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let rest = text[end..].trim_start_matches(' ');
        if is_word && let Some(value) = rest.strip_prefix('=') {
            return Some(value);
        }
        from = end;
    }
    None
}

/// The number after `key=`, with fio's suffix.
pub fn value(text: &str, key: &str) -> Option<f64> {
    scaled(after(text, key)?).map(|found| found.value)
}

/// ns in one of fio's units of time.
pub fn unit_ns(word: &str) -> Option<f64> {
    match word {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

/// HTML that survives a copy of a page's source.
const ENTITIES: [(&str, &str); 10] = [
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("&quot;", "\""),
    ("&#8211;", "-"),
    ("&#8212;", "-"),
    ("&#8220;", "\""),
    ("&#8221;", "\""),
    ("&amp;", "&"),
];

/// A line as fio had printed it, as far as that can be told: plain spaces, dashes, quotes and punctuation; no HTML and
/// no colours of a terminal.
pub fn plain(line: &str) -> Cow<'_, str> {
    if line.is_ascii() && !line.contains(['&', '<', '\x1b', '\t']) {
        return Cow::Borrowed(line);
    }
    let mut text = line.to_string();
    if text.contains('&') {
        for (entity, character) in ENTITIES {
            text = text.replace(entity, character);
        }
    }
    let text = without_tags(&text);
    Cow::Owned(text.chars().filter_map(plain_character).collect())
}

fn plain_character(c: char) -> Option<char> {
    Some(match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\t' => ' ',
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\x1b' => return None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2264}' | '\u{2265}' => '=',
        // Full width forms of ASCII, of Chinese and Japanese keyboards.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0)?,
        c => c,
    })
}

/// Tags that pages put around text; others may be a host's name (`<web1>` before the lines of fio's clients).
const TAGS: [&str; 20] = [
    "br", "p", "span", "strong", "code", "pre", "a", "b", "i", "em", "td", "tr", "th", "table",
    "div", "li", "ul", "img", "font", "u",
];

fn without_tags(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '\x1b']) {
        clean.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = if rest.starts_with('\x1b') {
            colour(rest)
        } else {
            tag(rest)
        };
        match skipped {
            Some(length) => {
                clean.push(' ');
                rest = &rest[length..];
            }
            None => {
                clean.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    clean.push_str(rest);
    clean
}

/// The length of a tag at the start.
fn tag(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let word = inside.trim_start_matches('/');
    let length = word.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_tag = TAGS.contains(&word[..length].to_ascii_lowercase().as_str());
    // A tag is short; what is longer is none.
    is_tag
        .then(|| {
            text.bytes()
                .take(2_000)
                .position(|byte| byte == b'>')
                .map(|end| end + 1)
        })
        .flatten()
}

/// The length of a terminal's colour at the start.
fn colour(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\x1b[")?;
    let length = codes
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b';')
        .count();
    codes[length..]
        .starts_with(|c: char| c.is_ascii_alphabetic())
        .then_some(2 + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_their_unit() {
        let bytes = |text| amount(text, Thousand::Si).map(|found| found.bytes.value);
        assert_eq!(bytes("78.5MiB/s (82.5MB/s)"), Some(78.5 * 1_048_576.0));
        assert_eq!(bytes("82.5MB/s"), Some(82_500_000.0));
        assert_eq!(bytes(" 6808KiB/s"), Some(6808.0 * 1024.0));
        assert_eq!(bytes("8Mib/s"), Some(1_048_576.0));
        assert_eq!(bytes("12 apples"), None);
        assert_eq!(
            amount("101KB/s", Thousand::Binary).unwrap().bytes.value,
            101.0 * 1024.0
        );
    }

    #[test]
    fn counts_may_be_shortened() {
        assert_eq!(
            scaled("20.1k, "),
            Some(Rounded {
                value: 20_100.0,
                step: 100.0
            })
        );
        assert_eq!(scaled(" 5686,").unwrap().value, 5686.0);
        assert_eq!(scaled("22.2MiB/s"), None);
        assert_eq!(scaled(", per="), None);
        assert_eq!(scaled("60.").unwrap().value, 60.0);
    }

    #[test]
    fn a_key_is_a_word() {
        assert_eq!(value("min= 4446, max= 6416", "max"), Some(6416.0));
        assert_eq!(value("min=76672, max=, per=100.00%", "max"), None);
        assert_eq!(value("aggrmin=4, min=5", "min"), Some(5.0));
    }

    #[test]
    fn pages_lose_their_dress() {
        assert_eq!(
            plain("\u{a0} fio \u{2013}rw=\u{201c}read\u{201d}&nbsp;<br />x"),
            "  fio -rw=\"read\"  x"
        );
        assert_eq!(plain("read\u{ff1a} IOPS\u{ff1d}5"), "read: IOPS=5");
        assert_eq!(plain("\x1b[32mread\x1b[0m: <web1> a"), " read : <web1> a");
    }
}
