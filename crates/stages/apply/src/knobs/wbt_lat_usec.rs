//! # Writeback throttling
//!
//! ## What it does
//! Holds buffered writeback back while reads take longer than this many microseconds. 0 switches it off.
//!
//! ## Who should change it
//! Writers whose buffered throughput is low while the device has room (try 0), and readers who wait behind writeback
//! where it is off. Direct and synchronous writes are never throttled by it.
//!
//! ## Risk and how it is undone
//! May cost the latency of reads while it is off. The number comes back; a hidden mark does not: the kernel remembers
//! that the value was set by hand, and then no longer switches throttling off by itself when bfq is chosen (seen on
//! Linux 6.18: with a value written once, bfq shows that value instead of 0). Only a reboot clears the mark.
//!
//! ## Kernel versions
//! 4.10 and newer with CONFIG_BLK_WBT. Where it is not set up, reading fails with EINVAL, which is kept as its value.
//! The default is 2,000 for devices without rotation and 75,000 for those with; bfq switches it off.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --direct 0 --knob wbt_lat_usec=0,2000
//! ```
//!
//! ## Sources
//! - Linux `block/blk-wbt.c`, `wbt_should_throttle` and `wbt_default_latency_nsec`; `block/blk-sysfs.c`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "wbt_lat_usec",
    since: "0.1.0",
    summary: "the read latency above which buffered writeback is held back",
    on: SubjectKind::Queue,
    attribute: "wbt_lat_usec",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    turn: Some(30),
    load: "--direct 0 --rw randwrite",
    pointless: loads::of_buffered_writes,
    choices,
    rejects,
    ..Knob::PLAIN
};

fn choices(queue: &SubjectFiles) -> Vec<String> {
    let default = if queue.number("rotational") == Some(1) {
        "75000"
    } else {
        "2000"
    };
    values::choices(&KNOB, queue, &["0", default])
}

fn rejects(queue: &SubjectFiles, value: &str) -> Option<String> {
    if queue.text("wbt_lat_usec").is_none() {
        return Some("writeback throttling is not set up for it".into());
    }
    values::outside(value, 0..=MOST_US, "µs")
}

/// The kernel keeps it in ns of 64 bits; nobody waits for more than an hour.
const MOST_US: u64 = 3_600_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{queue, queue_with};
    use model::change::Attribute;

    #[test]
    fn tries_off_and_the_default() {
        let queue = queue(&[("wbt_lat_usec", "75000"), ("rotational", "1")]);
        assert_eq!(choices(&queue), ["75000", "0"]);
    }

    #[test]
    fn einval_is_a_value_and_leaves_nothing_to_try() {
        let queue = queue_with(&[("wbt_lat_usec", Attribute::Refused(22))]);
        assert!(choices(&queue).is_empty());
        assert!(rejects(&queue, "0").unwrap().contains("not set up"));
    }
}
