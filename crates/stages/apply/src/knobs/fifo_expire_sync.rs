//! # bfq: deadline of synchronous requests
//!
//! ## What it does
//! A read or synced write of a process that has waited for this many ms goes before others of the same process that are
//! nearer.
//!
//! ## Who should change it
//! Processes with many requests in flight on a spinning disk, whose slowest wait long.
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
//! iodyno tune /srv --rw randread --iodepth 64 --knob fifo_expire_sync=40
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "fifo_expire_sync",
    since: "0.1.0",
    summary: "how long a synchronous request may wait in bfq before it goes first, ms",
    on: SubjectKind::Scheduler,
    attribute: "fifo_expire_sync",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["40", "120"]),
    rejects: |_, value| values::outside(value, 1..=600_000, "ms"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "125", &["125", "40", "120"], &["0", "-1", "x", ""]);
    }
}
