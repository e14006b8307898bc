//! # mq-deadline: patience of low priorities
//!
//! ## What it does
//! I/O of a lower priority class (ionice) waits while a higher one has any, and after this many ms it goes all the same.
//!
//! ## Who should change it
//! Machines that run backups or scrubs with ionice and mq-deadline, where those starve (shorter) or disturb (longer).
//!
//! ## Risk and how it is undone
//! Performance only. The kernel keeps it in ticks: with 250 a second, 7 ms become 8 (seen on Linux 6.18), and iodyno
//! refuses to call that 7. A switch to another scheduler takes it away, and back gives the default.
//!
//! ## Kernel versions
//! Seen on Linux 6.18; 4.x and early 5.x have none.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob prio_aging_expire=1000
//! ```
//!
//! ## Sources
//! - Linux `block/mq-deadline.c`; `Documentation/block/deadline-iosched.rst`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "prio_aging_expire",
    since: "0.1.0",
    summary: "how long low-priority I/O may be held back in mq-deadline, ms",
    on: SubjectKind::Scheduler,
    attribute: "prio_aging_expire",
    class: Class::Fast,
    memory_ms: 10_000,
    risk: Risk::CostsLatency,
    choices: |files| values::choices(&KNOB, files, &["1000", "10000"]),
    rejects: |_, value| values::outside(value, 0..=3_600_000, "ms"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "10000", &["10000", "1000"], &["-1", "x", ""]);
    }
}
