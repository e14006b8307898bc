//! # mq-deadline: requests in one batch
//!
//! ## What it does
//! mq-deadline sends requests in the order of their sectors, this many in a row, before it looks whether another has
//! waited past its deadline. Long batches make long sweeps over a spinning disk.
//!
//! ## Who should change it
//! Flash and arrays, where the order of sectors gains nothing: 1 shortens the longest waits. Spinning disks under
//! throughput loads may gain from 32 and more.
//!
//! ## Risk and how it is undone
//! Performance only: long batches make others wait. A switch to another scheduler takes it away, and back gives the
//! default.
//!
//! ## Kernel versions
//! 2.6.12 and newer; mq-deadline 4.11 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob fifo_batch=1,64
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "fifo_batch",
    since: "0.1.0",
    summary: "how many requests mq-deadline sends by sector before it looks at deadlines",
    on: SubjectKind::Scheduler,
    attribute: "fifo_batch",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["1", "16", "64"]),
    rejects: |_, value| values::outside(value, 0..=65_536, "requests"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "16", &["16", "1", "64"], &["-1", "65537", "x", ""]);
    }
}
