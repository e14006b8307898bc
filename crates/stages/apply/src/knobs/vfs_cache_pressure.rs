//! # Memory for names and inodes
//!
//! ## What it does
//! How readily the kernel gives up cached names and inodes when it needs memory: 100 is as readily as pages, 50 half so,
//! 200 twice so.
//!
//! ## Who should change it
//! Machines with millions of files, whose lookups go to the disk because their inodes were dropped: 50 keeps them for
//! longer.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine. 0 never gives them up, which can use up all memory; iodyno does not write it.
//!
//! ## Kernel versions
//! All.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --direct 0 --budget 30m --knob vm.vfs_cache_pressure=50
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`; `fs/super.c`, `super_cache_count`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "vfs_cache_pressure",
    since: "0.1.0",
    summary: "how readily the kernel drops cached names and inodes",
    on: SubjectKind::Sysctl,
    attribute: "vm/vfs_cache_pressure",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    load: "--direct 0 --budget 20m",
    pointless: loads::through_the_page_cache,
    choices: |files| values::choices(&KNOB, files, &["50", "100", "200"]),
    rejects: |_, value| values::outside(value, 1..=10_000, "percent"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "100", &["100", "50", "200"], &["0", "-1", "x", ""]);
    }
}
