//! # Random numbers from the times of I/Os
//!
//! ## What it does
//! Each completion stirs the kernel's pool of random numbers; on fast devices it costs CPU time and adds little.
//!
//! ## Who should change it
//! Flash with high rates whose driver set it to 1. Most drivers of flash set 0 themselves.
//!
//! ## Risk and how it is undone
//! Performance only: the kernel has other sources of random numbers. The write makes the kernel work out `read_ahead_kb`
//! anew (16 became 2560 on Linux 6.18); iodyno saves it and puts it back.
//!
//! ## Kernel versions
//! 2.6.36 and newer.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --iodepth 64 --knob add_random=0
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`; `Documentation/ABI/stable/sysfs-block`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "add_random",
    since: "0.1.0",
    summary: "whether completions stir the pool of random numbers",
    on: SubjectKind::Queue,
    attribute: "add_random",
    class: Class::Fast,
    risk: Risk::Safe,
    disturbs: &["read_ahead_kb"],
    choices: |files| values::choices(&KNOB, files, &["0"]),
    rejects: |_, value| values::not_one_of(value, &["0", "1"]),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "1", &["1", "0"], &["2", "-1", ""]);
    }
}
