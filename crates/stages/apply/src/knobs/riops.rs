//! # Reads of a control group per second
//!
//! ## What it does
//! Limits the reads that the processes of a control group do on one device in a second. Further ones wait in the block layer,
//! before the device's scheduler. Read-ahead counts as reads, and reads that the page cache answers do not count.
//!
//! ## Who should change it
//! Hosts on which one container, service or user takes the disk from others by many small reads. A limit is kept also
//! while the disk has nothing else to do: where several groups are to share it, a weight (`bfq_weight`, `io_weight`) wastes
//! less. `iodyno limit` measures what a limit holds.
//!
//! ## Risk and how it is undone
//! Programs of the group wait for as long as a limit that is too low is in place, and everybody else does not. iodyno changes
//! this device's part of the file alone: lines of other devices and other limits stay as they are, and so do the groups
//! above, whose limits act too. `max` is no limit. The old value is in the journal; `iodyno undo` puts it back while the group
//! is the one that it was. A group that is gone took its limit along, and one made anew with its name is left alone.
//! To keep it, `iodyno apply --persist` writes a drop-in of the systemd unit whose group it is.
//!
//! ## Kernel versions
//! Version 1, `blkio.throttle.read_iops_device`: 2.6.37 and newer. Version 2, `riops` of `io.max`: 4.5 and newer, where
//! the controller `io` is handed down to the group. iodyno takes whichever the group has. Version 1 takes a number above
//! 4294967295 without an error, keeps its lower 32 bits, and may then let nothing through: iodyno refuses such values.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --knob riops@/system.slice/backup.service=500,max
//! iodyno set riops@/docker/4f=500 /srv
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.max`; `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`
//! - Linux `block/blk-throttle.c`, `tg_set_limit` and `tg_set_conf`

use crate::{Knob, groups};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "riops",
    since: "0.1.0",
    summary: "how many reads a control group may do on the disk in a second",
    on: SubjectKind::Group,
    attribute: "riops",
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--ioengine none",
    pointless: |group, job, _| groups::limit_pointless(&KNOB, group, job),
    choices: |group| groups::limit_choices(&KNOB, group),
    rejects: |_, value| groups::no_limit(value, groups::IOPS_MAX, "I/Os per second"),
    ..Knob::PLAIN
};
