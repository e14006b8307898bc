//! # Share of memory before background writeback
//!
//! ## What it does
//! The share of available memory (free and reclaimable pages) that is dirty before the kernel begins to write it out in the
//! background, percent. 0 is read where `vm.dirty_background_bytes` decides.
//!
//! ## Who should change it
//! Machines with buffered writers whose disk sees storms: a smaller share keeps the disk busy early and evenly. On much memory one
//! percent is gigabytes: `dirty_background_bytes` is finer.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine, on every disk and container. A share at or above `vm.dirty_ratio` counts as half of it. The kernel sets
//! `vm.dirty_background_bytes` to 0 meanwhile; iodyno saves both and puts back the one that was in force.
//!
//! ## Kernel versions
//! All.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob vm.dirty_background_ratio=1,5
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `dirty_background_ratio_handler` and `domain_dirty_limits`
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirty_background_ratio",
    since: "0.1.0",
    summary: "the share of memory that is dirty when the kernel writes out in the background",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirty_background_ratio",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    disturbs: &[BYTES],
    instead: Some(|value, old| values::the_other_for_0(BYTES, value, old)),
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices: |kernel| values::choices(&KNOB, kernel, &["1", "5", "10"]),
    rejects,
    ..Knob::PLAIN
};

const BYTES: &str = "vm/dirty_background_bytes";

fn rejects(kernel: &SubjectFiles, value: &str) -> Option<String> {
    // The way back to the bytes that were in force.
    if value == "0" && kernel.text(KNOB.attribute)?.trim() == "0" {
        return None;
    }
    let limit = kernel.number("vm/dirty_ratio").filter(|share| *share > 0);
    match (value.parse::<u64>(), limit) {
        (Ok(share), Some(limit)) if share >= limit => Some(format!(
            "vm.dirty_ratio is {limit}, and the kernel would take half of that"
        )),
        _ => values::outside(value, 1..=100, "percent"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    fn kernel(share: &str, limit: &str) -> SubjectFiles {
        files(
            Subject::Sysctl,
            &[(KNOB.attribute, share), ("vm/dirty_ratio", limit)],
        )
    }

    #[test]
    fn tries_small_ones_below_the_limit() {
        assert_eq!((KNOB.choices)(&kernel("10", "20")), ["10", "1", "5"]);
        assert_eq!((KNOB.choices)(&kernel("0", "5")), ["0", "1"]);
    }

    #[test]
    fn refuses_what_the_kernel_would_make_something_else_of() {
        assert!(rejects(&kernel("10", "20"), "20").unwrap().contains("half"));
        assert!(rejects(&kernel("10", "20"), "0").is_some());
        assert_eq!(rejects(&kernel("0", "20"), "0"), None, "it is the way back");
    }
}
