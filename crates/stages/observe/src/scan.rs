//! Numbers and words of /proc in one pass over the bytes: tables of interrupts are long on large machines.

use super::parse;

/// What is left of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a>(&'a [u8]);

impl<'a> Scan<'a> {
    /// From the beginning.
    pub fn new(text: &'a [u8]) -> Self {
        Scan(text)
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes are left.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The next word of this line; empty at its end.
    pub fn word(&mut self) -> &'a [u8] {
        self.blanks();
        let length = self
            .0
            .iter()
            .position(|byte| *byte <= b' ')
            .unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(length);
        self.0 = rest;
        word
    }

    /// The number that is next on this line. Where another word is, none, and the word is still next.
    pub fn number(&mut self) -> Option<u64> {
        /// More digits may not fit.
        const DIGITS_SURE: usize = 19;
        self.blanks();
        let (mut number, mut length) = (0u64, 0);
        for byte in self.0 {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            length += 1;
        }
        let (word, rest) = self.0.split_at(length);
        if length == 0 || rest.first().is_some_and(|byte| *byte > b' ') {
            return None;
        }
        self.0 = rest;
        if length > DIGITS_SURE {
            parse::number(word)
        } else {
            Some(number)
        }
    }

    /// Writes the numbers that are next on this line into a row, as many as both have.
    pub fn fill(&mut self, row: &mut [f64]) {
        for cell in row {
            match self.number() {
                Some(number) => *cell = number as f64,
                None => return,
            }
        }
    }

    /// The rest of this line; what is left begins with the next.
    pub fn line(&mut self) -> &'a [u8] {
        let length = self
            .0
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(self.0.len());
        let (line, rest) = self.0.split_at(length);
        self.0 = rest.get(1..).unwrap_or_default();
        line
    }

    fn blanks(&mut self) {
        let blank = |byte: &u8| *byte != b' ' && *byte != b'\t' && *byte != b'\r';
        let length = self.0.iter().position(blank).unwrap_or(self.0.len());
        self.0 = &self.0[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_stop_at_the_end_of_their_line() {
        let mut scan = Scan::new(b"  8 sda 17 -3\n\n99999999999999999999 18446744073709551615");
        assert_eq!(
            (scan.number(), scan.number(), scan.word()),
            (Some(8), None, &b"sda"[..])
        );
        assert_eq!(
            (scan.number(), scan.number(), scan.word()),
            (Some(17), None, &b"-3"[..])
        );
        assert_eq!(
            (scan.word(), scan.number(), scan.line()),
            (&b""[..], None, &b""[..])
        );
        assert_eq!((scan.line(), scan.is_done()), (&b""[..], false));
        assert_eq!((scan.number(), scan.number()), (None, Some(u64::MAX)));
        assert!(scan.is_done());
    }

    #[test]
    fn a_short_line_leaves_the_rest_of_a_row() {
        let mut row = [f64::NAN; 3];
        Scan::new(b"7 8x 9\n10").fill(&mut row);
        assert!(row[0] == 7.0 && row[1].is_nan() && row[2].is_nan());
    }
}
