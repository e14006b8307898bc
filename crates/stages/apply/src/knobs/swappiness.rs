//! # Swapping or dropping pages
//!
//! ## What it does
//! How dear the kernel reckons the reading back of file pages against that of swapped ones: 100 is the same, less keeps
//! programs in memory and drops file pages first, more keeps file pages.
//!
//! ## Who should change it
//! Databases and virtual machines whose memory goes to swap while the page cache is large: 1 to 10. Machines that swap to
//! zram or a fast disk: 100 and more.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine; control groups may have their own. 0 swaps only when free and file pages together are
//! nearly used up.
//!
//! ## Kernel versions
//! All; values above 100 since 5.8.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --direct 0 --budget 30m --knob vm.swappiness=1,60
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`; `mm/vmscan.c`, `get_scan_count`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "swappiness",
    since: "0.1.0",
    summary: "whether the kernel rather swaps out programs or drops file pages",
    on: SubjectKind::Sysctl,
    attribute: "vm/swappiness",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    refusals: &[(libc::EINVAL, "kernels before 5.8 take 100 at most")],
    load: "--direct 0 --budget 20m",
    pointless,
    choices: |files| values::choices(&KNOB, files, &["1", "60", "100"]),
    rejects,
    ..Knob::PLAIN
};

fn rejects(_: &SubjectFiles, value: &str) -> Option<String> {
    values::outside(value, 0..=200, "points")
}

fn pointless(kernel: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    loads::through_the_page_cache(kernel, job, named).or_else(|| values::no_swap(kernel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::files;
    use model::subject::Subject;

    #[test]
    fn tries_what_differs_from_its_own() {
        let subject = Subject::Sysctl;
        let files = files(subject, &[(KNOB.attribute, "60")]);
        assert_eq!((KNOB.choices)(&files), ["60", "1", "100"]);
        for value in ["201", "-1", "x", ""] {
            assert!((KNOB.rejects)(&files, value).is_some(), "{value}");
        }
    }

    #[test]
    fn is_pointless_without_swap() {
        let kernel = files(Subject::Sysctl, &[(KNOB.attribute, "60")]);
        let job = Job {
            direct: false,
            ..Job::default()
        };
        assert!(pointless(&kernel, &job, &[]).unwrap().contains("no swap"));
    }
}
