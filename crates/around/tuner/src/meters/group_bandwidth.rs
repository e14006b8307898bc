//! # Bytes per second of one control group
//!
//! ## What it measures
//! The bytes that the processes of one control group (`--cgroup`), and of those below it, read and write on the device, every
//! 20 ms: by `io.stat` of version 2, by `blkio.throttle.io_service_bytes` of version 1.
//!
//! ## When to use it
//! For a service or container among others (`--ioengine none`) whose I/Os differ in size: a stream, a copy, a backup.
//!
//! ## Limits
//! Those of `group_iops`: bytes count when they are sent; buffered writes are charged to a group under version 2 only; since
//! Linux 6.10 version 1 counts a device from the first limit on that any group has on it.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --metric group_bandwidth --cgroup system.slice/backup.service --budget 10m
//! ```

use crate::meter::{Counts, Meter, group_counting};
use model::job::Job;
use model::metric::{BYTES_PER_S, ExperimentMetric};

const GRAIN_MS: u64 = 20;

/// The meter.
pub static METER: Meter = Meter {
    id: "group_bandwidth",
    metric,
    counts: Counts::Device,
    least_amount: |_| 0,
    unfit: |_| None,
    options: &["--cgroup"],
    ask: None,
    of_load: None,
    open: |scope| group_counting(scope, |done| (done.read_bytes + done.write_bytes) as f64),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("group bandwidth", BYTES_PER_S)
    }
}
