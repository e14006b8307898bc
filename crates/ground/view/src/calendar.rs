//! Moments as dates and times of day, in UTC where no time zone is given.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Records may carry any number; what lies beyond the calendar is shown as its end.
fn civil(unix_ms: i64) -> jiff::civil::DateTime {
    civil_in(unix_ms, &TimeZone::UTC)
}

fn civil_in(unix_ms: i64, zone: &TimeZone) -> jiff::civil::DateTime {
    let end = if unix_ms < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    let moment = Timestamp::from_millisecond(unix_ms).unwrap_or(end);
    zone.to_datetime(moment)
}

/// The day: `2026-11-21`.
pub fn day(unix_ms: i64) -> String {
    civil(unix_ms).date().to_string()
}

/// The day and the minute: `2026-11-21 22:44`.
pub fn minute(unix_ms: i64) -> String {
    let at = civil(unix_ms);
    format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute())
}

/// The second of its day: `12:03:41`.
pub fn time_of_day(unix_ms: u64) -> String {
    time_of_day_in(unix_ms, &TimeZone::UTC)
}

/// The second of its day where this time zone holds.
pub fn time_of_day_in(unix_ms: u64, zone: &TimeZone) -> String {
    let at = civil_in(i64::try_from(unix_ms).unwrap_or(i64::MAX), zone);
    format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [0, -1, 951_782_400_000, 1_709_164_800_000, 1_795_219_200_000];
        assert_eq!(
            days.map(day),
            [
                "1970-01-01",
                "1969-12-31",
                "2000-02-29",
                "2024-02-29",
                "2026-11-21"
            ]
        );
        assert_eq!(minute(1_795_301_040_000), "2026-11-21 22:44");
        assert_eq!(minute(-1), "1969-12-31 23:59");
        assert_eq!(time_of_day(1_795_301_041_999), "22:44:01");
        let kolkata = TimeZone::fixed(jiff::tz::Offset::from_seconds(19_800).unwrap());
        assert_eq!(time_of_day_in(1_795_301_041_999, &kolkata), "04:14:01");
    }

    #[test]
    fn a_number_beyond_the_calendar_is_shown_too() {
        assert_eq!(day(i64::MAX), "9999-12-30");
        assert!(day(i64::MIN).starts_with("-009999"));
    }
}
