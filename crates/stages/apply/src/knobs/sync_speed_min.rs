//! # Least that a rebuild takes
//!
//! ## What it does
//! The KiB/s per member up to which an array's rebuild, check or reshape goes on whoever else uses the disks. `system` means that
//! `dev.raid.speed_limit_min` decides, 1000 by default.
//!
//! ## Who should change it
//! Arrays that are always in use and whose rebuild would take weeks: a higher limit ends it sooner and slows the others
//! down. A lower one gives way to them.
//!
//! ## Risk and how it is undone
//! A high limit costs everybody's latency while the rebuild runs; a low one leaves the array without its redundancy for
//! longer. Back at once.
//!
//! ## Kernel versions
//! 2.6.17 and newer. The file prints `1000 (system)` or `5000 (local)`, and takes `system` or a number; iodyno reads what can be
//! written.
//!
//! ## Example
//! ```text
//! iodyno tune /dev/md0 --rw randread --budget 20m --knob sync_speed_min=50000
//! ```
//!
//! ## Sources
//! - Linux `drivers/md/md.c`, `md_do_sync`, `sync_min_store`; `Documentation/admin-guide/md.rst`

use super::sync_speed_max::{pointless, rejects};
use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "sync_speed_min",
    since: "0.1.0",
    summary: "the KiB/s up to which an array's rebuild gives way to nobody",
    on: SubjectKind::Md,
    attribute: "sync_speed_min",
    // As of the upper limit: the rebuild's speed is a mean over half a minute.
    class: Class::Slow,
    memory_ms: 30_000,
    risk: Risk::CostsLatency,
    pointless,
    choices: |array| values::choices(&KNOB, array, &["1000", "10000", "50000"]),
    rejects,
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_more_and_the_kernel_s_own() {
        let tries = crate::fixture::tries;
        tries(
            &KNOB,
            "1000 (system)",
            &["system", "1000", "10000", "50000"],
            &["0", "1k"],
        );
        tries(
            &KNOB,
            "10000 (local)",
            &["10000", "1000", "50000"],
            &["10000 (local)"],
        );
    }
}
