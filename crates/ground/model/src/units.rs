//! Sizes, durations and rates as people write them, and as people read them.
//!
//! Bytes are IEC when printed (KiB, MiB); on input `k`, `m`, `g`, `t` mean powers of 1024 as in fio.

/// Why a text is not a size, a duration or a share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// The text as given.
    pub text: String,
    /// What would be accepted.
    pub wanted: &'static str,
}

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not {}", self.text, self.wanted)
    }
}

impl std::error::Error for UnitError {}

fn split_number(text: &str) -> Option<(f64, String)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    number
        .is_finite()
        .then(|| (number, text[end..].trim().to_ascii_lowercase()))
}

/// `4k`, `1.5G`, `512`, `1MiB` → bytes.
pub fn parse_bytes(text: &str) -> Result<u64, UnitError> {
    let error = || UnitError {
        text: text.into(),
        wanted: "a size such as 4k, 1M, 16G",
    };
    let text = text.trim();
    let (number, suffix) = split_number(text).ok_or_else(error)?;
    let shift = match suffix.as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(error()),
    };
    // A whole number is taken as it is: a float has no room for all digits of the largest ones.
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(1 << shift).ok_or_else(error);
    }
    let bytes = number * (1u64 << shift) as f64;
    if bytes >= u64::MAX as f64 {
        Err(error())
    } else {
        Ok(bytes as u64)
    }
}

/// `90`, `90s`, `1.5m`, `250ms`, `2h`, `45m36s`, `4 min 10 s` → milliseconds; a bare number is seconds.
pub fn parse_duration_ms(text: &str) -> Result<u64, UnitError> {
    let error = || UnitError {
        text: text.into(),
        wanted: "a duration such as 90s, 5m, 1h30m, 250ms",
    };
    let (mut rest, mut total, mut unit_before) = (text.trim(), 0.0, f64::INFINITY);
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .and_then(|unit| Some(unit + rest[unit..].find(|c: char| !c.is_ascii_alphabetic())?))
            .unwrap_or(rest.len());
        let (number, suffix) = split_number(rest[..end].trim()).ok_or_else(error)?;
        let ms = duration_unit_ms(&suffix).ok_or_else(error)?;
        // From large to small, and with a unit each: `5 10` and `5m 2h` are mistakes.
        let is_first = unit_before.is_infinite();
        if ms >= unit_before || suffix.is_empty() && !is_first {
            return Err(error());
        }
        (total, unit_before) = (total + number * ms, ms);
        rest = rest[end..].trim_start();
    }
    if unit_before.is_infinite() || total > 1e15 {
        Err(error())
    } else {
        Ok(total.round() as u64)
    }
}

/// How many milliseconds a unit has; seconds where none is named.
fn duration_unit_ms(suffix: &str) -> Option<f64> {
    match suffix {
        "ms" => Some(1.0),
        "" | "s" => Some(1e3),
        "m" | "min" => Some(6e4),
        "h" => Some(3.6e6),
        _ => None,
    }
}

/// `2%` or `0.02` → 0.02. Accepted from 0 up to, not including, 1.
pub fn parse_share(text: &str) -> Result<f64, UnitError> {
    let error = || UnitError {
        text: text.into(),
        wanted: "a share such as 2% or 0.02",
    };
    let text_trimmed = text.trim();
    let value = match text_trimmed.strip_suffix('%') {
        Some(number) => number.trim().parse::<f64>().map_err(|_| error())? / 100.0,
        None => text_trimmed.parse::<f64>().map_err(|_| error())?,
    };
    if (0.0..1.0).contains(&value) {
        Ok(value)
    } else {
        Err(error())
    }
}

