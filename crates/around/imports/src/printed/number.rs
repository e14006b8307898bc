//! Numbers as tools print them in any locale, and sizes and times with their units.

/// A number: with a decimal comma too, with `%` behind it, with thousands apart. None of what only begins with one.
pub fn number(word: &str) -> Option<f64> {
    let word = word.strip_suffix('%').unwrap_or(word);
    let (points, commas) = (word.matches('.').count(), word.matches(',').count());
    let first = word.bytes().next()?;
    let is_begun = first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.');
    if !is_begun || !word.ends_with(|c: char| c.is_ascii_digit()) || word.len() > 40 {
        return None;
    }
    let value: f64 = match (points, commas) {
        (0 | 1, 0) => word.parse().ok()?,
        (0, 1) => word.replace(',', ".").parse().ok()?,
        // The last of the two is the decimal one.
        _ if word.rfind(',') < word.rfind('.') && points == 1 => {
            word.replace(',', "").parse().ok()?
        }
        _ if word.rfind('.') < word.rfind(',') && commas == 1 => {
            word.replace('.', "").replace(',', ".").parse().ok()?
        }
        (0, _) => word.replace(',', "").parse().ok()?,
        _ => return None,
    };
    // No tool measures more; damage does, and products of it would be infinite.
    if value.abs() > 1e30 {
        return None;
    }
    value.is_finite().then_some(value)
}

/// Whether all words are numbers.
pub fn all_numbers(words: &[&str]) -> bool {
    words.iter().all(|word| number(word).is_some())
}

/// The number that a word begins with, and the rest of the word: `1.5M`, `3s`.
pub fn leading(word: &str) -> Option<(f64, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+');
    let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
    let digits = word[..end].trim_end_matches([',', '.']);
    Some((number(digits)?, &word[end..]))
}

/// Bytes of a size unit. A letter alone, with `iB` and with `B` after a K is 1024 of the one below where `binary`.
pub fn size_factor(unit: &str, binary: bool) -> Option<f64> {
    let unit = unit.trim().trim_end_matches("/s").trim_end_matches(',');
    let (letter, rest) = match unit.char_indices().nth(1) {
        Some((at, _)) => unit.split_at(at),
        None => (unit, ""),
    };
    let power = match letter {
        "B" | "b" if rest.is_empty() || rest == "ytes" => return Some(1.0),
        "" => return None,
        "k" | "K" => 1,
        "M" | "m" => 2,
        "G" | "g" => 3,
        "T" | "t" => 4,
        "P" => 5,
        _ => return None,
    };
    let base: f64 = match rest {
        "iB" | "i" => 1024.0,
        "" | "B" | "b" | "Bytes" if binary => 1024.0,
        "" | "B" | "b" | "Bytes" => 1000.0,
        _ => return None,
    };
    Some(base.powi(power))
}

/// Nanoseconds of a unit of time.
pub fn time_factor_ns(unit: &str) -> Option<f64> {
    Some(match unit.trim().trim_end_matches(',') {
        "ns" | "nsec" => 1.0,
        "us" | "usec" | "\u{b5}s" | "\u{3bc}s" => 1e3,
        "ms" | "msec" => 1e6,
        "s" | "sec" | "secs" | "seconds" => 1e9,
        "m" | "min" => 60e9,
        "h" | "hour" => 3_600e9,
        "d" | "day" => 86_400e9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_locale() {
        for (word, wanted) in [
            ("12.50", Some(12.5)),
            ("12,50", Some(12.5)),
            ("1,234.5", Some(1234.5)),
            ("1.234,5", Some(1234.5)),
            ("1,234,567", Some(1_234_567.0)),
            ("96.7%", Some(96.7)),
            ("-3", Some(-3.0)),
            ("", None),
            ("sda", None),
            ("1-2", None),
            ("inf", None),
            ("1.2.3", None),
            ("9e999", None),
        ] {
            assert_eq!(number(word), wanted, "{word}");
        }
    }

    #[test]
    fn units_have_their_factors() {
        assert_eq!(leading("1.5MiB/s"), Some((1.5, "MiB/s")));
        assert_eq!((leading("3,"), number("3,")), (Some((3.0, "")), None));
        assert_eq!(size_factor("MiB/s", false), Some(1_048_576.0));
        assert_eq!(
            (size_factor("MB", false), size_factor("MB", true)),
            (Some(1e6), Some(1_048_576.0))
        );
        assert_eq!(
            (size_factor("B", true), size_factor("requests", true)),
            (Some(1.0), None)
        );
        assert_eq!(
            (time_factor_ns("us"), time_factor_ns("x")),
            (Some(1e3), None)
        );
    }
}
