//! # mq-deadline: deadline of writes
//!
//! ## What it does
//! A write that has waited for this many ms is sent before all that only come next by sector.
//!
//! ## Who should change it
//! Databases whose direct or synced writes wait behind many reads: the default of 5 s is long.
//!
//! ## Risk and how it is undone
//! Performance only: short deadlines take turns from reads. The kernel keeps it in ticks: with 250 a second, 7 ms become
//! 8 (seen on Linux 6.18), and iodyno refuses to call that 7. A switch to another scheduler takes it away, and back gives
//! the default.
//!
//! ## Kernel versions
//! 2.6.12 and newer; mq-deadline 4.11 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob write_expire=500
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "write_expire",
    since: "0.1.0",
    summary: "how long a write may wait in mq-deadline before it goes first, ms",
    on: SubjectKind::Scheduler,
    attribute: "write_expire",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--rw randrw",
    pointless: loads::of_writes,
    choices: |files| values::choices(&KNOB, files, &["500", "5000"]),
    rejects: |_, value| values::outside(value, 0..=3_600_000, "ms"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "5000", &["5000", "500"], &["-1", "3600001", "x", ""]);
    }
}
