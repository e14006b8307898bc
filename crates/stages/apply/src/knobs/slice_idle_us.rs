//! # bfq: waiting for the next request of a process
//!
//! Also: `slice_idle`.
//!
//! ## What it does
//! After the last request of a process bfq keeps the device idle for this many µs, in case the same process sends the
//! next one. On a spinning disk this saves seeks and keeps shares fair. 0 never waits.
//!
//! ## Who should change it
//! Flash, arrays and cloud volumes with bfq whose users are in different control groups, as containers and services are:
//! bfq then idles for the shares of each, and 8 ms of idling are a hundred I/Os of 80 µs. Between processes of one group
//! no gain showed, on flash or on a spinning disk without seeks (an emulated one, Linux 6.1). While `low_latency` is on, bfq
//! favours new processes for seconds, and a tune may find that the effect depends on the phase of the run.
//!
//! ## Risk and how it is undone
//! Performance and fairness: without idling bfq guarantees shares and latencies less well. `slice_idle` is the same value
//! in whole ms; iodyno changes the finer one. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! 4.12 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --metric device_iops --knob slice_idle_us=0
//! ```
//!
//! ## Sources
//! - Linux `block/bfq-iosched.c`, `bfq_better_to_idle`; `Documentation/block/bfq-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "slice_idle_us",
    since: "0.1.0",
    summary: "how long bfq keeps the device idle for the next request of a process, µs",
    on: SubjectKind::Scheduler,
    attribute: "slice_idle_us",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["8000", "0"]),
    rejects: |_, value| values::outside(value, 0..=1_000_000, "µs"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "8000", &["8000", "0"], &["-1", "1000001", "x", ""]);
    }
}
