//! The kinds of values that fio's options take, and reading one.

use super::error::Bad;
use super::units::{self, Amount};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ValueKind {
    /// Any text but none.
    Text,
    /// Any text, or none.
    Free,
    /// One of these words, and what may follow after a colon.
    Word(&'static [&'static str]),
    /// A whole number between two limits, with size suffixes.
    Number(i64, i64),
    /// The same, up to three for reads, writes and trims.
    PerDirection(i64, i64),
    /// A size or position, also in per cent or zones.
    Amount,
    /// Two numbers of which the second is optional: `filesize=4k-64k`.
    Span(i64),
    /// A time; a number without unit counts so many microseconds.
    Time(i64),
    /// Up to three times.
    Times(i64),
    /// A time, or an interval from which one is drawn.
    TimeSpan(i64),
    /// Up to so many numbers with fractions, between two limits.
    Floats(usize, f64, f64),
    /// Up to three ranges `1k-4k`.
    Range,
    /// 0 or 1.
    Bool,
    /// Nothing or a number: given means 1.
    Set,
    /// fio refuses it nowadays.
    Gone,
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Flag(bool),
    /// Numbers in their order; an empty place keeps what was there.
    Numbers(Vec<Option<i64>>),
    Amount(Amount),
    Floats(Vec<f64>),
    Ranges(Vec<Option<(i64, i64)>>),
}

impl ValueKind {
    /// Whether the option can stand alone on a command line.
    pub fn is_optional(self) -> bool {
        self == ValueKind::Set
    }

    /// Whether its values have fio's size suffixes.
    pub fn is_size(self) -> bool {
        matches!(
            self,
            ValueKind::Number(..)
                | ValueKind::PerDirection(..)
                | ValueKind::Amount
                | ValueKind::Span(_)
                | ValueKind::Range
        )
    }

    /// Reads what was given; `kb_base` is what a `k` stands for.
    pub fn read(self, text: Option<&str>, kb_base: i64) -> Result<Value, Bad> {
        let Some(text) = text else {
            return match self {
                ValueKind::Set => Ok(Value::Flag(true)),
                ValueKind::Free => Ok(Value::Text(String::new())),
                _ => Err(Bad::value("it needs a value", "Write one after a =")),
            };
        };
        let is_list = matches!(
            self,
            ValueKind::PerDirection(..) | ValueKind::Times(_) | ValueKind::Range
        );
        let is_text = matches!(
            self,
            ValueKind::Free | ValueKind::Text | ValueKind::Word(_) | ValueKind::Floats(..)
        );
        if text.starts_with(',') && !is_list && !is_text {
            return Err(Bad::misleading(
                "fio ignores what stands behind the comma",
                "Write one value",
            ));
        }
        match self {
            ValueKind::Free => Ok(Value::Text(text.into())),
            ValueKind::Text if text.is_empty() => {
                Err(Bad::value("it needs a value", "Write one after the ="))
            }
            ValueKind::Text => Ok(Value::Text(text.into())),
            ValueKind::Word(words) => word(text, words),
            ValueKind::Number(min, max) => one(text, kb_base, min, max),
            ValueKind::PerDirection(min, max) => {
                several(text, |part| number(part, kb_base, min, max))
            }
            ValueKind::Amount => units::bytes(text, kb_base).map(Value::Amount),
            ValueKind::Span(min) => span(text, |part| number(part, kb_base, min, i64::MAX)),
            ValueKind::Time(bare) => Ok(Value::Numbers(vec![Some(units::time_us(
                text.trim_end_matches(','),
                bare,
            )?)])),
            ValueKind::Times(bare) => several(text, |part| units::time_us(part, bare)),
            ValueKind::TimeSpan(bare) => span(text, |part| units::time_us(part, bare)),
            ValueKind::Floats(most, min, max) => floats(text, most, min, max),
            ValueKind::Range => ranges(text, kb_base),
            ValueKind::Bool => match flag(text)? {
                0 | 1 => Ok(Value::Flag(
                    text.trim_start_matches("0x").trim_start_matches('0') == "1",
                )),
                other => Err(Bad::value(
                    format!("{other} is neither yes nor no"),
                    "Write 0 or 1",
                )),
            },
            ValueKind::Set => Ok(Value::Flag(flag(text)? != 0)),
            ValueKind::Gone => Err(Bad::value(
                "fio refuses this option nowadays",
                "Leave it out",
            )),
        }
    }
}

