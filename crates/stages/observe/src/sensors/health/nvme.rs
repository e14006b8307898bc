//! The SMART / health information log of an NVMe controller (NVM Express base specification, log page 02h).

use super::facts::HealthFacts;

/// Its number.
pub const PAGE: u8 = 0x02;
const KELVIN: f64 = 273.0;
/// A data unit is a thousand sectors of 512 bytes.
const UNIT_BYTES: f64 = 512_000.0;

/// What a page tells; none when it is no such page. A controller that fills nothing in has no temperature.
pub fn facts(page: &[u8; 512]) -> Option<HealthFacts> {
    let short = |at: usize| f64::from(u16::from_le_bytes([page[at], page[at + 1]]));
    let word = |at: usize| {
        (0..4)
            .rev()
            .fold(0.0, |sum, byte| sum * 256.0 + f64::from(page[at + byte]))
    };
    let long = |at: usize| {
        (0..16)
            .rev()
            .fold(0.0, |sum, byte| sum * 256.0 + f64::from(page[at + byte]))
    };
    let kelvin = short(1);
    let is_filled = page.iter().any(|byte| *byte != 0) && page.iter().any(|byte| *byte != 0xFF);
    let facts = [
        ("critical_warning", f64::from(page[0])),
        ("temperature_celsius", kelvin - KELVIN),
        ("available_spare_percent", f64::from(page[3])),
        ("spare_threshold_percent", f64::from(page[4])),
        ("percentage_used", f64::from(page[5])),
        ("read_bytes", long(32) * UNIT_BYTES),
        ("written_bytes", long(48) * UNIT_BYTES),
        ("controller_busy_minutes", long(96)),
        ("power_cycles", long(112)),
        ("power_on_hours", long(128)),
        ("unsafe_shutdowns", long(144)),
        ("media_errors", long(160)),
        ("error_log_entries", long(176)),
        ("warning_temperature_minutes", word(192)),
        ("critical_temperature_minutes", word(196)),
        ("light_throttlings", word(216)),
        ("heavy_throttlings", word(220)),
        ("light_throttling_seconds", word(224)),
        ("heavy_throttling_seconds", word(228)),
    ];
    let is_told = |(name, _): &(&str, f64)| *name != "temperature_celsius" || kelvin > 0.0;
    is_filled.then(|| facts.into_iter().filter(is_told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(facts: &HealthFacts, name: &str) -> Option<f64> {
        facts
            .iter()
            .find(|(one, _)| *one == name)
            .map(|(_, value)| *value)
    }

    #[test]
    fn every_number_at_its_place() {
        let mut page = [0u8; 512];
        (page[0], page[1], page[2], page[3], page[4], page[5]) = (1, 0x37, 0x01, 97, 10, 12);
        page[32] = 2;
        page[48..50].copy_from_slice(&[0, 1]);
        page[128..130].copy_from_slice(&1000u16.to_le_bytes());
        page[160] = 3;
        page[192] = 7;
        page[216..220].copy_from_slice(&70_000u32.to_le_bytes());
        page[228] = 5;
        let facts = facts(&page).unwrap();
        let expected = [
            ("critical_warning", 1.0),
            ("temperature_celsius", 38.0),
            ("percentage_used", 12.0),
            ("read_bytes", 1_024_000.0),
            ("written_bytes", 131_072_000.0),
            ("power_on_hours", 1000.0),
            ("media_errors", 3.0),
            ("warning_temperature_minutes", 7.0),
            ("light_throttlings", 70_000.0),
            ("heavy_throttling_seconds", 5.0),
        ];
        for (name, number) in expected {
            assert_eq!(value(&facts, name), Some(number), "{name}");
        }
    }

    #[test]
    fn an_empty_page_tells_nothing() {
        assert!(facts(&[0; 512]).is_none() && facts(&[0xFF; 512]).is_none());
        let mut page = [0u8; 512];
        page[3] = 100;
        assert_eq!(value(&facts(&page).unwrap(), "temperature_celsius"), None);
    }
}
