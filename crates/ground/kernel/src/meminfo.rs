//! /proc/meminfo: `MemTotal:       16384 kB`.

/// Name, without its colon, and value of every line. A size is in bytes; a line without a unit (`HugePages_Total`) is
/// a count.
pub fn fields(text: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    text.split(|byte| *byte == b'\n').filter_map(field)
}

/// One of them: `bytes(text, "MemTotal")`.
pub fn value(text: &str, name: &str) -> Option<u64> {
    fields(text.as_bytes()).find_map(|(field, value)| (field == name.as_bytes()).then_some(value))
}

fn field(line: &[u8]) -> Option<(&[u8], u64)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, rest) = line.split_at(colon);
    let rest = std::str::from_utf8(&rest[1..]).ok()?;
    let mut words = rest.split_ascii_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    // The unit is written `kB` and means 1,024 bytes.
    let factor = if words.next() == Some("kB") { 1024 } else { 1 };
    Some((name, number.checked_mul(factor)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "MemTotal:       16265744 kB\nMemFree:          123 kB\nActive(anon):     7 kB\n\
                        HugePages_Total:       4\nDamaged: x kB\nHuge: 99999999999999999999 kB\n";

    #[test]
    fn sizes_are_bytes_and_counts_are_counts() {
        assert_eq!(value(TEXT, "MemTotal"), Some(16265744 << 10));
        assert_eq!(value(TEXT, "Active(anon)"), Some(7 << 10));
        assert_eq!(value(TEXT, "HugePages_Total"), Some(4));
        for absent in ["Mem", "MemTotal:", "Damaged", "Huge", ""] {
            assert_eq!(value(TEXT, absent), None, "{absent}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in "[A-Za-z()_]{1,20}", kib in 0..u64::MAX >> 10) {
            let text = format!("Other: 1 kB\n{name}:{kib:>12} kB\n");
            prop_assume!(name != "Other");
            prop_assert_eq!(value(&text, &name), Some(kib << 10));
        }

        #[test]
        fn any_bytes_are_bounded(text in any::<Vec<u8>>()) {
            prop_assert!(fields(&text).count() <= text.len());
        }
    }
}