fn three_digits(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn scaled(value: f64, base: f64, suffixes: &[&str]) -> String {
    let mut scaled = value;
    let mut rank = 0;
    while scaled.abs() >= base * 0.9995 && rank + 1 < suffixes.len() {
        scaled /= base;
        rank += 1;
    }
    if rank == 0 && scaled.fract() == 0.0 {
        return format!("{scaled:.0}{}", suffixes[0]);
    }
    format!("{}{}", three_digits(scaled), suffixes[rank])
}

/// Bytes for people: `4 KiB`, `1.46 GiB`.
pub fn bytes(value: f64) -> String {
    scaled(
        value,
        1024.0,
        &[" B", " KiB", " MiB", " GiB", " TiB", " PiB"],
    )
}

/// Bytes as fio and iodyno take them on a command line, exactly: `4k`, `1m`, `9g`, `512`.
pub fn size_word(bytes: u64) -> String {
    let units = [
        (1u64 << 40, "t"),
        (1 << 30, "g"),
        (1 << 20, "m"),
        (1 << 10, "k"),
    ];
    match units
        .iter()
        .find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit))
    {
        Some((unit, letter)) => format!("{}{letter}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// A byte rate for people: `118 MiB/s`.
pub fn bytes_per_s(value: f64) -> String {
    format!("{}/s", bytes(value))
}

/// A count or a rate of operations: `950`, `41.2 k`, `1.20 M`.
pub fn count(value: f64) -> String {
    if value < 1000.0 && value.fract() != 0.0 {
        return three_digits(value);
    }
    scaled(value, 1000.0, &["", " k", " M", " G"])
}

/// A rate, or another count that is no whole number: decimals only below 100, where they say something.
pub fn rate(value: f64) -> String {
    count(if value.abs() < 100.0 {
        value
    } else {
        value.round()
    })
}

/// A time in nanoseconds, in the unit that suits its magnitude: `84.0 µs`, `12.4 ms`.
pub fn duration_ns(value: f64) -> String {
    scaled(value, 1000.0, &[" ns", " µs", " ms", " s"])
}

/// A span in milliseconds for people: `450 ms`, `12 s`, `4 min 10 s`.
pub fn span_ms(value: u64) -> String {
    match value {
        0..1_000 => format!("{value} ms"),
        1_000..10_000 => format!("{:.1} s", value as f64 / 1e3),
        10_000..120_000 => format!("{} s", (value + 500) / 1000),
        _ if value % 60_000 < 1_000 => format!("{} min", value / 60_000),
        _ => format!("{} min {} s", value / 60_000, value % 60_000 / 1000),
    }
}

/// A span as the value of an option, rounded up to a whole second so that it suffices: `61s`, `45m36s`, `2h5m`.
pub fn span_word(ms: u64) -> String {
    let seconds = ms.div_ceil(1_000);
    let parts = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    match seconds {
        60 => "1m".into(),
        0..120 => format!("{seconds}s"),
        _ => parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, unit)| format!("{count}{unit}"))
            .collect(),
    }
}

/// Per cent for people: `0.40 %`, `12.5 %`, `96 %`.
pub fn percent(value: f64) -> String {
    match value.abs() {
        0.0 => "0 %".into(),
        v if v >= 19.95 => format!("{value:.0} %"),
        v if v >= 0.995 => format!("{value:.1} %"),
        _ => format!("{value:.2} %"),
    }
}

/// A ratio minus one as a signed per cent: `+11 %`, `−0.4 %`. From ten times on as that, `×542`, since nobody reads thousands of per
/// cent; and what is left of nearly nothing is told from nothing, `−99.96 %`.
pub fn percent_signed(effect: f64) -> String {
    if effect.is_finite() && effect >= 9.0 {
        return format!("×{}", times(1.0 + effect));
    }
    let percent = effect * 100.0;
    let text = match percent.abs() {
        small if small < 9.95 => format!("{small:.1}"),
        most if percent < 0.0 && (99.5..99.9995).contains(&most) => {
            let least = [1, 2, 3].map(|digits| format!("{most:.digits$}"));
            let is_whole = |text: &&String| text.starts_with("100");
            least
                .iter()
                .find(|text| !is_whole(text))
                .unwrap_or(&least[2])
                .clone()
        }
        usual => format!("{usual:.0}"),
    };
    let is_zero = text.chars().all(|c| c == '0' || c == '.');
    let sign = if is_zero {
        ""
    } else if percent < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{text} %")
}

/// The same without sign and unit where it is positive, for the bounds behind a figure that has both: `11`, `−0.4`.
pub fn percent_bare(effect: f64) -> String {
    percent_signed(effect)
        .trim_start_matches('+')
        .trim_end_matches(" %")
        .to_string()
}

/// The end of an interval that is not settled yet, as [`percent_signed`]; `open` where it is so far off that it says nothing.
pub fn percent_or_open(effect: f64) -> String {
    match effect > -0.999 && effect < 9.0 {
        true => percent_signed(effect),
        false => "open".into(),
    }
}

/// Per cent without decimals: `0 %`, `12 %`, `96 %`.
pub fn percent_whole(value: f64) -> String {
    format!("{value:.0} %")
}

/// A share of one as per cent without decimals: 0.12 as `12 %`.
pub fn share(value: f64) -> String {
    percent_whole(value * 100.0)
}

/// How many times more or less: `3.1`, `15`, `0.32`, `0.0027`.
pub fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 9.95 => format!("{r:.0}"),
        r if r >= 1.0 => format!("{r:.1}"),
        r if r >= 0.01 || r <= 0.0 || r.is_nan() => format!("{r:.2}"),
        r => {
            let digits = (1.0 - r.log10().floor()) as usize;
            format!("{r:.digits$}", digits = digits.min(9))
        }
    }
}

