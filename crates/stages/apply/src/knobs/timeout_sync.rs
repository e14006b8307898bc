//! # bfq: longest turn of a process
//!
//! ## What it does
//! A process has the device for this many ms at most before it is the turn of the next.
//!
//! ## Who should change it
//! Disks shared by sequential readers: long turns make fewer seeks, short ones shorter waits.
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
//! iodyno tune /srv --rw read --knob timeout_sync=500
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "timeout_sync",
    since: "0.1.0",
    summary: "how long one process may have the device in bfq, ms",
    on: SubjectKind::Scheduler,
    attribute: "timeout_sync",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["120", "500"]),
    rejects: |_, value| values::outside(value, 1..=600_000, "ms"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "124", &["124", "120", "500"], &["0", "-1", "x", ""]);
    }
}
