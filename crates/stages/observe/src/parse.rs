//! Reading numbers out of /proc without allocating.

/// The lines of a file, without the end of each.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// A decimal number; none when the word is anything else or too large.
pub(super) fn number(word: &[u8]) -> Option<u64> {
    if word.is_empty() {
        return None;
    }
    word.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Writes the numbers at the head of `words` into `row`; what is missing or no number is left as it was.
pub(super) fn fill<'a>(row: &mut [f64], words: impl Iterator<Item = &'a [u8]>) {
    for (cell, word) in row.iter_mut().zip(words) {
        if let Some(value) = number(word) {
            *cell = value as f64;
        }
    }
}

/// The totals of a pressure file, some and full, µs; NaN where a line is missing.
pub(super) fn pressure_us(text: &[u8]) -> (f64, f64) {
    let total = |name: &[u8]| {
        let line = lines(text).find_map(|line| line.strip_prefix(name))?;
        words(line).find_map(|word| number(word.strip_prefix(b"total=")?))
    };
    let total = |name: &[u8]| total(name).map_or(f64::NAN, |total| total as f64);
    (total(b"some "), total(b"full "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_only_numbers() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b""), None);
        assert_eq!(number(b"-1"), None);
    }

    #[test]
    fn a_short_line_leaves_the_rest() {
        let mut row = [f64::NAN; 3];
        fill(&mut row, words(b"  7   x "));
        assert_eq!(row[0], 7.0);
        assert!(row[1].is_nan() && row[2].is_nan());
        assert_eq!(lines(b"a\n\nb\n").count(), 2);
    }
}
