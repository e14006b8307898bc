//! # bfq: price of a seek backwards
//!
//! ## What it does
//! A request behind the head counts as this many times as far away as one before it.
//!
//! ## Who should change it
//! Spinning disks alone; 1 treats both directions alike.
//!
//! ## Risk and how it is undone
//! Performance only. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --knob back_seek_penalty=1
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "back_seek_penalty",
    since: "0.1.0",
    summary: "how much dearer bfq reckons a seek backwards",
    on: SubjectKind::Scheduler,
    attribute: "back_seek_penalty",
    class: Class::Fast,
    risk: Risk::Safe,
    choices: |files| values::choices(&KNOB, files, &["1", "2"]),
    rejects: |_, value| values::outside(value, 1..=1_000, "times"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "2", &["2", "1"], &["0", "-1", "x", ""]);
    }
}
