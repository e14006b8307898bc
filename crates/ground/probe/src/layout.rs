//! How the programs number devices, directions, layers and counters: the reader's side of `bpf/layers.h`.

use model::histogram::BUCKETS;
use model::layers::{LayerSide, Span};

/// Devices at most.
pub const DEVICES_MAX: usize = 16;

/// Counters by their number, with the name under which they are shown. The C names are the same in capitals.
pub const COUNTERS: [&str; 15] = [
    "queued",
    "issued",
    "merged",
    "split",
    "requeued",
    "errored",
    "dropped",
    "at_attach",
    "unmatched",
    "untimed",
    "partial",
    "unwalked",
    "commands",
    "backwards",
    "again",
];

/// Spans by their number.
pub const SPANS: [Span; 7] = Span::ALL;
/// Directions by their number.
pub const SIDES: [LayerSide; 4] = LayerSide::ALL;

/// The key of a histogram.
pub fn key(slot: usize, side: usize, span: usize) -> u32 {
    ((slot * SIDES.len() + side) * SPANS.len() + span) as u32
}

/// Histograms needed for so many devices.
pub fn histograms(devices: usize) -> u32 {
    (devices * SIDES.len() * SPANS.len()) as u32
}

/// One CPU's histogram.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Counts(pub [u64; BUCKETS]);

/// One CPU's counters of a device.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct CounterValues(pub [u64; COUNTERS.len()]);

#[allow(unsafe_code, reason = "aya reads map values as plain bytes")]
mod plain {
    // SAFETY: an array of integers has no padding, no pointer, and every bit pattern is a value of it.
    unsafe impl aya::Pod for super::Counts {}
    // SAFETY: the same.
    unsafe impl aya::Pod for super::CounterValues {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = include_str!("../bpf/layers.h");

    /// The last of each enum is how many there are.
    const TOTALS: [&str; 3] = ["DIRECTIONS", "LAYERS", "COUNTERS"];

    /// The names in an enum of the header, without those that only count them.
    fn names(of: &str) -> Vec<String> {
        let body = HEADER
            .split_once(&format!("enum {of} {{"))
            .unwrap()
            .1
            .split_once("};")
            .unwrap()
            .0;
        let without_comments = body
            .lines()
            .map(|line| line.split("/*").next().unwrap())
            .collect::<String>();
        let words = without_comments
            .split(',')
            .map(|word| word.trim().to_string());
        words
            .filter(|word| {
                !word.is_empty() && !word.contains('=') && !TOTALS.contains(&word.as_str())
            })
            .collect()
    }

    #[test]
    fn numbers_are_those_of_the_programs() {
        assert_eq!(names("counter"), COUNTERS.map(str::to_uppercase));
        assert_eq!(names("layer"), SPANS.map(|span| span.name().to_string()));
        let sides = SIDES.map(|side| format!("DIR_{}", side.name().to_uppercase()));
        assert_eq!(names("direction"), sides);
        assert!(HEADER.contains(&format!("#define DEVICES_MAX {DEVICES_MAX}\n")));
    }

    #[test]
    fn keys_are_dense() {
        assert_eq!(key(0, 0, 0), 0);
        assert_eq!(key(1, 3, 6) + 1, histograms(2));
    }
}
