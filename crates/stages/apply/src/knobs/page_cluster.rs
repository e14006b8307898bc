//! # Read-ahead of swapped pages
//!
//! ## What it does
//! How many pages are read together when one swapped page is needed, as a power of two: 3 reads 8 of them, 0 reads the one alone.
//!
//! ## Who should change it
//! Machines that swap to zram, to zswap or to a fast SSD: 0 or 1, since neighbours on the swap space are seldom wanted next. Hard
//! disks need what they have.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine and only on what is swapped. Back at once.
//!
//! ## Kernel versions
//! All. Above 31 the kernel refuses (since 6.4; EINVAL); iodyno writes at most 8, a mebibyte.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command ./bench.sh --metric-regex '([0-9.]+) ops/s' --budget 15m --knob vm.page-cluster=0
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`; `mm/swap_state.c`, `swapin_nr_pages`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "page_cluster",
    since: "0.1.0",
    summary: "how many swapped pages are read together, as a power of two",
    on: SubjectKind::Sysctl,
    attribute: "vm/page-cluster",
    class: Class::Learned,
    risk: Risk::Safe,
    load: "--command COMMAND",
    pointless,
    choices: |kernel| values::choices(&KNOB, kernel, &["0", "3"]),
    rejects: |_, value| values::outside(value, 0..=8, "powers of two"),
    ..Knob::PLAIN
};

fn pointless(kernel: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let is_own = job.ioengine != "command";
    let own = is_own.then(|| "this load's memory is too small to be swapped".into());
    own.or_else(|| values::no_swap(kernel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "3", &["3", "0"], &["9", "-1", ""]);
        tries(&KNOB, "0", &["0", "3"], &["x"]);
    }
}
