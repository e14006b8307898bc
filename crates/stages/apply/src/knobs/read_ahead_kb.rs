//! # Read-ahead
//!
//! ## What it does
//! How far ahead of a sequential reader the page cache reads, in KiB. Random buffered readers pay for every page they
//! do not use; sequential ones wait for every page that is not there yet.
//!
//! ## Who should change it
//! Databases that read buffered at random (about four times the size of their reads has been the best, not zero), and
//! streams from rotating disks or arrays, where more is better. O_DIRECT does not use it.
//!
//! ## Risk and how it is undone
//! May cost latency and memory while it is high. Each open file has its own copy, taken when it was opened: a change
//! reaches only files opened afterwards, and so does the way back.
//!
//! ## Kernel versions
//! All. The value is stored in pages: with 4 KiB pages 1 to 3 become 0, with 64 KiB pages everything below 64 does.
//! Writing `max_sectors_kb` or another limit recomputes it (16 became 256 on Linux 6.18), so it is written and restored
//! last. The default jumped on rotating devices in 6.17. btrfs, NFS and FUSE have a bdi of their own whose value
//! acts in its place.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --bs 4k --direct 0 --knob read_ahead_kb=0,16,128
//! ```
//!
//! ## Sources
//! - Linux `mm/readahead.c`, `file_ra_state_init`; `block/blk-sysfs.c`, `queue_ra_store`
//! - Linux commit 459779d04ae8, "block: Improve read ahead size for rotational devices"

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "read_ahead_kb",
    since: "0.1.0",
    summary: "how far the page cache reads ahead",
    on: SubjectKind::Queue,
    acts_without_requests: true,
    attribute: "read_ahead_kb",
    class: Class::Learned,
    risk: Risk::CostsLatency,
    turn: Some(200),
    load: "--direct 0 --rw read",
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

fn pointless(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    if job.direct {
        return Some("direct I/O does not use it".into());
    }
    (!job.rw.reads()).then(|| "the load does not read".into())
}

fn choices(queue: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, queue, &["0", "16", "128", "1024", "4096"])
}

fn rejects(_: &SubjectFiles, value: &str) -> Option<String> {
    let page_kib = host::rights::page_bytes() / 1024;
    match value.parse::<u64>() {
        Err(_) => Some("it is a whole number of KiB".into()),
        Ok(kib) if kib % page_kib != 0 => Some(format!(
            "the kernel stores pages of {page_kib} KiB and would round it to {}",
            kib / page_kib * page_kib
        )),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;

    #[test]
    fn only_whole_pages() {
        let queue = queue(&[("read_ahead_kb", "128")]);
        assert_eq!(choices(&queue).first().map(String::as_str), Some("128"));
        assert!(
            rejects(&queue, "3")
                .unwrap()
                .contains("would round it to 0")
        );
        assert_eq!(rejects(&queue, "128"), None);
    }

    #[test]
    fn is_pointless_for_direct_io_and_for_writers() {
        let queue = queue(&[("read_ahead_kb", "128")]);
        assert_eq!(
            pointless(&queue, &Job::default(), &[]).as_deref(),
            Some("direct I/O does not use it")
        );
        assert_eq!(
            pointless(
                &queue,
                &Job {
                    direct: false,
                    ..Job::default()
                },
                &[]
            ),
            None
        );
    }
}
