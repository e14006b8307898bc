//! # Bytes per second of the own load
//!
//! ## What it measures
//! The bytes that the load completes, of all kinds of operations, every 20 ms.
//!
//! ## When to use it
//! For loads whose I/Os differ in size (`--bssplit`, a range of `--bs`): there a setting can raise the bandwidth and
//! lower the IOPS. With one block size it says the same as `iops`.
//!
//! ## Limits
//! It needs a load of iodyno's own: with `--ioengine none` use `device_bandwidth`.
//!
//! ## Example
//! ```text
//! iodyno tune /data --bssplit 4k/80:256k/20 --metric bandwidth
//! ```

use crate::meter::{Counting, Counts, Meter, MeterError, Total, needs_own_load};
use load::Running;
use model::job::Job;
use model::metric::{BYTES_PER_S, ExperimentMetric};

/// Blocks that the kept part of a window should hold.
const LEAST_BLOCKS: u64 = 200;
const GRAIN_MS: u64 = 20;

/// The meter.
pub static METER: Meter = Meter {
    id: "bandwidth",
    metric,
    counts: Counts::OwnThroughput,
    least_amount,
    unfit: needs_own_load,
    options: &[],
    ask: None,
    of_load: Some(|load| Some(load.bytes_per_s())),
    open: |_| Ok(Box::new(Counting::per_second(read))),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric {
        grain_ms: GRAIN_MS,
        ..ExperimentMetric::rate("bandwidth", BYTES_PER_S)
    }
}

fn least_amount(job: &Job) -> u64 {
    LEAST_BLOCKS.saturating_mul(job.bs)
}

fn read(load: &Running) -> Result<Total, MeterError> {
    let now = load.snapshot();
    Ok(Total {
        at_ns: now.at_ns,
        amount: now.bytes as f64,
        ios: now.ios as f64,
    })
}
