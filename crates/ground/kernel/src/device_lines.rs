//! Files of a control group that have one line for each device: `blkio.throttle.read_iops_device` of version 1 with
//! `8:16 500`, `io.max` of version 2 with `8:16 rbps=max wbps=max riops=500 wiops=max`.
//!
//! Tried on Linux 6.18 with the throttles of version 1: a device without a limit has no line. A limit of 0 stands there
//! where somebody wrote 4294967296 I/Os per second, of which the kernel keeps the lower 32 bits without an error.

use crate::devno::Devno;

/// The device that begins a line, and the words after it; none for a line of another form, such as `default 100`.
pub fn split(line: &str) -> Option<(Devno, &str)> {
    let (device, words) = line.trim().split_once(' ')?;
    Some((Devno::parse(device)?, words.trim()))
}

/// The words behind the number of a device, of each of its lines.
pub fn of(text: &str, device: Devno) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter_map(split);
    lines
        .filter(move |(number, _)| *number == device)
        .map(|(_, words)| words)
}

/// The keys and values of the words of version 2, `rbps=max riops=500`, in their order; other words are left out.
pub fn keyed(words: &str) -> impl Iterator<Item = (&str, &str)> {
    words
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_begins_with_its_device() {
        let of = |line| split(line).map(|(device, words)| (device.to_string(), words));
        assert_eq!(of("7:0 500\n"), Some(("7:0".into(), "500")));
        assert_eq!(
            of("8:16 rbps=max riops=5"),
            Some(("8:16".into(), "rbps=max riops=5"))
        );
        for other in ["default 100", "8:16", "", "Total 5"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn keys_have_values_in_their_order() {
        let keys: Vec<_> = keyed("rbps=max odd riops=500").collect();
        assert_eq!(keys, [("rbps", "max"), ("riops", "500")]);
    }

    proptest! {
        #[test]
        fn what_the_kernel_prints_is_read(major in any::<u32>(), minor in any::<u32>(), number in any::<u64>()) {
            let device = Devno { major, minor };
            let number = number.to_string();
            let line = format!("{device} {number}\n");
            prop_assert_eq!(split(&line), Some((device, number.as_str())));
            let line = format!("{device} riops={number} wiops=max");
            let first = split(&line).and_then(|(_, words)| keyed(words).next());
            prop_assert_eq!(first, Some(("riops", number.as_str())));
        }

        #[test]
        fn any_text_is_bounded(text in any::<String>()) {
            let words = split(&text).map_or("", |(_, words)| words);
            prop_assert!(keyed(words).count() <= text.len());
        }
    }
}
