//! # bfq: deadline of asynchronous requests
//!
//! ## What it does
//! Writeback that has waited for this many ms goes before other writeback that is nearer.
//!
//! ## Who should change it
//! Buffered writers on a spinning disk whose slowest writes wait long.
//!
//! ## Risk and how it is undone
//! Performance only. The kernel keeps it in ticks: with 250 a second, 7 ms become 8 (seen on Linux 6.18), and iodyno
//! refuses to call that 7. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --knob fifo_expire_async=120
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "fifo_expire_async",
    since: "0.1.0",
    summary: "how long an asynchronous request may wait in bfq before it goes first, ms",
    on: SubjectKind::Scheduler,
    attribute: "fifo_expire_async",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--direct 0 --rw randwrite",
    pointless: loads::of_writes,
    choices: |files| values::choices(&KNOB, files, &["120", "240"]),
    rejects: |_, value| values::outside(value, 1..=600_000, "ms"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "250", &["250", "120", "240"], &["0", "-1", "x", ""]);
    }
}
