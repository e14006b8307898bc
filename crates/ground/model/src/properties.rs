//! What holds for every size, time and histogram, not only for the ones that somebody thought of.

use crate::histogram::{BUCKETS, Histogram, bucket_of, edge_of};
use crate::units::{bytes, parse_bytes, parse_duration_ms, size_word, span_ms, span_word};
use proptest::prelude::*;

/// Sizes of every magnitude; half of them whole KiB, MiB, GiB or TiB.
fn size() -> impl Strategy<Value = u64> {
    prop_oneof![
        (any::<u64>(), 0..64u32).prop_map(|(bits, shift)| bits >> shift),
        (1..1024u64, 0..5u32).prop_map(|(number, rank)| number << (10 * rank)),
    ]
}

fn latencies_ns() -> impl Strategy<Value = Vec<u64>> {
    let one = (any::<u64>(), 0..64u32).prop_map(|(bits, shift)| bits >> shift);
    prop::collection::vec(one, 0..40)
}

fn histogram(latencies_ns: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    latencies_ns.iter().for_each(|ns| histogram.record(*ns));
    histogram
}

proptest! {
    #[test]
    fn a_size_word_means_its_size_to_the_byte(size in size()) {
        prop_assert_eq!(parse_bytes(&size_word(size)), Ok(size));
        prop_assert_eq!(parse_bytes(&size.to_string()), Ok(size));
    }

    #[test]
    fn a_size_for_people_is_right_in_its_three_digits(size in 0..1u64 << 49) {
        let printed = bytes(size as f64);
        let read = parse_bytes(&printed).map_err(|error| TestCaseError::fail(error.to_string()))?;
        // 1.00 may stand for anything from 0.995 to 1.005, and a part of a byte is none.
        prop_assert!(read.abs_diff(size) as f64 <= 0.005 * size as f64 + 1.0, "{} for {}", printed, size);
    }

    #[test]
    fn a_span_in_one_unit_is_read_as_it_was_printed(ms in 0..120_000u64) {
        let tolerance_ms = match ms { 0..1_000 => 0, 1_000..10_000 => 50, _ => 500 };
        let read = parse_duration_ms(&span_ms(ms)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(read.abs_diff(ms) <= tolerance_ms, "{} for {} ms", span_ms(ms), ms);
    }

    #[test]
    fn a_span_of_an_option_is_read_as_at_least_as_long(ms in 0..1u64 << 40) {
        let word = span_word(ms);
        prop_assert_eq!(parse_duration_ms(&word), Ok(ms.div_ceil(1_000) * 1_000), "{}", word);
    }

    #[test]
    fn no_text_is_too_strange_to_be_refused(text in any::<String>(), number in "[0-9.]{0,40}", unit in "[a-zA-Z %]{0,4}") {
        for text in [text, format!("{number}{unit}")] {
            let _ = (parse_bytes(&text), parse_duration_ms(&text), crate::units::parse_share(&text));
        }
    }

    #[test]
    fn a_latency_lies_in_its_bucket(ns in 0..1u64 << 34) {
        let bucket = bucket_of(ns);
        prop_assert!(edge_of(bucket) <= ns);
        prop_assert!(bucket + 1 == BUCKETS || ns < edge_of(bucket + 1));
    }

    #[test]
    fn what_came_since_is_what_was_merged(first in latencies_ns(), later in latencies_ns()) {
        let (before, after) = (histogram(&first), histogram(&later));
        let mut both = before.clone();
        both.merge(&after);
        prop_assert_eq!(both.since(&before), after.clone());
        prop_assert_eq!(both.total(), (first.len() + later.len()) as u64);
        let mut other_way_round = after;
        other_way_round.merge(&before);
        prop_assert_eq!(&both, &other_way_round);
        prop_assert_eq!(both, histogram(&[first, later].concat()));
    }

    #[test]
    fn a_quantile_is_the_bucket_of_the_completion_at_that_rank(mut all in latencies_ns(), share in 0.0..=1.0f64) {
        all.sort_unstable();
        let rank = ((share * all.len() as f64).ceil() as usize).max(1);
        let found = histogram(&all).quantile_ns(share).map(bucket_of);
        prop_assert_eq!(found, all.get(rank - 1).map(|ns| bucket_of(*ns)));
    }

    #[test]
    fn a_histogram_is_read_as_it_was_written(all in latencies_ns()) {
        let histogram = histogram(&all);
        let text = serde_json::to_string(&histogram).unwrap();
        prop_assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), histogram);
    }
}
