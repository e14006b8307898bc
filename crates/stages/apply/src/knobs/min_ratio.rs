//! # Least share of dirty pages
//!
//! ## What it does
//! The share of the dirty limit, in percent, that pages of this device always have, however little it was written to
//! lately.
//!
//! ## Who should change it
//! A fast device whose writers are slowed down because slow devices have filled the limit: a small least share keeps room
//! for it.
//!
//! ## Risk and how it is undone
//! Performance only: what one device has for certain, the others have not. Since Linux 6.3 the kernel keeps the share to
//! the ten-thousandth of a percent (`min_ratio_fine`); iodyno saves and puts back both.
//!
//! ## Kernel versions
//! 2.6.24 and newer. EINVAL above `max_ratio`, and where all devices together would have 100 % or more.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob min_ratio=10
//! ```
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-class-bdi`; `mm/page-writeback.c`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "min_ratio",
    since: "0.1.0",
    summary: "the share of the dirty limit that pages of one device always have",
    on: SubjectKind::Bdi,
    attribute: "min_ratio",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    disturbs: &["min_ratio_fine"],
    refusals: &[(libc::EINVAL, TOO_MUCH)],
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices: |files| values::choices(&KNOB, files, &["0", "10"]),
    rejects,
    ..Knob::PLAIN
};

const TOO_MUCH: &str = "it is above max_ratio, or all devices together would have the whole limit";

fn rejects(bdi: &SubjectFiles, value: &str) -> Option<String> {
    let most = bdi.number("max_ratio").unwrap_or(100).min(99);
    values::outside(value, 0..=most, "percent")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    #[test]
    fn tries_what_differs_from_its_own() {
        let subject = Subject::Bdi {
            device: "sda".into(),
        };
        let files = files(subject, &[(KNOB.attribute, "0"), ("max_ratio", "50")]);
        assert_eq!((KNOB.choices)(&files), ["0", "10"]);
        for value in ["51", "-1", "1.5", ""] {
            assert!((KNOB.rejects)(&files, value).is_some(), "{value}");
        }
    }
}
