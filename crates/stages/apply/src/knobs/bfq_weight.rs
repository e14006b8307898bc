//! # Weight of a control group under bfq
//!
//! ## What it does
//! The share of one device that the scheduler bfq gives to a control group while others use it too: a group of weight 200
//! gets twice the device time of one of weight 100 beside it. `default` is no weight of its own for this device: then the
//! group's weight for all devices counts, 100 unless it was set. Alone, a group gets everything whatever its weight.
//!
//! ## Who should change it
//! Hosts with bfq on which one service has to stay quick beside others that read or write much. The weight of the
//! others lowered helps as much as its own raised. Buffered writes under version 1 are the root group's, and no weight but
//! that group's acts on them.
//!
//! bfq chooses among the requests that it has. With `nr_requests` 2, as behind a queue of one request, two groups of weights 100
//! and 400 at depth 16 got half each; with 64 they got 20 % and 80 % (Linux 5.10, 6.1 and 6.12). `iodyno limit DIR --containers 2
//! --weights 100,400` tells whether weights are kept on a disk.
//!
//! ## Risk and how it is undone
//! Performance only: what one group gains others lose. iodyno changes the weight for this device alone, and leaves the lines of
//! others and the group's general weight as they are. The kernel forgets weights by device when another scheduler is
//! chosen. The old value is in the journal; `iodyno undo` puts it back while the group is the one that it was.
//!
//! ## Kernel versions
//! Version 1, `blkio.bfq.weight_device`, and version 2, a line of `io.bfq.weight`: 5.4 and newer; 1 to 1000. A write is
//! refused (EOPNOTSUPP) while the device has another scheduler.
//!
//! ## Example
//! ```text
//! iodyno set scheduler=bfq /dev/sda
//! iodyno tune /dev/sda --ioengine none --knob bfq_weight@/system.slice/db.service=1000,default
//! ```
//!
//! ## Sources
//! - Linux `Documentation/block/bfq-iosched.rst`, BFQ group scheduling; `block/bfq-cgroup.c`, `bfq_io_set_device_weight`

use crate::{Knob, SubjectFiles, groups, values};
use kernel::device_settings::NO_WEIGHT;
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "bfq_weight",
    since: "0.1.0",
    summary: "the share of the disk that bfq gives to a control group",
    on: SubjectKind::Group,
    attribute: "bfq_weight",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    refusals: &[(libc::EOPNOTSUPP, "the disk has another scheduler than bfq")],
    load: "--ioengine none",
    pointless: |group, _, _| groups::weight_pointless(group),
    choices,
    rejects,
    ..Knob::PLAIN
};

fn choices(group: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, group, &[NO_WEIGHT, "10", "1000"])
}

fn rejects(group: &SubjectFiles, value: &str) -> Option<String> {
    let scheduler = groups::scheduler(group);
    if scheduler.as_deref() != Some("bfq") {
        return Some(format!(
            "the disk has the scheduler {}, and such weights act with bfq alone",
            scheduler.as_deref().unwrap_or("none")
        ));
    }
    groups::no_weight(value, 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::group;
    use host::{Archive, Host};
    use model::change::Attribute;

    fn group_with(scheduler: &str, weights: &str) -> SubjectFiles {
        let mut archive = Archive::default();
        for (path, text) in [
            ("/sys/block/sda/dev", "8:0"),
            ("/sys/block/sda/queue/scheduler", scheduler),
            ("/sys/fs/cgroup/blkio/db/blkio.bfq.weight_device", weights),
        ] {
            archive.insert(path, Attribute::Value(text.into()));
        }
        SubjectFiles::of(&Host::from_archive(archive), group("sda")).unwrap()
    }

    #[test]
    fn tries_extremes_and_takes_what_the_kernel_takes() {
        let weighed = group_with("none [bfq]", "default 100\n8:0 500");
        assert_eq!(choices(&weighed), ["500", "default", "10", "1000"]);
        for value in ["1", "1000", "default"] {
            assert_eq!(rejects(&weighed, value), None);
        }
        for value in ["0", "1001", "max", "100 200", ""] {
            let why = rejects(&weighed, value).unwrap();
            assert!(why.contains("from 1 to 1000, or default"), "{why}");
        }
        let bare = group_with("none [bfq]", "default 100");
        assert_eq!(choices(&bare), ["default", "10", "1000"]);
    }

    #[test]
    fn another_scheduler_has_no_weights() {
        let group = group_with("[mq-deadline] bfq", "default 100");
        assert_eq!(choices(&group), ["default"]);
        let why = rejects(&group, "500").unwrap();
        assert!(why.contains("mq-deadline"), "{why}");
    }
}
