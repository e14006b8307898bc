//! # Bytes per second of the device
//!
//! ## What it measures
//! The bytes that the device reads and writes, for whatever program, by `/sys/block/DEVICE/stat` every 20 ms.
//!
//! ## When to use it
//! For the load that is there already (`--ioengine none`), whose I/Os differ in size: a backup beside a database, a
//! stream through the page cache.
//!
//! ## Limits
//! What other programs do counts as well: a verdict rests on pairs of neighbouring windows, so a neighbour makes it
//! slower to reach and not wrong, as long as he does not follow the switches. Writes that the kernel still holds in the
//! page cache are not counted.
//!
//! ## Example
//! ```text
//! iodyno tune /data --ioengine none --metric device_bandwidth --budget 10m
//! ```

use crate::meter::{Counts, Meter, device_counting};
use kernel::stat::SECTOR_BYTES;
use model::job::Job;
use model::metric::{BYTES_PER_S, ExperimentMetric};

const GRAIN_MS: u64 = 20;

/// The meter.
pub static METER: Meter = Meter {
    id: "device_bandwidth",
    metric,
    counts: Counts::Device,
    least_amount: |_| 0,
    unfit: |_| None,
    options: &[],
    ask: None,
    of_load: None,
    open: |scope| {
        device_counting(scope, |now| {
            ((now.read_sectors + now.write_sectors) * SECTOR_BYTES) as f64
        })
    },
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("device bandwidth", BYTES_PER_S)
    }
}