fn flag(text: &str) -> Result<u32, Bad> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|_| match text.contains(|c: char| c.is_ascii_digit()) {
        true => Bad::misleading("fio takes a number of it for yes or no", "Write 0 or 1"),
        false => Bad::value("fio takes yes and no as numbers here", "Write 0 or 1"),
    })
}

fn word(text: &str, words: &[&str]) -> Result<Value, Bad> {
    let end = text
        .find(',')
        .or_else(|| text.find(':'))
        .unwrap_or(text.len());
    match words.contains(&&text[..end]) {
        true => Ok(Value::Text(text.into())),
        false => Err(Bad::value(
            "fio does not know this value",
            format!(
                "{}Possible are {}",
                super::options::similar(&text[..end], words.iter().copied())
                    .map(|near| format!("Did you mean {near}? "))
                    .unwrap_or_default(),
                words.join(", ")
            ),
        )),
    }
}

fn number(text: &str, kb_base: i64, min: i64, max: i64) -> Result<i64, Bad> {
    let value = match units::bytes(text, kb_base)? {
        Amount::Bytes(value) => value,
        Amount::Percent(_) => {
            return Err(Bad::misleading(
                "it takes no per cent, and fio reads a huge number",
                "Write a number",
            ));
        }
        Amount::Zones(_) => return Err(Bad::value("it takes no zones", "Write a number")),
    };
    match value {
        value if value < min.min(0) => Err(Bad::misleading(
            "fio takes a negative number for a huge one",
            format!("Write at least {min}"),
        )),
        value if value < min => Err(Bad::value(
            format!("it is below {min}"),
            format!("Write at least {min}"),
        )),
        value if value > max && max == i64::from(u32::MAX) => Err(Bad::misleading(
            "fio cuts the number off at 32 bits",
            format!("Write at most {max}"),
        )),
        value if value > max => Err(Bad::value(
            format!("it is above {max}"),
            format!("Write at most {max}"),
        )),
        value => Ok(value),
    }
}

/// fio goes on after a part of a list that it cannot read, as long as it could read an earlier one.
fn later(at: usize, bad: Bad) -> Bad {
    if at > 0 {
        Bad::misleading(format!("fio ignores the rest: {}", bad.why), bad.advice)
    } else {
        bad
    }
}

fn one(text: &str, kb_base: i64, min: i64, max: i64) -> Result<Value, Bad> {
    let alone = text.strip_suffix(',').unwrap_or(text);
    if alone.contains(',') {
        return Err(Bad::misleading(
            "fio takes one number here and ignores the others",
            "Write one number",
        ));
    }
    Ok(Value::Numbers(vec![Some(number(
        alone, kb_base, min, max,
    )?)]))
}

/// Up to three values for reads, writes and trims. The last one stands for those that follow it; an empty place and
/// whatever a trailing comma leaves open keep what was there.
fn several(text: &str, read: impl Fn(&str) -> Result<i64, Bad>) -> Result<Value, Bad> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 || parts.iter().all(|part| part.is_empty()) {
        return Err(Bad::value(
            "this is no list of at most three numbers",
            "Write read,write,trim",
        ));
    }
    if !text.contains(',')
        && !text.starts_with('(')
        && text.trim_start_matches(['-', '+']).contains([':', '-'])
    {
        let advice =
            "Separate values for reads, writes and trims by commas; a range of sizes is bsrange";
        return Err(Bad::misleading(
            "fio takes this for a list of values for reads, writes and trims",
            advice,
        ));
    }
    let mut values = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        values.push(match *part {
            "" => None,
            part => Some(read(part).map_err(|bad| later(at, bad))?),
        });
    }
    let last = values.last().copied().flatten();
    values.resize(3, last);
    Ok(Value::Numbers(values))
}

fn span(text: &str, read: impl Fn(&str) -> Result<i64, Bad>) -> Result<Value, Bad> {
    match text.split_once(['-', ',', ':']) {
        Some((low, high)) if !text.starts_with('(') && !low.is_empty() && !high.is_empty() => {
            Ok(Value::Numbers(vec![Some(read(low)?), Some(read(high)?)]))
        }
        _ => Ok(Value::Numbers(vec![Some(read(text)?)])),
    }
}

