//! # Fairness among control groups
//!
//! ## What it measures
//! How evenly the control groups directly below one (`--cgroup`) share the device: Jain's index of the bytes that each of
//! them, with the groups below it, reads and writes in a window. 1 is an equal share for all; 1/n is all for one of n.
//!
//! ## When to use it
//! Where one container, service or user starves the others (`--ioengine none`): under which scheduler, weight or limit each
//! gets its share. Say with `--stop-if` how little all of them together may get: a device on which nobody gets anything is fair.
//!
//! ## Limits
//! It knows what the groups get, not what they would like to have: a group that asks for little makes the index small however
//! well it is served. Groups that send nothing, and those that begin after the first look, are left out. The counters are those
//! of `group_iops`: bytes count when they are sent, and buffered writes are charged to a group under version 2 only.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --metric fairness --cgroup machine.slice --knob scheduler --budget 10m
//! ```

use crate::meter::{Counts, Meter, SLICE_MS, shared_by_groups};
use model::job::Job;
use model::metric::ExperimentMetric;

/// Two slices of a limit: in windows of only a few slices chance makes equal groups unequal, and the index too small. With one slice
/// a limit of 4000 IOPS was judged against one of 1000, beside a group of 1000: +28 % was told, and +36 % is true (Linux 6.18).
const GRAIN_MS: u64 = 2 * SLICE_MS;

/// The meter.
pub static METER: Meter = Meter {
    id: "fairness",
    metric,
    counts: Counts::Device,
    least_amount: |_| 0,
    unfit: |_| None,
    options: &["--cgroup"],
    ask: None,
    of_load: None,
    open: shared_by_groups,
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("fairness", "")
    }
}
