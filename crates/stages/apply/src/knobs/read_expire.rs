//! # mq-deadline: deadline of reads
//!
//! ## What it does
//! A read that has waited for this many ms is sent before all that only come next by sector.
//!
//! ## Who should change it
//! Loads whose reads wait behind writes or behind other readers: a short deadline shortens the longest waits and makes
//! more seeks.
//!
//! ## Risk and how it is undone
//! Performance only. The kernel keeps it in ticks: with 250 a second, 7 ms become 8 (seen on Linux 6.18), and iodyno
//! refuses to call that 7. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 2.6.12 and newer; mq-deadline 4.11 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob read_expire=100
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "read_expire",
    since: "0.1.0",
    summary: "how long a read may wait in mq-deadline before it goes first, ms",
    on: SubjectKind::Scheduler,
    attribute: "read_expire",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    pointless: loads::of_reads,
    choices: |files| values::choices(&KNOB, files, &["100", "500"]),
    rejects: |_, value| values::outside(value, 0..=3_600_000, "ms"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "500", &["500", "100"], &["-1", "3600001", "x", ""]);
    }
}
