//! Times of day in front of rows, and dates above reports, in the forms that locales give them.

use jiff::civil::Date;
use jiff::tz::TimeZone;

const DAY_MS: f64 = 86_400_000.0;

/// A time of day at the start of some words, ms, and how many words it takes: `22:45:01`, `10:45:01 PM`, `22.45.01`,
/// `14时05分11秒`, `下午 02时05分11秒`.
pub fn time_of_day(words: &[&str]) -> Option<(f64, usize)> {
    let first = words.first()?;
    if let Some(half) = half_of_day(first) {
        let ms = clock(words.get(1)?)?;
        return Some((with_half(ms, half), 2));
    }
    let ms = clock(first)?;
    match words.get(1).and_then(|word| half_of_day(word)) {
        Some(half) => Some((with_half(ms, half), 2)),
        None => Some((ms, 1)),
    }
}

/// Whether a word says which half of the day; true for the second.
fn half_of_day(word: &str) -> Option<bool> {
    match word {
        "AM" | "am" | "a.m." | "\u{4e0a}\u{5348}" => Some(false),
        "PM" | "pm" | "p.m." | "\u{4e0b}\u{5348}" => Some(true),
        _ => None,
    }
}

fn with_half(ms: f64, is_second: bool) -> f64 {
    ms % (DAY_MS / 2.0) + if is_second { DAY_MS / 2.0 } else { 0.0 }
}

/// Hours, minutes and seconds of one word, ms.
fn clock(word: &str) -> Option<f64> {
    let is_time = word.len() <= 24 && word.as_bytes().first()?.is_ascii_digit();
    let is_apart = |c: char| {
        matches!(
            c,
            ':' | '\u{65f6}' | '\u{5206}' | '\u{79d2}' | '\u{6642}' | '\u{51e6}'
        )
    };
    let has_marks = word.matches(is_apart).count() >= 2 || word.matches('.').count() == 2;
    if !is_time || !has_marks {
        return None;
    }
    let mut parts = word
        .split(|c: char| is_apart(c) || c == '.')
        .filter(|part| !part.is_empty());
    let mut next = |most: u32| {
        parts
            .next()?
            .parse::<u32>()
            .ok()
            .filter(|value| *value <= most)
    };
    let (hours, minutes, seconds) = (next(23)?, next(59)?, next(60)?);
    // Parts of a second (`22:45:01.250`) are all that may follow.
    let fraction = match parts.next() {
        None => 0.0,
        Some(digits) => format!("0.{digits}").parse::<f64>().ok()?,
    };
    Some((f64::from(hours * 3_600 + minutes * 60 + seconds) + fraction) * 1e3)
}

/// A line that is nothing but a date and a time: the time of day, ms, and, where the offset is told, ms since 1970.
pub fn stamp(line: &str) -> Option<(f64, Option<u64>)> {
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    if let [one] = words[..]
        && let Some((date, rest)) = one.split_once('T')
    {
        let end = rest
            .get(1..)?
            .find(['+', '-', 'Z'])
            .map_or(rest.len(), |at| at + 1);
        let ms = clock(rest.get(..end)?)?;
        return Some((ms, unix_ms(date, ms, rest.get(end..)?)));
    }
    // Alone, or after a word, as iostat 8 to 10 have it.
    let alone = words.strip_prefix(&["Time:"]).unwrap_or(&words);
    if let Some((ms, taken)) = time_of_day(alone)
        && taken == alone.len()
    {
        return Some((ms, None));
    }
    let is_date = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        (4..=8).contains(&digits)
            && word.starts_with(|c: char| c.is_ascii_digit())
            && number_like(word)
    };
    let (ms, taken) = time_of_day(words.get(1..)?)?;
    (is_date(words[0]) && words.len() == taken + 1).then_some((ms, None))
}

