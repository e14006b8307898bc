//! Moments as people write them, and days as partitions are named.

use crate::error::{Kind, StoreError};
use rusqlite::Connection;

const DAY_MS: i64 = 86_400_000;

/// A moment in ms since 1970: `2026-11-21`, `2026-11-21 18:30` (of this machine's time zone; with a `Z` behind it, UTC),
/// or how long ago: `90s`, `30min`, `12h`, `7d`, `2w`, `1y`.
pub fn moment(text: &str, now_ms: i64) -> Result<i64, StoreError> {
    ago(text.trim(), now_ms)
        .or_else(|| date(text.trim()))
        .ok_or_else(|| {
            StoreError::new(
                Kind::Usage,
                format!(
                    "`{}` is no moment such as 2026-11-21, 2026-11-21 18:30, 12h or 7d (ago).",
                    text.escape_debug()
                ),
            )
        })
}

fn ago(text: &str, now_ms: i64) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let count: i64 = text[..end].parse().ok()?;
    let unit_ms = match text[end..].trim() {
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => DAY_MS,
        "w" => 7 * DAY_MS,
        "y" => 365 * DAY_MS,
        _ => return None,
    };
    now_ms.checked_sub(count.checked_mul(unit_ms)?)
}

/// SQLite knows calendar and time zone; it would also take a bare number or `now`, which nobody means.
fn date(text: &str) -> Option<i64> {
    let is_date = |text: &str| {
        let bytes = text.as_bytes();
        text.is_ascii()
            && bytes.len() >= 10
            && bytes[4] == b'-'
            && bytes[7] == b'-'
            && bytes[..4].iter().all(u8::is_ascii_digit)
    };
    if !is_date(text) {
        return None;
    }
    let zone = if text.ends_with(['Z', 'z']) {
        "+0 days"
    } else {
        "utc"
    };
    let connection = Connection::open_in_memory().ok()?;
    let seconds: Option<i64> = connection
        .query_row("SELECT unixepoch(?1, ?2)", [text, zone], |row| row.get(0))
        .ok()?;
    seconds.map(|seconds| seconds * 1000)
}

/// The day of a moment in UTC: `2026-11-21`.
pub(crate) fn day(unix_ms: i64) -> String {
    // Days to a civil date by eras of 400 years, which all have 146,097 days.
    let days = unix_ms.div_euclid(DAY_MS) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_dates_and_how_long_ago() {
        let now = 1_800_000_000_000;
        assert_eq!(moment("7d", now).unwrap(), now - 7 * DAY_MS);
        assert_eq!(moment("30 min", now).unwrap(), now - 1_800_000);
        assert_eq!(
            moment("2023-11-14T22:13:20Z", now).unwrap(),
            1_700_000_000_000
        );
        assert_eq!(moment("2023-11-14 22:13Z", now).unwrap(), 1_699_999_980_000);
        let midnight = moment("2023-11-14", now).unwrap();
        assert!(
            (midnight - 1_699_920_000_000).abs() <= 14 * 3_600_000,
            "in whatever zone this machine is"
        );
        for bad in [
            "",
            "7",
            "now",
            "2023",
            "2023-13-40",
            "d",
            "7 fortnights",
            "99999999999999999999d",
            "2460263.4",
            "äöüäöüäöü",
        ] {
            assert_eq!(moment(bad, now).unwrap_err().kind, Kind::Usage, "{bad:?}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let connection = Connection::open_in_memory().unwrap();
        for unix_ms in (-60_000_000_000_000..90_000_000_000_000i64).step_by(1_234_567_890_123) {
            let wanted: String = connection
                .query_row(
                    "SELECT date(?1, 'unixepoch')",
                    [unix_ms.div_euclid(1000)],
                    |row| row.get(0),
                )
                .unwrap();
            assert_eq!(day(unix_ms), wanted);
        }
        assert_eq!(
            [0, -1, 951_782_400_000].map(day),
            ["1970-01-01", "1969-12-31", "2000-02-29"]
        );
    }
}
