//! # Age of dirty pages
//!
//! ## What it does
//! A page that has been dirty for this long is written out at the next wake-up of writeback, however few there are.
//!
//! ## Who should change it
//! Buffered writers whose disk sees storms: a shorter age spreads the writes. A longer one saves writes of pages that
//! change again.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine. A longer age loses more at a power cut: whatever was not synced. iodyno tries no longer one
//! than it finds unless told to.
//!
//! ## Kernel versions
//! All. 0 expires pages at once.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob vm.dirty_expire_centisecs=500
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`; `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirty_expire_centisecs",
    since: "0.1.0",
    summary: "how old a dirty page is when the kernel writes it out, hundredths of a second",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirty_expire_centisecs",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices: |kernel| values::choices_up_to_now(&KNOB, kernel, &["500", "1500", "3000"]),
    rejects: |_, value| values::outside(value, 0..=360_000, "hundredths of a second"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(
            &KNOB,
            "3000",
            &["3000", "500", "1500"],
            &["-1", "5s", "360001", ""],
        );
    }
}
