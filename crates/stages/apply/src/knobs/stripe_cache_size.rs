//! # Stripes an array with parity keeps in memory
//!
//! ## What it does
//! Bounds how many stripes of a RAID 4, 5 or 6 are in work or remembered at a time. A write that finds its stripe's other
//! parts there needs no reading, and neighbouring small writes meet before the parity is computed.
//!
//! ## Who should change it
//! Arrays with parity that are written sequentially or with much in flight: 4096 and more often gives a multiple of 256,
//! the kernel's default for small machines and large ones alike.
//!
//! ## Risk and how it is undone
//! Memory that nothing else can have: the number × 4 KiB × members, so 8192 of 8 disks hold 256 MiB. Back at once.
//!
//! ## Kernel versions
//! 2.6.13 and newer, where the array has parity. The kernel takes 17 to 32768 and refuses others with EINVAL; it may also
//! grow the cache by itself (seen on Linux 6.1).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/md0 --rw randwrite --knob stripe_cache_size=256,4096
//! ```
//!
//! ## Sources
//! - Linux `drivers/md/raid5.c`, `raid5_set_cache_size`; `Documentation/admin-guide/md.rst`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "stripe_cache_size",
    since: "0.1.0",
    summary: "how many stripes an array with parity keeps in memory",
    on: SubjectKind::Md,
    attribute: "stripe_cache_size",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::NeedsCare,
    turn: Some(42),
    disturbs: &["preread_bypass_threshold"],
    load: "--rw randwrite",
    pointless: loads::of_writes,
    choices: |array| values::choices(&KNOB, array, &["1024", "4096"]),
    rejects: |_, value| values::outside(value, 17..=32768, "stripes"),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_more_and_takes_what_the_kernel_takes() {
        let tries = crate::fixture::tries;
        tries(&KNOB, "256", &["256", "1024", "4096"], &["16", "32769"]);
        tries(&KNOB, "4096", &["4096", "1024"], &["0"]);
    }
}
