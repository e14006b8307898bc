//! Moments as people write them.

use crate::error::{StoreError, StoreErrorKind};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const DAY_MS: i64 = 86_400_000;

/// A moment in ms since 1970: `2026-11-21`, `2026-11-21 18:30` (of the time zone; with a `Z` behind it, UTC),
/// or how long ago: `90s`, `30min`, `12h`, `7d`, `2w`, `1y`.
pub fn moment(text: &str, now_ms: i64, zone: &TimeZone) -> Result<i64, StoreError> {
    ago(text.trim(), now_ms)
        .or_else(|| date(text.trim(), zone))
        .ok_or_else(|| {
            StoreError::new(
                StoreErrorKind::Usage,
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

/// A date with or without a time of day. What names no offset is of the time zone; a bare number or `now`, which
/// nobody means, is refused.
fn date(text: &str, zone: &TimeZone) -> Option<i64> {
    let bytes = text.as_bytes();
    let is_date = bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-';
    if !is_date {
        return None;
    }
    let moment = text.parse::<Timestamp>().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        Some(civil.to_zoned(zone.clone()).ok()?.timestamp())
    });
    moment.map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_dates_and_how_long_ago() {
        let now = 1_800_000_000_000;
        let zone = TimeZone::fixed(jiff::tz::offset(-5));
        let moment = |text: &str, now| moment(text, now, &zone);
        assert_eq!(moment("7d", now).unwrap(), now - 7 * DAY_MS);
        assert_eq!(moment("30 min", now).unwrap(), now - 1_800_000);
        assert_eq!(
            moment("2023-11-14T22:13:20Z", now).unwrap(),
            1_700_000_000_000
        );
        assert_eq!(moment("2023-11-14 22:13Z", now).unwrap(), 1_699_999_980_000);
        assert_eq!(
            moment("2023-11-14", now).unwrap(),
            1_699_920_000_000 + 5 * 3_600_000,
            "midnight five hours west of Greenwich"
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
            assert_eq!(
                moment(bad, now).unwrap_err().kind,
                StoreErrorKind::Usage,
                "{bad:?}"
            );
        }
    }
}
