//! Sizes and times as fio reads them, and a refusal where fio would silently read something else.

use super::arithmetic;
use super::error::Bad;

/// A size or a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Bytes(i64),
    /// Of the file or device.
    Percent(i64),
    /// Zones of a zoned device.
    Zones(i64),
}

/// A number of bytes, or of anything else that takes fio's size suffixes. `kb_base` is what a `k` stands for.
pub(super) fn bytes(text: &str, kb_base: i64) -> Result<Amount, Bad> {
    if text.starts_with('(') {
        let value = arithmetic::evaluate(text, false).ok_or_else(|| no_number(text))?;
        return Ok(Amount::Bytes(value.0));
    }
    let (number, suffix) = split(text)?;
    match suffix.as_str() {
        "%" => return Ok(Amount::Percent(number)),
        "z" => return Ok(Amount::Zones(number)),
        _ => {}
    }
    let factor = factor(&suffix, kb_base).ok_or_else(|| strange_size(text, number))?;
    number
        .checked_mul(factor)
        .map(Amount::Bytes)
        .ok_or_else(too_large)
}

/// Microseconds; a number without unit counts `bare_us` each.
pub(super) fn time_us(text: &str, bare_us: i64) -> Result<i64, Bad> {
    if text.starts_with('(') {
        let (value, has_units) = arithmetic::evaluate(text, true).ok_or_else(|| no_number(text))?;
        return if has_units {
            Ok(value)
        } else {
            value.checked_mul(bare_us).ok_or_else(too_large)
        };
    }
    let (number, suffix) = split(text)?;
    let factor = match suffix.as_str() {
        "" => bare_us,
        "us" | "usec" => 1,
        "ms" | "msec" => 1000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return Err(strange_time(text)),
    };
    number.checked_mul(factor).ok_or_else(too_large)
}

/// What `k`, `KiB` and their like multiply by. With `kb_base=1024`, fio's default, `KiB` is 1000 and `KB` is 1024.
fn factor(suffix: &str, kb_base: i64) -> Option<i64> {
    let swapped = if kb_base == 1000 { 1024 } else { 1000 };
    let mut letters = suffix.chars();
    let power = match letters.next() {
        None => return Some(1),
        Some('b') if matches!(suffix, "b" | "byte" | "bytes") => return Some(1),
        Some(first) => 1 + "kmgtp".find(first)? as u32,
    };
    match letters.as_str() {
        "" | "b" | "i" | "byte" | "bytes" => Some(kb_base.pow(power)),
        "ib" => Some(i64::pow(swapped, power)),
        _ => None,
    }
}

/// Whether the text has one of the suffixes that mean the opposite of what the standard says.
pub(super) fn is_swapped(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.split([',', '-', ':', '/'])
        .any(|part| part.ends_with("ib") && part.starts_with(|c: char| c.is_ascii_digit()))
}

/// The number at the beginning and the lower-case suffix after it.
fn split(text: &str) -> Result<(i64, String), Bad> {
    if text.starts_with(char::is_whitespace) {
        return Err(Bad::misleading(
            "fio ignores the unit after a space: `bs = 4k` are 4 bytes to it",
            "Remove the space after the =",
        ));
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    if text.len() - unsigned.len() > 1 {
        return Err(no_number(text));
    }
    if let Some(hex) = unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"))
    {
        let value = i64::from_str_radix(hex, 16).map_err(|_| no_number(text))?;
        return Ok((
            if text.starts_with('-') { -value } else { value },
            String::new(),
        ));
    }
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(unsigned.len());
    let (digits, suffix) = unsigned.split_at(end);
    if digits.is_empty() {
        return Err(no_number(text));
    }
    let value: i64 = digits.parse().map_err(|_| too_large())?;
    Ok((
        if text.starts_with('-') { -value } else { value },
        suffix.to_ascii_lowercase(),
    ))
}

fn no_number(text: &str) -> Bad {
    let advice = "Write a number with a unit, for example 64k or 10g";
    let has_another = text
        .split_once([',', ':', '-'])
        .is_some_and(|(_, rest)| rest.contains(|c: char| c.is_ascii_digit()));
    match text {
        "" => Bad::value("a number is missing", "Write one, for example 4k"),
        _ if has_another => Bad::misleading(
            "fio passes over a part of a list that it cannot read",
            advice,
        ),
        _ => Bad::value("this is no number", advice),
    }
}

fn too_large() -> Bad {
    Bad::value("the number is too large", "Write one below 8 EiB")
}

fn strange_size(text: &str, number: i64) -> Bad {
    if text.contains('.') {
        return Bad::misleading(
            format!("fio knows no fractions and reads this as {number} bytes"),
            "Write a whole number of a smaller unit: 1536m in place of 1.5g",
        );
    }
    Bad::misleading(
        "fio ignores a unit it does not know, or reads its first letter",
        "Use k, m, g, t, p or %",
    )
}

fn strange_time(text: &str) -> Bad {
    let why = match text.contains('.') {
        true => "fio knows no fractions and drops what follows the point",
        false => "fio reads a time with a unit that it does not know as microseconds",
    };
    Bad::misleading(
        why,
        "Use one whole number with us, ms, s, m, h or d: 90s in place of 1m30s",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use Amount::{Bytes, Percent, Zones};

    #[test]
    fn sizes_are_fios() {
        let cases = [
            ("4096", Bytes(4096)),
            ("4k", Bytes(4096)),
            ("4KB", Bytes(4096)),
            ("4KiB", Bytes(4000)),
            ("1G", Bytes(1 << 30)),
            ("2tb", Bytes(2 << 40)),
            ("0x1000", Bytes(4096)),
            ("-8k", Bytes(-8192)),
            ("50%", Percent(50)),
            ("3z", Zones(3)),
            ("(4*1k)", Bytes(4096)),
        ];
        for (text, expected) in cases {
            assert_eq!(bytes(text, 1024), Ok(expected), "{text}");
        }
        assert_eq!(bytes("4k", 1000), Ok(Bytes(4000)));
        assert_eq!(bytes("4KiB", 1000), Ok(Bytes(4096)));
        assert!(is_swapped("4KiB,8k") && !is_swapped("4kb"));
    }

    #[test]
    fn what_fio_would_misread_is_refused() {
        for text in ["10.5g", " 4k", "4kilo", "4q", "1g2"] {
            assert_eq!(
                bytes(text, 1024).unwrap_err().kind,
                super::super::error::Mistake::Misleading,
                "{text}"
            );
        }
        for text in [
            "",
            "k",
            "--4k",
            "99999999999999999999",
            "9000000p",
            "0xzz",
            "(1/0)",
        ] {
            assert!(bytes(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units_or_the_options_own() {
        assert_eq!(time_us("60", 1_000_000), Ok(60_000_000));
        assert_eq!(time_us("60", 1), Ok(60));
        assert_eq!(time_us("2M", 1), Ok(120_000_000));
        assert_eq!(time_us("5ms", 1), Ok(5000));
        assert_eq!(time_us("(2*30)", 1_000_000), Ok(60_000_000));
        for text in ["1m30s", "1.5", "10sec", "abc", ""] {
            assert!(time_us(text, 1).is_err(), "{text}");
        }
    }
}
