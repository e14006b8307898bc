//! # Merging of neighbouring requests
//!
//! ## What it does
//! 0: neighbours are merged wherever they are found. 1: only the cheap look at the last request. 2: never.
//!
//! ## Who should change it
//! Purely random loads at very high rates, where looking for neighbours that are not there costs CPU. Sequential small
//! I/O needs merging.
//!
//! ## Risk and how it is undone
//! Safe; takes effect with the next request.
//!
//! ## Kernel versions
//! All current ones. Other numbers are taken without an error and masked (3 became 1 on Linux 6.18).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/nvme0n1 --rw randread --knob nomerges
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`, `queue_nomerges_store`; `Documentation/ABI/stable/sysfs-block`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "nomerges",
    since: "0.1.0",
    summary: "whether neighbouring requests are merged",
    on: SubjectKind::Queue,
    attribute: "nomerges",
    class: Class::Fast,
    risk: Risk::Safe,
    turn: Some(60),
    choices,
    rejects,
    ..Knob::PLAIN
};

fn choices(queue: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, queue, &VALUES)
}

fn rejects(_: &SubjectFiles, value: &str) -> Option<String> {
    values::not_one_of(value, &VALUES)
}

const VALUES: [&str; 3] = ["0", "1", "2"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;

    #[test]
    fn has_three_values() {
        assert_eq!(choices(&queue(&[("nomerges", "2")])), ["2", "0", "1"]);
        assert!(rejects(&queue(&[]), "7").is_some());
    }
}
