//! # bfq: one request at a time
//!
//! ## What it does
//! With 1 bfq idles for every process and lets one request at a time into the device, so that the device cannot reorder
//! them.
//!
//! ## Who should change it
//! Nobody for speed: it is for guarantees of bandwidth on devices that reorder unfairly. Whoever finds 1 should try 0.
//!
//! ## Risk and how it is undone
//! Performance only: 1 costs most of the throughput of a device with a queue. The kernel makes 1 of every other number
//! but 0. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --knob strict_guarantees=0
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "strict_guarantees",
    since: "0.1.0",
    summary: "whether bfq lets one request at a time into the device",
    on: SubjectKind::Scheduler,
    attribute: "strict_guarantees",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["0"]),
    rejects: |_, value| values::not_one_of(value, &["0", "1"]),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "1", &["1", "0"], &["2", "-1", "yes", ""]);
    }
}
