//! Arithmetic in values, `size=(8 * 1g)`: what a fio that was built with flex and bison accepts in parentheses.

/// A number that is exact as long as no fraction takes part.
#[derive(Clone, Copy, Debug)]
struct Number {
    float: f64,
    exact: Option<i64>,
}

impl Number {
    fn of(value: i64) -> Number {
        Number {
            float: value as f64,
            exact: Some(value),
        }
    }

    /// Both sides exact: exact; otherwise the fraction.
    fn join(
        self,
        other: Number,
        exact: fn(i64, i64) -> Option<i64>,
        float: fn(f64, f64) -> f64,
    ) -> Option<Number> {
        match (self.exact, other.exact) {
            (Some(a), Some(b)) => exact(a, b).map(Number::of),
            _ => Some(Number {
                float: float(self.float, other.float),
                exact: None,
            }),
        }
    }
}

/// Deeper parentheses than anybody writes, and than the stack minds.
const DEPTH: u32 = 64;

struct Reader<'a> {
    rest: &'a str,
    /// Whether `m` is minutes.
    is_time: bool,
    has_units: bool,
    depth: u32,
}

/// The value of an expression, and whether units were given in it. Nothing, where it has no value.
pub(super) fn evaluate(text: &str, is_time: bool) -> Option<(i64, bool)> {
    let mut reader = Reader {
        rest: text,
        is_time,
        has_units: false,
        depth: 0,
    };
    let value = reader.sum()?;
    reader.rest.trim().is_empty().then_some(())?;
    let whole = value
        .exact
        .or_else(|| value.float.is_finite().then_some(value.float as i64))?;
    Some((whole, reader.has_units))
}

impl Reader<'_> {
    fn take(&mut self, one_of: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let first = self.rest.chars().next().filter(|c| one_of.contains(c))?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn sum(&mut self) -> Option<Number> {
        let mut left = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let right = self.product()?;
            left = match sign {
                '+' => left.join(right, i64::checked_add, |a, b| a + b)?,
                _ => left.join(right, i64::checked_sub, |a, b| a - b)?,
            };
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Number> {
        let mut left = self.power()?;
        while let Some(sign) = self.take(&['*', '/']) {
            let right = self.power()?;
            left = match sign {
                '*' => left.join(right, i64::checked_mul, |a, b| a * b)?,
                _ if right.float == 0.0 => return None,
                _ => left.join(right, i64::checked_div, |a, b| a / b)?,
            };
        }
        Some(left)
    }

    fn power(&mut self) -> Option<Number> {
        let base = self.remainder()?;
        if self.take(&['^']).is_none() {
            return Some(base);
        }
        self.deeper()?;
        let exponent = self.power()?;
        self.depth -= 1;
        match (base.exact, exponent.exact) {
            (Some(base), Some(exponent)) if exponent >= 0 => base
                .checked_pow(u32::try_from(exponent).ok()?)
                .map(Number::of),
            _ => Some(Number {
                float: base.float.powf(exponent.float),
                exact: None,
            }),
        }
    }

    fn remainder(&mut self) -> Option<Number> {
        let mut left = self.with_unit()?;
        while self.take(&['%']).is_some() {
            let right = self.with_unit()?;
            left = Number::of(left.exact?.checked_rem(right.exact?)?);
        }
        Some(left)
    }

    fn with_unit(&mut self) -> Option<Number> {
        if self.take(&['-']).is_some() {
            self.deeper()?;
            let value = self.with_unit()?;
            self.depth -= 1;
            return Number::of(0).join(value, i64::checked_sub, |a, b| a - b);
        }
        let mut value = self.primary()?;
        while let Some(factor) = self.unit() {
            value = value.join(Number::of(factor), i64::checked_mul, |a, b| a * b)?;
            self.has_units = true;
        }
        Some(value)
    }

    fn primary(&mut self) -> Option<Number> {
        if self.take(&['(']).is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            return self.take(&[')']).map(|_| value);
        }
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if let Some(hex) = self.rest.strip_prefix("0x") {
            let end = hex
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(hex.len());
            self.rest = &hex[end..];
            return i64::from_str_radix(&hex[..end], 16).ok().map(Number::of);
        }
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        match digits.contains('.') {
            false => digits.parse().ok().map(Number::of),
            true => digits
                .parse()
                .ok()
                .map(|float| Number { float, exact: None }),
        }
    }

    /// Nesting is bounded: a damaged file must not exhaust the stack.
    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEPTH).then_some(())
    }

    fn unit(&mut self) -> Option<i64> {
        let text = self.rest.trim_start_matches([' ', '\t']);
        let end = text
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(text.len());
        let factor = match text[..end].to_ascii_lowercase().as_str() {
            "us" => 1,
            "ms" => 1000,
            "s" => 1_000_000,
            "m" if self.is_time => 60_000_000,
            "h" => 3_600_000_000,
            "d" => 86_400_000_000,
            "k" | "kb" => 1 << 10,
            "m" | "mb" => 1 << 20,
            "g" | "gb" => 1 << 30,
            "t" | "tb" => 1 << 40,
            "p" | "pb" => 1 << 50,
            "kib" => 1000,
            "mib" => 1_000_000,
            "gib" => 1_000_000_000,
            _ => return None,
        };
        self.rest = &text[end..];
        Some(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_fios_values() {
        let bytes = |text| evaluate(text, false);
        assert_eq!(bytes("(4*1024)"), Some((4096, false)));
        assert_eq!(bytes("(8 * 1k + 2k)"), Some((10_240, true)));
        assert_eq!(bytes("(2^10)"), Some((1024, false)));
        assert_eq!(bytes("(7 % 4 - -1)"), Some((4, false)));
        assert_eq!(bytes("(1.5m)"), Some((1_572_864, true)));
        assert_eq!(evaluate("(2m)", true), Some((120_000_000, true)));
        assert_eq!(evaluate("(2*30)", true), Some((60, false)));
    }

    #[test]
    fn what_has_no_value_is_none_and_never_a_panic() {
        for text in [
            "(1/0)",
            "(",
            "()",
            "(1",
            "1)",
            "(2^64)",
            "(9223372036854775807+1)",
            "(4q)",
            "(é)",
            "(-",
        ] {
            assert_eq!(evaluate(text, false), None, "{text}");
        }
        for repeated in ["(", "-", "2^"] {
            assert_eq!(evaluate(&repeated.repeat(100_000), false), None);
        }
    }
}
