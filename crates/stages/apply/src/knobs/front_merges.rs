//! # mq-deadline: merges at the front
//!
//! ## What it does
//! A new request can be joined to a waiting one that begins where it ends. This is rare, and each new request is looked
//! up for it; 0 does not look.
//!
//! ## Who should change it
//! Loads of small random I/O at high rates, where the look costs CPU time and finds nothing.
//!
//! ## Risk and how it is undone
//! Performance only. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 2.6.12 and newer; mq-deadline 4.11 and newer. The kernel makes 1 of every other number but 0.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --iodepth 64 --knob front_merges=0
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "front_merges",
    since: "0.1.0",
    summary: "whether a request is joined to one that begins where it ends",
    on: SubjectKind::Scheduler,
    attribute: "front_merges",
    class: Class::Fast,
    risk: Risk::Safe,
    choices: |files| values::choices(&KNOB, files, &["1", "0"]),
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
