//! # mq-deadline: room for writes
//!
//! ## What it does
//! How many requests writes may hold in the scheduler. Reads may hold them all, so the rest is kept for them.
//!
//! ## Who should change it
//! Machines where readers wait for a free request while writeback holds them all: less leaves them more.
//!
//! ## Risk and how it is undone
//! Performance only: too little holds writes back. A write of `nr_requests` sets it anew, to as many (Linux 6.18). A
//! switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! mq-deadline 5.14 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --direct 0 --knob async_depth=16
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "async_depth",
    since: "0.1.0",
    summary: "how many requests writes may hold in mq-deadline",
    on: SubjectKind::Scheduler,
    attribute: "async_depth",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--rw randrw",
    pointless: loads::of_writes,
    choices: |files| values::choices(&KNOB, files, &["16", "64"]),
    rejects: |_, value| values::outside(value, 1..=65_536, "requests"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "192", &["192", "16", "64"], &["0", "-1", "x", ""]);
    }
}
