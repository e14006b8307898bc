//! # Where a request is completed
//!
//! ## What it does
//! 0: on the CPU that took the interrupt. 1: on a CPU that shares a cache with the submitter. 2: on the very CPU that
//! submitted.
//!
//! ## Who should change it
//! Anyone at some hundred thousand I/Os a second, where either the CPU that takes the interrupts is full (2 spreads the
//! work) or the messages between CPUs are the cost (0 saves them).
//!
//! ## Risk and how it is undone
//! Safe; takes effect with the next completion.
//!
//! ## Kernel versions
//! All current ones; 2 since 3.1. Other numbers are taken without an error and masked (3 became 2 on Linux 6.18).
//!
//! ## Example
//! ```text
//! iodyno tune /dev/nvme0n1 --knob rq_affinity
//! ```
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`, `queue_rq_affinity_store`; commits c7c22e4d5c1f and 5757a6d76c

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "rq_affinity",
    since: "0.1.0",
    summary: "which CPU completes a request",
    on: SubjectKind::Queue,
    attribute: "rq_affinity",
    class: Class::Fast,
    risk: Risk::Safe,
    turn: Some(70),
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

/// The interrupts of a job that is bound to one CPU may come to another, so all CPUs of the machine count.
fn pointless(queue: &SubjectFiles, _: &Job, _: &[String]) -> Option<String> {
    let is_alone = queue.host().online_cpus()?.iter().count() < 2;
    is_alone.then(|| "there is one CPU only".into())
}

fn choices(queue: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, queue, &VALUES)
}

fn rejects(_: &SubjectFiles, value: &str) -> Option<String> {
    values::not_one_of(value, &VALUES)
}

const VALUES: [&str; 3] = ["0", "1", "2"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{queue, sda};
    use host::{Archive, Host};

    #[test]
    fn has_three_values() {
        let found = queue(&[("rq_affinity", "1")]);
        assert_eq!(choices(&found), ["1", "0", "2"]);
        assert!(rejects(&found, "3").is_some());
        assert!(choices(&queue(&[])).is_empty());
    }

    #[test]
    fn one_cpu_completes_everything_itself() {
        let on = |cpus: &str| {
            let text = format!(
                "iodyno-host 1\npath: /sys/block/sda/queue/rq_affinity\nlines: 1\n1\n\
                 path: /sys/devices/system/cpu/online\nlines: 1\n{cpus}\n"
            );
            let host = Host::from_archive(Archive::parse(&text).unwrap());
            let found = SubjectFiles::of(&host, sda()).unwrap();
            pointless(&found, &Job::default(), &[])
        };
        assert!(on("0").is_some());
        assert!(on("0-1").is_none());
    }
}
