//! # Strict share of dirty pages
//!
//! ## What it does
//! Holds those who write to this device to its share of dirty pages (`max_ratio`) at all times, also while the machine as
//! a whole is below its background limit. With 0 the share counts only above that.
//!
//! ## Who should change it
//! Slow devices beside fast ones (USB, NFS, loop devices), together with a small `max_ratio`: their dirty pages then
//! never fill the limit. FUSE sets it for itself.
//!
//! ## Risk and how it is undone
//! Performance only: writers of this device wait earlier, most of all at the start, while its share is still small. With
//! `max_ratio` at 100 it does nothing.
//!
//! ## Kernel versions
//! 6.2 and newer. Other values than 0 and 1 are refused with EINVAL.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --direct 0 --budget 20m --knob strict_limit=1
//! ```
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-class-bdi`; `mm/page-writeback.c`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "strict_limit",
    since: "0.1.0",
    summary: "whether writers of one device are held to its share of dirty pages at all times",
    on: SubjectKind::Bdi,
    attribute: "strict_limit",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    load: "--direct 0 --rw randwrite --budget 20m",
    pointless,
    choices: |files| values::choices(&KNOB, files, &["0", "1"]),
    rejects: |_, value| values::not_one_of(value, &["0", "1"]),
    ..Knob::PLAIN
};

fn pointless(bdi: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let whole = bdi.number("max_ratio") == Some(100);
    let no_share = || whole.then(|| "max_ratio is 100, so there is no share to hold it to".into());
    loads::of_buffered_writes(bdi, job, named).or_else(no_share)
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
        let files = files(subject, &[(KNOB.attribute, "0")]);
        assert_eq!((KNOB.choices)(&files), ["0", "1"]);
        for value in ["2", "-1", "yes", ""] {
            assert!((KNOB.rejects)(&files, value).is_some(), "{value}");
        }
    }

    #[test]
    fn needs_a_share() {
        let bdi = |share| {
            let subject = Subject::Bdi {
                device: "sda".into(),
            };
            files(subject, &[(KNOB.attribute, "0"), ("max_ratio", share)])
        };
        let job = Job {
            direct: false,
            rw: model::job::Rw::Randwrite,
            ..Job::default()
        };
        assert!(
            pointless(&bdi("100"), &job, &[])
                .unwrap()
                .contains("max_ratio")
        );
        assert_eq!(pointless(&bdi("10"), &job, &[]), None);
        assert!(pointless(&bdi("10"), &Job::default(), &[]).is_some());
    }
}
