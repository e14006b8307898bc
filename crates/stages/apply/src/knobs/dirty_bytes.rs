//! # Limit of dirty pages
//!
//! ## What it does
//! How many bytes of dirty pages the machine holds before those who write are slowed down to the speed of the disks. 0
//! means that `vm.dirty_ratio` decides, a share of the memory that is free for pages. Writers are slowed down from halfway
//! between the background limit and this one.
//!
//! ## Who should change it
//! Machines with much memory on which one buffered writer (a copy, a backup, a container) fills gigabytes that every fsync
//! behind them then waits for. A limit of a second or two of the disk's speed keeps waits short; a large one absorbs bursts.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine, on every disk and container. A small limit slows bursts down to the disk's speed at once.
//! The ratio is set to 0 by the kernel meanwhile; iodyno saves both and puts back the one that was in force. 0 itself
//! cannot be written (EINVAL): the ratio is written in its place.
//!
//! ## Kernel versions
//! 2.6.29 and newer. The least value is two pages.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob vm.dirty_bytes=268435456,1073741824
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `dirty_bytes_handler` and `balance_dirty_pages`
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirty_bytes",
    since: "0.1.0",
    summary: "the dirty bytes above which writers are slowed down to the disk's speed",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirty_bytes",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    disturbs: &[RATIO],
    instead: Some(|value, old| values::the_other_for_0(RATIO, value, old)),
    refusals: &[(libc::EINVAL, NO_RATIO)],
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices: |kernel| values::choices(&KNOB, kernel, &["268435456", "1073741824"]),
    rejects,
    ..Knob::PLAIN
};

const RATIO: &str = "vm/dirty_ratio";
const NO_RATIO: &str =
    "the kernel refuses 0 here, and no vm.dirty_ratio was in force that could be set in its place";

fn rejects(kernel: &SubjectFiles, value: &str) -> Option<String> {
    if value == "0" {
        return None;
    }
    let background = kernel.number("vm/dirty_background_bytes").unwrap_or(0);
    match value.parse::<u64>() {
        Ok(bytes) if bytes <= background => Some(format!(
            "vm.dirty_background_bytes is {background}, and the kernel would take half of the limit for it"
        )),
        _ => values::outside(value, 2 * host::rights::page_bytes()..=MOST, "bytes"),
    }
}

/// A pebibyte is more than any machine's memory.
const MOST: u64 = 1 << 50;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    fn kernel(background: &str) -> SubjectFiles {
        let background = ("vm/dirty_background_bytes", background);
        files(Subject::Sysctl, &[(KNOB.attribute, "0"), background])
    }

    #[test]
    fn tries_limits_above_the_background() {
        let all = ["0", "268435456", "1073741824"];
        assert_eq!((KNOB.choices)(&kernel("0")), all);
        assert_eq!((KNOB.choices)(&kernel("268435456")), ["0", "1073741824"]);
    }

    #[test]
    fn refuses_what_the_kernel_would_make_something_else_of() {
        let kernel = kernel("1048576");
        for value in ["1048576", "4096", "64m", "-1"] {
            assert!(rejects(&kernel, value).is_some(), "{value}");
        }
        assert_eq!(rejects(&kernel, "2097152"), None);
        assert_eq!(rejects(&kernel, "0"), None, "it is the way back");
    }
}