fn number_like(word: &str) -> bool {
    let is_apart = |c: char| {
        matches!(c, '/' | '-' | '.' | '\u{5e74}' | '\u{6708}' | '\u{65e5}') || c.is_ascii_digit()
    };
    word.chars().all(is_apart) && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Ms since 1970 of an ISO date, a time of day and an offset (`+0000`, `+02:00`, `Z`).
fn unix_ms(date: &str, ms: f64, offset: &str) -> Option<u64> {
    let parts: Vec<i16> = date
        .split('-')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let [year, month, day] = parts[..] else {
        return None;
    };
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let east_min = match offset {
        "Z" => 0,
        _ if digits.len() == 4 => {
            let value: i64 = digits.parse().ok()?;
            (value / 100 * 60 + value % 100) * if offset.starts_with('-') { -1 } else { 1 }
        }
        _ => return None,
    };
    let midnight_ms = midnight_unix_ms(year, month, day)?;
    u64::try_from(midnight_ms + ms as i64 - east_min * 60_000).ok()
}

/// Ms since 1970 of a day's beginning in UTC; none of a day that the calendar does not have.
pub fn midnight_unix_ms(year: i16, month: i16, day: i16) -> Option<i64> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let midnight = Date::new(year, month, day).ok()?.at(0, 0, 0, 0);
    let moment = TimeZone::UTC.to_timestamp(midnight).ok()?;
    Some(moment.as_millisecond())
}

/// Ms since 1970 of `2026-11-21T22:45:01Z` and its like.
pub fn iso_unix_ms(word: &str) -> Option<u64> {
    let (date, _) = word.split_once('T')?;
    let (_, unix) = stamp(word)?;
    unix.filter(|_| date.len() == 10)
}

/// Times of day as ms since the first of them, over midnight too.
#[derive(Debug, Default)]
pub struct Days {
    first: Option<f64>,
    last: f64,
    passed: f64,
}

impl Days {
    /// The next time of day as ms since the first.
    pub fn since_first(&mut self, ms: f64) -> f64 {
        let first = *self.first.get_or_insert(ms);
        // A little back is a clock that was set; much is another day.
        if ms < self.last - DAY_MS / 2.0 {
            self.passed += DAY_MS;
        }
        self.last = ms;
        ms + self.passed - first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_locales() {
        let time = |text: &str| time_of_day(&text.split(' ').collect::<Vec<_>>());
        let at = |hours: f64, minutes: f64, seconds: f64| {
            ((hours * 60.0 + minutes) * 60.0 + seconds) * 1e3
        };
        assert_eq!(time("22:45:01 all"), Some((at(22.0, 45.0, 1.0), 1)));
        assert_eq!(time("10:45:01 PM all"), Some((at(22.0, 45.0, 1.0), 2)));
        assert_eq!(time("12:00:01 AM all"), Some((at(0.0, 0.0, 1.0), 2)));
        assert_eq!(
            time("14\u{65f6}05\u{5206}11\u{79d2} CPU"),
            Some((at(14.0, 5.0, 11.0), 1))
        );
        assert_eq!(
            time("\u{4e0b}\u{5348} 02\u{65f6}05\u{5206}11\u{79d2}"),
            Some((at(14.0, 5.0, 11.0), 2))
        );
        assert_eq!(
            (time("sda 1"), time("12.5 3"), time("25:00:00"), time("1:2")),
            (None, None, None, None)
        );
    }

    #[test]
    fn stamps_above_reports() {
        assert_eq!(stamp("11/21/26 22:52:00"), Some((82_320_000.0, None)));
        assert_eq!(stamp("21.11.2026 22:52:00"), Some((82_320_000.0, None)));
        assert_eq!(stamp("11/21/2026 10:52:00 PM"), Some((82_320_000.0, None)));
        assert_eq!(
            stamp("2026-11-21T22:52:03+0000"),
            Some((82_323_000.0, Some(1_795_301_523_000)))
        );
        assert_eq!(iso_unix_ms("1970-01-02T01:00:00+01:00"), Some(86_400_000));
        assert_eq!(stamp("Time: 22:52:00"), Some((82_320_000.0, None)));
        assert_eq!(stamp("22:52:00"), Some((82_320_000.0, None)));
        assert_eq!(stamp("sda 22:52:00"), None);
        assert_eq!(stamp("T"), None);
    }

    #[test]
    fn midnight_is_no_step_back() {
        let mut days = Days::default();
        let times: Vec<f64> = [86_399_000.0, 1_000.0, 2_000.0]
            .map(|ms| days.since_first(ms))
            .to_vec();
        assert_eq!(times, [0.0, 2_000.0, 3_000.0]);
    }
}
