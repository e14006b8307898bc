//! # Background writeback
//!
//! ## What it does
//! How many bytes of dirty pages the machine holds before the kernel begins to write them out in the background. 0
//! means that `vm.dirty_background_ratio` decides, a share of the memory that is free for pages: on a machine with 256
//! GiB its default of 10 % lets some 25 GiB gather first, which a disk then writes in one long storm.
//!
//! ## Who should change it
//! Machines with much memory and buffered writers: a small value keeps the disk busy early and evenly, and reads and
//! fsync wait less behind a storm. Too small a value writes pages that would have been overwritten soon.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine, on every disk and container. A value at or above `vm.dirty_bytes` counts as half of it.
//! The ratio is set to 0 by the kernel meanwhile; iodyno saves both and puts back the one that was in force. 0 itself
//! cannot be written (EINVAL): the ratio is written in its place.
//!
//! ## Kernel versions
//! 2.6.29 and newer. On Linux 6.18 the least value is 1, and the kernel rounds it to pages.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob vm.dirty_background_bytes=67108864,268435456
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `dirty_background_bytes_handler` and `domain_dirty_limits`
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirty_background_bytes",
    since: "0.1.0",
    summary: "the dirty bytes above which the kernel writes out in the background",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirty_background_bytes",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    disturbs: &[RATIO],
    instead: Some(instead),
    refusals: &[(libc::EINVAL, NO_RATIO)],
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices,
    rejects,
    ..Knob::PLAIN
};

const RATIO: &str = "vm/dirty_background_ratio";
const NO_RATIO: &str = "the kernel refuses 0 here, and no vm.dirty_background_ratio was in force that could be set in its place";

/// 0 cannot be written: the ratio that was in force comes back, and the kernel sets the bytes to 0.
fn instead(value: &str, old: &dyn Fn(&str) -> Option<String>) -> Option<(&'static str, String)> {
    values::the_other_for_0(RATIO, value, old)
}

fn choices(kernel: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, kernel, &["67108864", "268435456"])
}

fn rejects(kernel: &SubjectFiles, value: &str) -> Option<String> {
    let limit = kernel.number("vm/dirty_bytes").filter(|bytes| *bytes > 0);
    match (value.parse::<u64>(), limit) {
        (Err(_), _) => Some("it is a whole number of bytes".into()),
        (Ok(bytes), Some(limit)) if bytes >= limit => Some(format!(
            "vm.dirty_bytes is {limit}, and the kernel would take half of that"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    fn kernel(bytes: &str, ratio: &str, limit: &str) -> SubjectFiles {
        files(
            Subject::Sysctl,
            &[
                (KNOB.attribute, bytes),
                (RATIO, ratio),
                ("vm/dirty_bytes", limit),
            ],
        )
    }

    #[test]
    fn tries_small_ones_below_the_limit() {
        assert_eq!(
            choices(&kernel("0", "10", "0")),
            ["0", "67108864", "268435456"]
        );
        assert_eq!(choices(&kernel("0", "10", "134217728")), ["0", "67108864"]);
    }

    #[test]
    fn the_ratio_is_written_in_place_of_0() {
        let old = |name: &str| (name == RATIO).then(|| "10".to_string());
        assert_eq!(instead("0", &old), Some((RATIO, "10".into())));
        assert_eq!(instead("67108864", &old), None);
        let none = |_: &str| Some("0".to_string());
        assert_eq!(
            instead("0", &none),
            None,
            "there was no ratio to go back to"
        );
    }

    #[test]
    fn refuses_what_the_kernel_would_make_something_else_of() {
        let kernel = kernel("4096", "0", "1048576");
        assert_eq!(
            rejects(&kernel, "0"),
            None,
            "in the middle of a tune it is the way back"
        );
        assert!(rejects(&kernel, "1048576").unwrap().contains("half"));
        assert!(rejects(&kernel, "64m").is_some());
        assert_eq!(rejects(&kernel, "65536"), None);
    }
}
