//! # kyber: aim for reads
//!
//! ## What it does
//! kyber lets fewer requests of other kinds through while reads take longer than this many ns.
//!
//! ## Who should change it
//! Fast devices with kyber where reads matter beside writes: a lower aim holds writes back more.
//!
//! ## Risk and how it is undone
//! Performance only: an aim below what the device can do throttles writes to very few. A switch to another scheduler
//! takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob read_lat_nsec=500000
//! ```
//!
//! ## Sources
//! - Linux `block/kyber-iosched.c`; `Documentation/block/kyber-iosched.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "read_lat_nsec",
    since: "0.1.0",
    summary: "the read latency that kyber aims for, ns",
    on: SubjectKind::Scheduler,
    attribute: "read_lat_nsec",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    load: "--rw randrw",
    pointless: loads::mixed,
    choices: |files| values::choices(&KNOB, files, &["500000", "2000000", "8000000"]),
    rejects: |_, value| values::outside(value, 1..=60_000_000_000, "ns"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(
            &KNOB,
            "2000000",
            &["2000000", "500000", "8000000"],
            &["0", "-1", "x", ""],
        );
    }
}
