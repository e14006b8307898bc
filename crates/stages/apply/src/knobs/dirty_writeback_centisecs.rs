//! # Wake-ups of writeback
//!
//! ## What it does
//! Writeback wakes up this often and writes out pages older than `vm.dirty_expire_centisecs`. 0 switches periodic
//! writeback off.
//!
//! ## Who should change it
//! Buffered writers whose disk sees a storm every few seconds: shorter pauses make smaller ones.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine. Longer pauses lose more at a power cut, and 0 keeps dirty pages for as long as there is
//! room for them. iodyno tries no longer one than it finds unless told to.
//!
//! ## Kernel versions
//! All.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob vm.dirty_writeback_centisecs=100
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`; `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirty_writeback_centisecs",
    since: "0.1.0",
    summary: "how often the kernel looks for old dirty pages, hundredths of a second",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirty_writeback_centisecs",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices: |kernel| values::choices_up_to_now(&KNOB, kernel, &["100", "500"]),
    rejects: |_, value| values::outside(value, 0..=360_000, "hundredths of a second"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "500", &["500", "100"], &["-1", "1s", ""]);
    }
}
