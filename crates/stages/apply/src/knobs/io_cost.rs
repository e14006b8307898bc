//! # Division of the disk by io.cost
//!
//! ## What it does
//! Switches on one device the kernel's own division among control groups: below any scheduler, by a model of what each I/O costs
//! and by the groups' weights (`io_weight`). 1 is on, with the kernel's parameters for the kind of device or those that are
//! set; 0 is off, and groups take what they get. It is a setting of the root of the hierarchy, and acts on all groups.
//!
//! ## Who should change it
//! Hosts on whose disk one service or container starves the others and a limit would waste what nobody else uses: compare `fairness`,
//! or the rate of the one that matters, with and without it. On a disk whose model is wrong it costs throughput.
//!
//! ## Risk and how it is undone
//! Performance only: it holds back groups that ask for more than their share, and slows the device itself where the model takes it
//! for slower than it is. The old value is in the journal, and `iodyno undo` puts it back; parameters that were set stay. The
//! kernel keeps a line of the device in `io.cost.qos` from then on. To keep it, write the line at boot: systemd has it in a udev rule of
//! its own (`90-iocost.rules`) for disks whose model its hardware database knows.
//!
//! ## Kernel versions
//! Version 2 alone, `enable` in `io.cost.qos` of the root group: 5.4 and newer with `CONFIG_BLK_CGROUP_IOCOST`.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --metric fairness --cgroup machine.slice --knob io_cost@/=1
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.cost.qos`; `block/blk-iocost.c`, `ioc_qos_write`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "io_cost",
    since: "0.1.0",
    summary: "whether the kernel divides the disk among control groups by the cost of their I/Os",
    on: SubjectKind::Group,
    attribute: "io_cost",
    class: Class::Fast,
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    load: "--ioengine none",
    choices,
    rejects: |_, value| values::outside(value, 0..=1, "0 or 1"),
    ..Knob::PLAIN
};

fn choices(group: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, group, &["0", "1"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::group;
    use host::{Archive, Host};
    use model::change::Attribute;

    #[test]
    fn it_is_off_where_the_device_has_no_line() {
        let with = |text: &str| {
            let mut archive = Archive::default();
            archive.insert("/sys/block/sda/dev", Attribute::Value("8:0".into()));
            let path = "/sys/fs/cgroup/blkio/db/io.cost.qos";
            archive.insert(path, Attribute::Value(text.into()));
            SubjectFiles::of(&Host::from_archive(archive), group("sda")).unwrap()
        };
        assert_eq!(choices(&with("")), ["0", "1"]);
        let on = with("8:0 enable=1 ctrl=auto rpct=95.00 rlat=25000");
        assert_eq!(choices(&on), ["1", "0"]);
        assert!((KNOB.rejects)(&on, "2").is_some());
    }
}
