//! # bfq: largest turn of a process
//!
//! ## What it does
//! A process may have this many sectors served in one turn. 0 lets bfq learn the number from the speed of the device.
//!
//! ## Who should change it
//! Disks whose shared sequential readers get too little: a large budget makes fewer seeks. 0 is right for most.
//!
//! ## Risk and how it is undone
//! Performance only: large budgets make the others wait. A switch to another scheduler takes it away, and back gives the
//! default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw read --knob max_budget=65536
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "max_budget",
    since: "0.1.0",
    summary: "how many sectors one process may have in a turn of bfq; 0 is learned",
    on: SubjectKind::Scheduler,
    attribute: "max_budget",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["0", "65536"]),
    rejects: |_, value| values::outside(value, 0..=2_147_483_647, "sectors"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "0", &["0", "65536"], &["-1", "2147483648", "x", ""]);
    }
}
