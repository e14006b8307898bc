//! # Most that a rebuild takes
//!
//! ## What it does
//! The KiB/s per member above which an array's rebuild, check or reshape pauses while anybody else uses the disks. `system` means
//! that `dev.raid.speed_limit_max` decides, 200000 by default.
//!
//! ## Who should change it
//! Arrays in service during a rebuild: a lower limit gives the disks back to their users, and the array stays without
//! its redundancy for longer.
//!
//! ## Risk and how it is undone
//! The longer a rebuild takes, the more likely another disk fails in it. Back at once; the rebuild goes on from where it is.
//!
//! ## Kernel versions
//! 2.6.17 and newer. The file prints `200000 (system)` or `5000 (local)`, and takes `system` or a number; iodyno reads what can be
//! written.
//!
//! ## Example
//! ```text
//! iodyno tune /dev/md0 --rw randread --budget 20m --knob sync_speed_max=10000
//! ```
//!
//! ## Sources
//! - Linux `drivers/md/md.c`, `md_do_sync`, `sync_max_store`; `Documentation/admin-guide/md.rst`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "sync_speed_max",
    since: "0.1.0",
    summary: "the KiB/s above which an array's rebuild gives way",
    on: SubjectKind::Md,
    attribute: "sync_speed_max",
    // The rebuild's speed is a mean over ten marks of 3 s each, so a switch is felt late.
    class: Class::Slow,
    memory_ms: 30_000,
    risk: Risk::NeedsCare,
    pointless,
    choices: |array| values::choices(&KNOB, array, &["10000", "50000"]),
    rejects,
    ..Knob::PLAIN
};

/// It acts while the array is busy with itself.
pub fn pointless(array: &SubjectFiles, _: &Job, _: &[String]) -> Option<String> {
    let action = array.text("sync_action")?;
    (action == "idle" || action == "frozen").then(|| "no rebuild or check is running".into())
}

/// Which values the kernel takes of both limits.
pub fn rejects(_: &SubjectFiles, value: &str) -> Option<String> {
    let outside = values::outside(value, 1..=100_000_000, "KiB/s")?;
    (value != "system").then(|| format!("{outside}, or `system`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{any_subject, files};

    fn array(values: &[(&str, &str)]) -> SubjectFiles {
        files(any_subject(SubjectKind::Md), values)
    }

    #[test]
    fn reads_what_can_be_written() {
        let choices = |text| (KNOB.choices)(&array(&[(KNOB.attribute, text)]));
        assert_eq!(choices("200000 (system)"), ["system", "10000", "50000"]);
        assert_eq!(choices("10000 (local)"), ["10000", "50000"]);
        for value in ["200000 (system)", "0", "-1", "local", ""] {
            assert!(rejects(&array(&[]), value).is_some(), "{value}");
        }
        assert_eq!(rejects(&array(&[]), "system"), None);
    }

    #[test]
    fn acts_while_the_array_is_busy_with_itself() {
        let why = |action| pointless(&array(&[("sync_action", action)]), &Job::default(), &[]);
        assert!(why("idle").unwrap().contains("no rebuild"));
        assert_eq!(why("recover"), None);
        assert_eq!(why("check"), None);
    }
}
