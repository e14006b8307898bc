//! The date of a result, as C prints it: `Thu Aug 17 14:05:43 2023`.

use crate::printed::moment::midnight_unix_ms;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// ms since 1970, taken as UTC; the text may go on.
pub fn unix_ms(text: &str) -> Option<u64> {
    let mut words = text
        .split_ascii_whitespace()
        .skip_while(|word| !MONTHS.contains(word));
    let month = MONTHS
        .iter()
        .position(|month| Some(*month) == words.clone().next())? as i16
        + 1;
    words.next()?;
    let day = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| {
        part.parse::<i64>()
            .ok()
            .filter(|part| (0..61).contains(part))
    });
    let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
    // A page may have glued the next word to the year.
    let year: i16 = words
        .next()?
        .get(..4)?
        .parse()
        .ok()
        .filter(|year| (2005..2200).contains(year))?;
    let midnight_ms = midnight_unix_ms(year, month, day)?;
    u64::try_from(midnight_ms + ((hours * 60 + minutes) * 60 + seconds) * 1000).ok()
}

#[cfg(test)]
mod tests {
    use super::unix_ms;

    #[test]
    fn dates_as_c_prints_them() {
        assert_eq!(unix_ms("Thu Jan  1 00:00:00 2015"), Some(1_420_070_400_000));
        assert_eq!(
            unix_ms(" Thu Aug 17 14:05:43 2023"),
            Some(1_692_281_143_000)
        );
        assert_eq!(
            unix_ms("Thu May 21 15:33:54 2020read: IOPS"),
            Some(1_590_075_234_000)
        );
        assert_eq!(unix_ms("Thu May 21"), None);
        assert_eq!(unix_ms("Thu May 41 15:33:54 2020"), None);
    }
}
