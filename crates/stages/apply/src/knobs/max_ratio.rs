//! # A device's share of dirty pages
//!
//! ## What it does
//! The largest share of the machine's dirty limit, in percent, that pages of one device may take. Above it the kernel
//! slows down those who write to this device, and only them. 100 lets one device fill the whole limit.
//!
//! ## Who should change it
//! Machines on which a slow device (USB, NFS, a loop device on a busy disk) is written to beside a fast one: its dirty
//! pages fill the limit, and then writers of the fast one wait for the slow one. A small share of the slow device keeps
//! the others fast. For the device itself less is seldom faster.
//!
//! ## Risk and how it is undone
//! Performance only: writers of this device are slowed down earlier. Since Linux 6.3 the kernel keeps the share to the
//! ten-thousandth of a percent (`max_ratio_fine`); iodyno saves and puts back both. A device that is attached anew begins
//! with 100.
//!
//! ## Kernel versions
//! 2.6.24 and newer. A value below `min_ratio` is refused with EINVAL.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob max_ratio=100,10
//! ```
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-class-bdi`; `mm/page-writeback.c`, `bdi_set_max_ratio`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "max_ratio",
    since: "0.1.0",
    summary: "the share of the dirty limit that pages of one device may take",
    on: SubjectKind::Bdi,
    attribute: "max_ratio",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    disturbs: &["max_ratio_fine"],
    refusals: &[(libc::EINVAL, "it is below the device's min_ratio")],
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless: loads::of_buffered_writes,
    choices,
    rejects,
    ..Knob::PLAIN
};

fn choices(bdi: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, bdi, &["100", "50", "10"])
}

fn rejects(bdi: &SubjectFiles, value: &str) -> Option<String> {
    let least = bdi.number("min_ratio").unwrap_or(0);
    match value.parse::<u64>() {
        Ok(share) if share < least => Some(format!("min_ratio is {least}")),
        _ => values::outside(value, 0..=100, "percent"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    fn bdi(share: &str, least: &str) -> SubjectFiles {
        let device = "sda".to_string();
        files(
            Subject::Bdi { device },
            &[(KNOB.attribute, share), ("min_ratio", least)],
        )
    }

    #[test]
    fn tries_smaller_shares() {
        assert_eq!(choices(&bdi("100", "0")), ["100", "50", "10"]);
        assert_eq!(choices(&bdi("30", "20")), ["30", "100", "50"]);
    }

    #[test]
    fn refuses_what_the_kernel_refuses() {
        let bdi = bdi("100", "20");
        assert!(rejects(&bdi, "10").unwrap().contains("min_ratio is 20"));
        for value in ["101", "1.5", "-1", ""] {
            assert!(rejects(&bdi, value).is_some(), "{value}");
        }
        assert_eq!(rejects(&bdi, "20"), None);
    }
}
