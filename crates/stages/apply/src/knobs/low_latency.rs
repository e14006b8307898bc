//! # bfq: favour interactive processes
//!
//! ## What it does
//! bfq gives more to processes that have just started, that wait for a person, or that need little at a steady pace. 0
//! shares by weight alone.
//!
//! ## Who should change it
//! Servers: what bfq takes for interactive there is often chance. The kernel document recommends 0 for throughput.
//!
//! ## Risk and how it is undone
//! Performance only; desktops feel it. The kernel makes 1 of every other number but 0. A switch to another scheduler
//! takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob low_latency=0
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "low_latency",
    since: "0.1.0",
    summary: "whether bfq gives more to processes that it takes for interactive",
    on: SubjectKind::Scheduler,
    attribute: "low_latency",
    class: Class::Fast,
    memory_ms: 10_000,
    risk: Risk::CostsLatency,
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
