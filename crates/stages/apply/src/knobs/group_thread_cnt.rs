//! # Threads that compute parity
//!
//! ## What it does
//! With 0 one kernel thread handles all stripes of a RAID 4, 5 or 6. With more, so many for each NUMA node share the work.
//!
//! ## Who should change it
//! Arrays of flash, where the thread `md0_raid5` fills one CPU before the disks are busy.
//!
//! ## Risk and how it is undone
//! Performance only; a write of it suspends the array for a moment. On few or slow disks several threads lose by
//! handing stripes about.
//!
//! ## Kernel versions
//! 3.12 and newer, where the array has parity. The kernel takes 0 to 8192 (seen on Linux 6.1).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/md0 --rw randwrite --iodepth 64 --knob group_thread_cnt=0,4
//! ```
//!
//! ## Sources
//! - Linux `drivers/md/raid5.c`, `raid5_store_group_thread_cnt`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "group_thread_cnt",
    since: "0.1.0",
    summary: "how many threads compute an array's parity",
    on: SubjectKind::Md,
    attribute: "group_thread_cnt",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    turn: Some(44),
    load: "--rw randwrite",
    pointless: loads::of_writes,
    choices,
    rejects: |_, value| values::outside(value, 0..=8192, "threads"),
    ..Knob::PLAIN
};

/// One, and as many as leave the submitters half of the CPUs.
fn choices(array: &SubjectFiles) -> Vec<String> {
    let online = array.host().online_cpus();
    let half = online.map_or(1, |list| list.iter().count() / 2).clamp(1, 8);
    values::choices(&KNOB, array, &["0", &half.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_half_the_cpus() {
        crate::fixture::tries(&KNOB, "0", &["0", "1"], &["8193", "-1", "many"]);
    }
}