/// A number without decimals, in full: `12345`.
pub fn whole(value: f64) -> String {
    format!("{value:.0}")
}

/// A number with so many decimals: `1.50`.
pub fn decimals(value: f64, digits: usize) -> String {
    format!("{value:.digits$}")
}

/// The same with a sign, also in front of what is positive: `+3`, `-0.5`.
pub fn decimals_signed(value: f64, digits: usize) -> String {
    format!("{value:+.digits$}")
}

/// A number rounded to so many significant digits, for data that would otherwise be long.
pub fn significant(value: f64, digits: usize) -> f64 {
    let decimals = digits.saturating_sub(1);
    format!("{value:.decimals$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_have_the_decimals_that_were_asked_for() {
        assert_eq!([0.4, 12.5, 1e6].map(whole), ["0", "12", "1000000"]);
        assert_eq!(decimals(1.5, 2), "1.50");
        assert_eq!(decimals_signed(3.0, 0), "+3");
        assert_eq!(decimals_signed(-0.5, 1), "-0.5");
        assert_eq!([0.123, 0.996].map(share), ["12 %", "100 %"]);
        assert_eq!([14.96, 3.12, 0.317].map(times), ["15", "3.1", "0.32"]);
        assert_eq!([0.59, -0.012].map(percent_bare), ["59", "−1.2"]);
        assert_eq!([0.038, -0.93].map(percent_or_open), ["+3.8 %", "−93 %"]);
        assert_eq!(
            [-1.0, 12.0, f64::INFINITY].map(percent_or_open),
            ["open"; 3]
        );
        assert_eq!(significant(123_456.0, 4), 123_500.0);
        assert_eq!(significant(f64::INFINITY, 4), f64::INFINITY);
    }

    #[test]
    fn reads_what_people_write() {
        assert_eq!(parse_bytes("4k"), Ok(4096));
        assert_eq!(parse_bytes("1.5G"), Ok(3 << 29));
        assert_eq!(parse_bytes("512"), Ok(512));
        assert_eq!(parse_duration_ms("90"), Ok(90_000));
        assert_eq!(parse_duration_ms("250ms"), Ok(250));
        assert_eq!(parse_duration_ms("1.5m"), Ok(90_000));
        assert_eq!(parse_duration_ms("45m36s"), Ok(2_736_000));
        assert_eq!(parse_duration_ms("4 min 10 s"), Ok(250_000));
        assert_eq!(parse_duration_ms("1h 30m"), Ok(5_400_000));
        for text in [
            "", "s", "5m10", "5 10", "5s 2m", "1m1m", "5x", "1m-3s", "1e15h",
        ] {
            assert!(parse_duration_ms(text).is_err(), "{text}");
        }
        assert_eq!(parse_share("2%"), Ok(0.02));
        for text in ["", "k", "4x", "-1", "1e400", "99999999t"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
        for text in ["100%", "x", "-1%"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_span_is_written_as_an_option_takes_it() {
        let words = [
            1_000, 60_000, 60_001, 119_500, 159_000, 2_735_100, 7_500_000,
        ];
        assert_eq!(
            words.map(span_word),
            ["1s", "1m", "61s", "2m", "2m39s", "45m36s", "2h5m"]
        );
    }

    #[test]
    fn writes_three_significant_digits() {
        assert_eq!(bytes(4096.0), "4.00 KiB");
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(
            ["4k", "3m", "512", "0"].map(|text| size_word(parse_bytes(text).unwrap())),
            ["4k", "3m", "512", "0"]
        );
        assert_eq!(count(41_234.0), "41.2 k");
        assert_eq!(count(999_900.0), "1.00 M");
        assert_eq!([0.4, 99.96, 123.4].map(rate), ["0.40", "100", "123"]);
        assert_eq!(duration_ns(84_000.0), "84.0 µs");
        assert_eq!(
            [0.0, 0.4, 12.54, 95.96].map(percent),
            ["0 %", "0.40 %", "12.5 %", "96 %"]
        );
        assert_eq!(percent_signed(0.1134), "+11 %");
        assert_eq!(percent_signed(-0.0041), "−0.4 %");
        assert_eq!(percent_signed(0.0001), "0.0 %");
        assert_eq!(percent_signed(8.994), "+899 %");
        assert_eq!(percent_signed(540.79), "×542");
        assert_eq!(percent_signed(f64::INFINITY), "+inf %");
        let nearly = [-0.9947, -0.9962, -0.99962, -0.999_96, -1.0];
        assert_eq!(
            nearly.map(percent_signed),
            ["−99 %", "−99.6 %", "−99.96 %", "−99.996 %", "−100 %"]
        );
    }
}
