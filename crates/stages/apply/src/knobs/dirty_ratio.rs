//! # Share of memory that may be dirty
//!
//! ## What it does
//! The share of available memory (free and reclaimable pages) that may be dirty before those who write are slowed down to
//! the speed of the disks, percent. 0 is read where `vm.dirty_bytes` decides. Writers are slowed down from halfway between the
//! background limit and this one.
//!
//! ## Who should change it
//! Machines on which one buffered writer fills gigabytes that every fsync behind them then waits for: 5 to 10. A large share
//! absorbs bursts. On much memory one percent is gigabytes: `dirty_bytes` is finer.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine, on every disk and container. What is dirty at a power cut is lost. The kernel sets `vm.dirty_bytes` to
//! 0 meanwhile; iodyno saves both and puts back the one that was in force. 0 itself is never set: nobody could write.
//!
//! ## Kernel versions
//! All.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob vm.dirty_ratio=5,40
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `dirty_ratio_handler` and `domain_dirty_limits`
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirty_ratio",
    since: "0.1.0",
    summary: "the share of memory that is dirty when writers are slowed down",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirty_ratio",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    disturbs: &[BYTES],
    instead: Some(|value, old| values::the_other_for_0(BYTES, value, old)),
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices: |kernel| values::choices(&KNOB, kernel, &["10", "20", "40"]),
    rejects,
    ..Knob::PLAIN
};

const BYTES: &str = "vm/dirty_bytes";

fn rejects(kernel: &SubjectFiles, value: &str) -> Option<String> {
    // The way back to the bytes that were in force.
    if value == "0" && kernel.text(KNOB.attribute)?.trim() == "0" {
        return None;
    }
    let background = kernel.number("vm/dirty_background_ratio").unwrap_or(0);
    match value.parse::<u64>() {
        Ok(share) if share > 0 && share <= background => Some(format!(
            "vm.dirty_background_ratio is {background}, and the kernel would take half of the limit for it"
        )),
        _ => values::outside(value, 1..=100, "percent"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    fn kernel(share: &str, background: &str) -> SubjectFiles {
        let background = ("vm/dirty_background_ratio", background);
        files(Subject::Sysctl, &[(KNOB.attribute, share), background])
    }

    #[test]
    fn tries_shares_above_the_background() {
        assert_eq!((KNOB.choices)(&kernel("20", "10")), ["20", "40"]);
        assert_eq!((KNOB.choices)(&kernel("20", "5")), ["20", "10", "40"]);
        assert_eq!((KNOB.choices)(&kernel("0", "0")), ["0", "10", "20", "40"]);
    }

    #[test]
    fn the_bytes_come_back_where_they_were_in_force() {
        let old = |name: &str| (name == BYTES).then(|| "268435456".to_string());
        let instead = KNOB.instead.unwrap();
        assert_eq!(instead("0", &old), Some((BYTES, "268435456".into())));
        assert_eq!(instead("40", &old), None);
    }

    #[test]
    fn nobody_is_kept_from_writing() {
        assert!(rejects(&kernel("20", "0"), "0").is_some());
        assert_eq!(rejects(&kernel("0", "0"), "0"), None, "it is the way back");
        for value in ["101", "10", "-1", "20%", ""] {
            assert!(rejects(&kernel("20", "10"), value).is_some(), "{value}");
        }
    }
}
