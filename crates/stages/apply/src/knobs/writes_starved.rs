//! # mq-deadline: reads before a write
//!
//! ## What it does
//! While reads wait, mq-deadline sends this many batches of them before one batch of writes.
//!
//! ## Who should change it
//! Loads of reads and writes together: 1 gives writes more, 8 gives reads more.
//!
//! ## Risk and how it is undone
//! Performance only: one side gains what the other loses, so judge by the side that matters. A switch to another
//! scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 2.6.12 and newer; mq-deadline 4.11 and newer. Linux 6.18 takes −1 as well, which means nothing; iodyno does not.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob writes_starved=1,8
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "writes_starved",
    since: "0.1.0",
    summary: "how many batches of reads go before a waiting write",
    on: SubjectKind::Scheduler,
    attribute: "writes_starved",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--rw randrw",
    pointless: loads::mixed,
    choices: |files| values::choices(&KNOB, files, &["1", "2", "8"]),
    rejects: |_, value| values::outside(value, 0..=65_536, "batches"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "2", &["2", "1", "8"], &["-1", "x", ""]);
    }
}
