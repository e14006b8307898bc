//! # Bytes that a control group writes per second
//!
//! ## What it does
//! Limits the bytes that the processes of a control group write to one device in a second. Further writes wait in the block
//! layer, before the device's scheduler. Buffered writes pass a limit of version 1 by, since the kernel's write-back belongs
//! to the root group; version 2 charges them to the group where the file system takes part (ext4, xfs, btrfs, f2fs).
//!
//! ## Who should change it
//! Hosts on which an import, a build or a log in one group takes the bandwidth that others need. A limit is kept also
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
//! Version 1, `blkio.throttle.write_bps_device`: 2.6.37 and newer. Version 2, `wbps` of `io.max`: 4.5 and newer, where
//! the controller `io` is handed down to the group. iodyno takes whichever the group has.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --knob wbps@/system.slice/import.service=20m,max
//! iodyno set wbps@/docker/4f=20m /srv
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.max`; `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`
//! - Linux `block/blk-throttle.c`, `tg_set_limit` and `tg_set_conf`

use crate::{Knob, ValueReading, groups};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "wbps",
    since: "0.1.0",
    summary: "how many bytes a control group may write to the disk in a second",
    on: SubjectKind::Group,
    attribute: "wbps",
    reading: ValueReading::Bytes,
    class: Class::Fast,
    risk: Risk::CostsLatency,
    load: "--ioengine none",
    pointless: |group, job, _| groups::limit_pointless(&KNOB, group, job),
    choices: |group| groups::limit_choices(&KNOB, group),
    rejects: |_, value| groups::no_limit(value, groups::BPS_MAX, "bytes per second"),
    ..Knob::PLAIN
};
