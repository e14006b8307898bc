//! # How often whole stripes overtake those that must be read first
//!
//! ## What it does
//! Of a RAID 4, 5 or 6: how many times stripes that are written whole may go before one that has to be read first. With 0
//! they go in their order.
//!
//! ## Who should change it
//! Arrays where small writes beside sequential ones wait too long (lower), or where sequential writes should not wait for
//! them (higher).
//!
//! ## Risk and how it is undone
//! Performance only: what the one kind of write gains, the other waits.
//!
//! ## Kernel versions
//! 2.6.26 and newer, where the array has parity. EINVAL above `stripe_cache_size`; a cache that is made smaller leaves it
//! as it is (seen on Linux 6.1).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/md0 --rw randwrite --knob preread_bypass_threshold=0,1,16
//! ```
//!
//! ## Sources
//! - Linux `drivers/md/raid5.c`, `raid5_store_preread_threshold`; `Documentation/admin-guide/md.rst`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "preread_bypass_threshold",
    since: "0.1.0",
    summary: "how often whole stripes overtake those that must be read first",
    on: SubjectKind::Md,
    attribute: "preread_bypass_threshold",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--rw randwrite",
    pointless: loads::of_writes,
    choices: |array| values::choices(&KNOB, array, &["0", "1", "16"]),
    rejects,
    ..Knob::PLAIN
};

fn rejects(array: &SubjectFiles, value: &str) -> Option<String> {
    let most = array.number("stripe_cache_size").unwrap_or(32768);
    values::outside(value, 0..=most, "stripes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{any_subject, files};

    #[test]
    fn is_not_above_the_cache() {
        let cache = [(KNOB.attribute, "1"), ("stripe_cache_size", "256")];
        let array = files(any_subject(KNOB.on), &cache);
        assert_eq!((KNOB.choices)(&array), ["1", "0", "16"]);
        assert_eq!(rejects(&array, "256"), None);
        assert!(rejects(&array, "257").unwrap().contains("256"));
    }
}
