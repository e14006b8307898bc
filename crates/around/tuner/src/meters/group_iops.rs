//! # I/Os per second of one control group
//!
//! ## What it measures
//! The reads and writes that the processes of one control group (`--cgroup`), and of those below it, send to the device, every
//! 20 ms: by `io.stat` of version 2, by `blkio.throttle.io_serviced` of version 1.
//!
//! ## When to use it
//! On a machine with several services or containers, for the one that matters (`--ioengine none`): `device_iops` counts
//! them all, and a setting that helps the backup and not the database looks like a gain.
//!
//! ## Limits
//! A group counts I/Os when they are sent, before the kernel merges or splits them. Buffered writes are charged to a group
//! only under version 2, and there on file systems with writeback accounting (ext4, btrfs, xfs); under version 1 they are
//! the root's. Since Linux 6.10 version 1 counts a device from the first limit on that any group has on it: before, the
//! tune is refused, with the line that makes it count. A group that sends nothing for three seconds ends it.
//!
//! A gain that the group takes from others is no gain of the device; say how slow those may become with `--stop-if`.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --metric group_iops --cgroup system.slice/postgresql.service --budget 10m
//! iodyno tune /srv --ioengine none --metric group_iops --cgroup 3fbc1a2b9d07   # a container
//! ```

use crate::meter::{Counts, Meter, group_counting};
use model::job::Job;
use model::metric::{ExperimentMetric, PER_S};

const GRAIN_MS: u64 = 20;
/// I/Os that the kept part of a window should hold.
const LEAST: u64 = 200;

/// The meter.
pub static METER: Meter = Meter {
    id: "group_iops",
    metric,
    counts: Counts::Device,
    least_amount: |_| LEAST,
    unfit: |_| None,
    options: &["--cgroup"],
    ask: None,
    of_load: None,
    open: |scope| group_counting(scope, |done| (done.read_ios + done.write_ios) as f64),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("group IOPS", PER_S)
    }
}
