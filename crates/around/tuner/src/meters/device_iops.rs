//! # Completed I/Os per second of the device
//!
//! ## What it measures
//! The reads and writes that the device completes, for whatever program, by `/sys/block/DEVICE/stat` every 20 ms.
//!
//! ## When to use it
//! For the load that is there already (`--ioengine none`), and for a load whose I/Os the kernel merges, splits or
//! delays: a setting that lets it merge more lowers this and can still be better. Mind which one you mean.
//!
//! ## Limits
//! What other programs do counts as well: a verdict rests on pairs of neighbouring windows, so a neighbour makes it
//! slower to reach and not wrong, as long as he does not follow the switches. Writes that the kernel still holds in the
//! page cache are not counted.
//!
//! ## Example
//! ```text
//! iodyno tune /data --ioengine none --metric device_iops --budget 10m
//! ```

use crate::meter::{Counts, Meter, device_counting};
use model::job::Job;
use model::metric::{ExperimentMetric, PER_S};

const GRAIN_MS: u64 = 20;
/// Completions that the kept part of a window should hold.
const LEAST: u64 = 200;

/// The meter.
pub static METER: Meter = Meter {
    id: "device_iops",
    metric,
    counts: Counts::Device,
    least_amount: |_| LEAST,
    unfit: |_| None,
    options: &[],
    ask: None,
    of_load: None,
    open: |scope| device_counting(scope, |now| (now.read_ios + now.write_ios) as f64),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("device IOPS", PER_S)
    }
}
