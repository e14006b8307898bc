//! The SMART attributes of an ATA disk. Their layout is from SFF-8035i; what they mean is by custom, so only those are
//! taken whose raw value has one meaning, in the widths that smartmontools takes by default.

use super::facts::HealthFacts;

const ENTRIES_AT: usize = 2;
const ENTRY_BYTES: usize = 12;
const ENTRIES: usize = 30;

struct AtaEntry {
    id: u8,
    normalized: u8,
    raw: [u8; 6],
}

/// What the attributes tell; none when the page's checksum is wrong or it has no attribute. `is_solid` for a disk that
/// does not turn: some numbers mean other things on those that do.
pub fn facts(page: &[u8; 512], is_solid: bool) -> Option<HealthFacts> {
    let checksum = page.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let entries: Vec<AtaEntry> = entries(page).collect();
    if checksum != 0 || entries.is_empty() {
        return None;
    }
    let find = |id: u8| entries.iter().find(|entry| entry.id == id);
    let raw = |id: u8, bytes: usize| {
        let number = |entry: &AtaEntry| {
            entry.raw[..bytes]
                .iter()
                .rev()
                .fold(0.0, |sum, byte| sum * 256.0 + f64::from(*byte))
        };
        find(id).map(number)
    };
    let celsius = |id: u8| find(id).map(|entry| f64::from(entry.raw[0] as i8));
    let wear = || {
        [231, 233, 177]
            .into_iter()
            .find_map(find)
            .map(|entry| f64::from(entry.normalized))
    };
    let facts = [
        ("reallocated_sectors", raw(5, 2)),
        ("power_on_hours", raw(9, 3)),
        ("power_cycles", raw(12, 6)),
        ("reported_uncorrectable", raw(187, 6)),
        ("temperature_celsius", celsius(194).or_else(|| celsius(190))),
        ("pending_sectors", raw(197, 6)),
        ("offline_uncorrectable_sectors", raw(198, 6)),
        ("crc_errors", raw(199, 6)),
        ("wear_normalized", is_solid.then(wear).flatten()),
    ];
    Some(
        facts
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect(),
    )
}

fn entries(page: &[u8; 512]) -> impl Iterator<Item = AtaEntry> {
    let table = &page[ENTRIES_AT..ENTRIES_AT + ENTRIES * ENTRY_BYTES];
    let entry = |entry: &[u8]| {
        let raw = <[u8; 6]>::try_from(&entry[5..11]).ok()?;
        Some(AtaEntry {
            id: entry[0],
            normalized: entry[3],
            raw,
        })
        .filter(|entry| entry.id != 0)
    };
    table.chunks_exact(ENTRY_BYTES).filter_map(entry)
}

#[cfg(test)]
pub(super) fn page(attributes: &[(u8, u8, u64)]) -> [u8; 512] {
    let mut page = [0u8; 512];
    for (place, (id, normalized, raw)) in attributes.iter().enumerate() {
        let entry = &mut page[ENTRIES_AT + place * ENTRY_BYTES..][..ENTRY_BYTES];
        (entry[0], entry[3]) = (*id, *normalized);
        entry[5..11].copy_from_slice(&raw.to_le_bytes()[..6]);
    }
    let sum = page.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    page[511] = sum.wrapping_neg();
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_in_the_width_that_has_one_meaning() {
        let page = page(&[
            (5, 100, 8),
            (9, 95, 0x0012_3400_0BB8),
            (194, 64, 0x0032_0014_0024),
            (197, 100, 2),
            (199, 200, 70_000),
            (233, 97, 0),
        ]);
        let expected = [
            ("reallocated_sectors", 8.0),
            ("power_on_hours", 3000.0),
            ("temperature_celsius", 36.0),
            ("pending_sectors", 2.0),
            ("crc_errors", 70_000.0),
        ];
        assert_eq!(facts(&page, false).unwrap(), expected);
        assert_eq!(
            facts(&page, true).unwrap().last(),
            Some(&("wear_normalized", 97.0))
        );
    }

    #[test]
    fn a_damaged_page_tells_nothing() {
        let good = page(&[(5, 100, 8), (194, 64, 30)]);
        for at in 0..512 {
            let mut page = good;
            page[at] ^= 0x40;
            assert!(facts(&page, true).is_none(), "{at}");
        }
        assert!(facts(&page(&[]), true).is_none());
    }
}
