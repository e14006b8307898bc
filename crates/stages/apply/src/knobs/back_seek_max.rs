//! # bfq: longest seek backwards
//!
//! ## What it does
//! A request up to this many KiB behind the head still counts as near, so bfq may go back for it.
//!
//! ## Who should change it
//! Spinning disks alone; flash does not move.
//!
//! ## Risk and how it is undone
//! Performance only. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --knob back_seek_max=0,65536
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "back_seek_max",
    since: "0.1.0",
    summary: "how far back bfq goes for a near request, KiB",
    on: SubjectKind::Scheduler,
    attribute: "back_seek_max",
    class: Class::Fast,
    risk: Risk::Safe,
    choices: |files| values::choices(&KNOB, files, &["0", "16384", "65536"]),
    rejects: |_, value| values::outside(value, 0..=2_147_483_647, "KiB"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "16384", &["16384", "0", "65536"], &["-1", "x", ""]);
    }
}
