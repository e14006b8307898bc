//! Lists of CPUs and NUMA nodes: `0-3,8` (`bitmap_print_to_pagebuf` of lib/bitmap.c).

use std::fmt;
use std::ops::RangeInclusive;

/// More CPUs than any kernel numbers (`NR_CPUS` is at most 8,192). A damaged list must not fill the memory.
pub const MOST: u32 = 8192;

/// A set of CPUs, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuList {
    /// In order, apart from each other by at least one.
    ranges: Vec<RangeInclusive<u32>>,
}

impl CpuList {
    /// Reads a list; none where a part of it is no number and no range of numbers below [`MOST`]. The empty text is
    /// the list without CPUs, as the kernel prints it.
    pub fn parse(text: &str) -> Option<CpuList> {
        let ranges: Option<Vec<_>> = parts(text).map(Result::ok).collect();
        Some(CpuList::of(ranges?))
    }

    fn of(mut ranges: Vec<RangeInclusive<u32>>) -> CpuList {
        ranges.sort_by_key(|range| *range.start());
        let mut joined: Vec<RangeInclusive<u32>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => joined.push(range),
            }
        }
        CpuList { ranges: joined }
    }

    /// The CPUs, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().cloned().flatten()
    }

    /// First and last of what stands together, in order.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        self.ranges
            .iter()
            .map(|range| (*range.start(), *range.end()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ranges()
            .map(|(first, last)| (last - first) as usize + 1)
            .sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether a CPU is among them.
    pub fn contains(&self, cpu: u32) -> bool {
        self.ranges.iter().any(|range| range.contains(&cpu))
    }
}

impl FromIterator<u32> for CpuList {
    fn from_iter<T: IntoIterator<Item = u32>>(cpus: T) -> Self {
        CpuList::of(cpus.into_iter().map(|cpu| cpu..=cpu).collect())
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.ranges().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// The parts of a list as they stand, for those who keep its order; a part that is no range is the error. The empty text
/// has none.
pub fn parts(text: &str) -> impl Iterator<Item = Result<RangeInclusive<u32>, &str>> {
    let text = Some(text.trim()).filter(|text| !text.is_empty());
    let parts = text.into_iter().flat_map(|text| text.split(','));
    parts.map(|part| range(part).ok_or(part))
}

fn range(part: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last && last < MOST).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cpus(text: &str) -> Option<Vec<u32>> {
        CpuList::parse(text).map(|list| list.iter().collect())
    }

    #[test]
    fn numbers_and_ranges() {
        assert_eq!(cpus("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(cpus("0"), Some(vec![0]));
        assert_eq!(cpus("\n"), Some(vec![]));
        let list = CpuList::parse("8,0-2,1-3").unwrap();
        assert_eq!(
            (list.len(), list.contains(3), list.contains(4)),
            (5, true, false)
        );
        assert_eq!(list.to_string(), "0-3,8");
    }

    #[test]
    fn damaged_lists_are_none_and_cost_nothing() {
        for text in [
            "x",
            "0-",
            "-3",
            "3-1",
            "0-4294967295",
            "8192",
            "0,8191-8192",
            "1 2",
            "1,,2",
        ] {
            assert_eq!(cpus(text), None, "{text}");
        }
        assert_eq!(cpus("0-8191").map(|cpus| cpus.len()), Some(8192));
    }

    #[test]
    fn the_order_of_the_parts_can_be_had() {
        let found: Vec<_> = parts("3,0-1,x").collect();
        assert_eq!(found, [Ok(3..=3), Ok(0..=1), Err("x")]);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(cpus in prop::collection::btree_set(0..MOST, 0..40)) {
            let list: CpuList = cpus.iter().copied().collect();
            let again = CpuList::parse(&list.to_string()).unwrap();
            prop_assert_eq!(again.iter().collect::<Vec<_>>(), cpus.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(again, list);
        }

        #[test]
        fn printing_what_was_read_keeps_it(text in "[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?){0,6}") {
            if let Some(list) = CpuList::parse(&text) {
                prop_assert_eq!(list.len(), list.iter().count());
                prop_assert_eq!(CpuList::parse(&list.to_string()), Some(list));
            }
        }

        #[test]
        fn any_text_is_bounded(text in "[-0-9, x]{0,200}") {
            if let Some(list) = CpuList::parse(&text) {
                prop_assert!(list.len() <= MOST as usize);
            }
        }
    }
}
