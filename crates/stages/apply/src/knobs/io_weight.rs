//! # Weight of a control group under io.cost
//!
//! ## What it does
//! The share of one device that io.cost gives to a control group while others use it too: a group of weight 200 gets twice
//! what one of weight 100 beside it gets. io.cost is the kernel's own division of a disk, below any scheduler, by a model
//! of what each I/O costs. `default` is no weight of its own for this device: then the group's weight for all devices
//! counts. Alone, a group gets everything whatever its weight.
//!
//! ## Who should change it
//! Hosts with io.cost switched on (`io.cost.qos` of the root group), on which one service has to stay quick beside others.
//! Where bfq is in place, `bfq_weight` is the weight that acts.
//!
//! ## Risk and how it is undone
//! Performance only: what one group gains others lose. iodyno changes the weight for this device alone, and leaves the lines of
//! others and the group's general weight as they are. The old value is in the journal; `iodyno undo` puts it back while the
//! group is the one that it was. To keep it, `iodyno apply --persist` writes a drop-in of the systemd unit whose group it is.
//!
//! ## Kernel versions
//! Version 2 alone, a line of `io.weight`: 5.4 and newer; 1 to 10000. A write is refused (EOPNOTSUPP) while io.cost was never
//! switched on for the device.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --knob io_weight@/system.slice/db.service=1000,default
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.weight` and `io.cost.qos`; `block/blk-iocost.c`, `ioc_weight_write`

use crate::{Knob, SubjectFiles, groups, values};
use kernel::device_settings::NO_WEIGHT;
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "io_weight",
    since: "0.1.0",
    summary: "the share of the disk that io.cost gives to a control group",
    on: SubjectKind::Group,
    attribute: "io_weight",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    refusals: &[(libc::EOPNOTSUPP, "io.cost is not switched on for the disk")],
    load: "--ioengine none",
    pointless: |group, _, _| groups::weight_pointless(group),
    choices,
    rejects: |_, value| groups::no_weight(value, 10_000),
    ..Knob::PLAIN
};

fn choices(group: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, group, &[NO_WEIGHT, "10", "1000"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::group;
    use host::{Archive, Host};
    use model::change::Attribute;

    #[test]
    fn only_version_2_has_it() {
        let with = |file: &str, text: &str| {
            let mut archive = Archive::default();
            archive.insert("/sys/block/sda/dev", Attribute::Value("8:0".into()));
            let path = format!("/sys/fs/cgroup/blkio/db/{file}");
            archive.insert(&path, Attribute::Value(text.into()));
            SubjectFiles::of(&Host::from_archive(archive), group("sda")).unwrap()
        };
        let new = with("io.weight", "default 100\n8:0 50");
        assert_eq!(choices(&new), ["50", "default", "10", "1000"]);
        assert_eq!((KNOB.rejects)(&new, "10000"), None);
        assert!((KNOB.rejects)(&new, "10001").is_some());
        assert!(choices(&with("blkio.bfq.weight", "100")).is_empty());
    }
}