fn floats(text: &str, most: usize, min: f64, max: f64) -> Result<Value, Bad> {
    let mut values = Vec::new();
    for (at, part) in text.split(':').enumerate() {
        values.push(float(part.trim(), at < most, min, max).map_err(|bad| later(at, bad))?);
    }
    Ok(Value::Floats(values))
}

fn float(part: &str, has_room: bool, min: f64, max: f64) -> Result<f64, Bad> {
    if !has_room {
        return Err(Bad::value("there are too many numbers", "Leave some out"));
    }
    let value: f64 =
        part.parse()
            .map_err(|_| match part.starts_with(|c: char| c.is_ascii_digit()) {
                true => Bad::misleading(
                    "fio ignores what stands behind the number",
                    "Write numbers separated by colons",
                ),
                false => Bad::value(
                    "this is no list of numbers",
                    "Write numbers separated by colons",
                ),
            })?;
    match value >= min && value <= max {
        true => Ok(value),
        false => {
            let advice = format!("Write numbers from {min} to {max}");
            Err(Bad::value(format!("{value} is out of range"), advice))
        }
    }
}

fn ranges(text: &str, kb_base: i64) -> Result<Value, Bad> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 || parts.iter().all(|part| part.is_empty()) {
        return Err(Bad::value(
            "this is no list of at most three ranges",
            "Write 4k-64k, or read,write,trim",
        ));
    }
    let mut values = Vec::new();
    for part in parts {
        if part.is_empty() {
            values.push(None);
            continue;
        }
        let (low, high) = part
            .split_once('-')
            .or_else(|| part.split_once(':'))
            .ok_or_else(|| Bad::value("this is no range", "Write the two ends: 4k-64k"))?;
        let low = number(low, kb_base, 1, i64::MAX)?;
        let high = number(high, kb_base, 1, i64::MAX)?;
        values.push(Some((low.min(high), low.max(high))));
    }
    let last = values.last().copied().flatten();
    values.resize(3, last);
    Ok(Value::Ranges(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fill_the_directions_as_fio_does() {
        let kind = ValueKind::PerDirection(1, i64::MAX);
        let read = |text| kind.read(Some(text), 1024);
        assert_eq!(read("4k"), Ok(Value::Numbers(vec![Some(4096); 3])));
        assert_eq!(
            read("4k,8k"),
            Ok(Value::Numbers(vec![Some(4096), Some(8192), Some(8192)]))
        );
        assert_eq!(
            read(",8k"),
            Ok(Value::Numbers(vec![None, Some(8192), Some(8192)]))
        );
        assert_eq!(
            read("4k,"),
            Ok(Value::Numbers(vec![Some(4096), None, None]))
        );
        for text in ["", ",", "4k-8k", "4k:8k", "0", "1,2,3,4", "4k,x"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(
            ValueKind::Range.read(Some("8k-4k,1k:2k"), 1024),
            Ok(Value::Ranges(vec![
                Some((4096, 8192)),
                Some((1024, 2048)),
                Some((1024, 2048))
            ]))
        );
    }

    #[test]
    fn flags_are_numbers() {
        assert_eq!(ValueKind::Bool.read(Some("1"), 1024), Ok(Value::Flag(true)));
        assert_eq!(
            ValueKind::Bool.read(Some("0"), 1024),
            Ok(Value::Flag(false))
        );
        assert_eq!(ValueKind::Set.read(None, 1024), Ok(Value::Flag(true)));
        assert_eq!(ValueKind::Set.read(Some("0"), 1024), Ok(Value::Flag(false)));
        for text in ["2", "true", "-1", ""] {
            assert!(ValueKind::Bool.read(Some(text), 1024).is_err(), "{text}");
        }
        assert!(ValueKind::Bool.read(None, 1024).is_err());
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_right_ones() {
        let bad = ValueKind::Word(&["none", "sync", "dsync"])
            .read(Some("dsnc"), 1024)
            .unwrap_err();
        assert_eq!(
            bad.advice,
            "Did you mean dsync? Possible are none, sync, dsync"
        );
    }
}
