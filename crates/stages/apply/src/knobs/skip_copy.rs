//! # Whole pages written to an array without a copy
//!
//! ## What it does
//! Of a RAID 4, 5 or 6: with 1 the parity is computed from the writer's pages themselves where whole pages are written,
//! instead of from a copy in the stripe cache.
//!
//! ## Who should change it
//! Sequential writers of fast arrays, whose memory or CPU is full before the disks are.
//!
//! ## Risk and how it is undone
//! Pages under write have to keep still: who maps files into memory and writes them waits meanwhile, as with checksums. A
//! write of it suspends the array for a moment.
//!
//! ## Kernel versions
//! 3.16 and newer, where the array has parity. The kernel makes 1 of every other number (seen on Linux 6.1).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/md0 --rw write --bs 1m --knob skip_copy
//! ```
//!
//! ## Sources
//! - Linux `drivers/md/raid5.c`, `raid5_store_skip_copy`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "skip_copy",
    since: "0.1.0",
    summary: "whether whole pages written to an array are not copied",
    on: SubjectKind::Md,
    attribute: "skip_copy",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--rw write --bs 1m",
    pointless: loads::of_writes,
    choices: |array| values::choices(&KNOB, array, &["0", "1"]),
    rejects: |_, value| values::not_one_of(value, &["0", "1"]),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_on_or_off() {
        crate::fixture::tries(&KNOB, "0", &["0", "1"], &["2", "yes"]);
    }
}
