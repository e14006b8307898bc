//! # Whether the device spins
//!
//! ## What it does
//! What the kernel takes the device for. bfq idles less on a device that does not spin, writeback throttling aims at 2 ms
//! instead of 75, and btrfs mounts it with `ssd`.
//!
//! ## Who should change it
//! Virtual machines and arrays: many virtio disks and LUNs say 1 and are flash.
//!
//! ## Risk and how it is undone
//! Performance only. What looks at it once does not follow: a mounted btrfs, a throttling that is set up. The write makes
//! the kernel work out `read_ahead_kb` anew (16 became 128 on Linux 6.18); iodyno saves it and puts it back.
//!
//! ## Kernel versions
//! All.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randrw --knob rotational=0
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`; `Documentation/ABI/stable/sysfs-block`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "rotational",
    since: "0.1.0",
    summary: "whether the kernel takes the device for a spinning disk",
    on: SubjectKind::Queue,
    attribute: "rotational",
    class: Class::Learned,
    risk: Risk::Safe,
    disturbs: &["read_ahead_kb"],
    choices: |files| values::choices(&KNOB, files, &["0", "1"]),
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
