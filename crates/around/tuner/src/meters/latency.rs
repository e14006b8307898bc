//! # Mean latency of the own load
//!
//! ## What it measures
//! The mean time from asking for an I/O to its completion, every 100 ms; lower is better. In an open loop (a fixed
//! rate) it is counted from the moment at which the I/O was due.
//!
//! ## When to use it
//! For a load with a fixed rate (`--rate-iops`), whose IOPS no setting can change: what changes is how long each I/O
//! takes. For a load without one, more IOPS and a lower latency are the same by Little's law, and `iops` tells it more
//! finely.
//!
//! ## Limits
//! It needs a load of iodyno's own. The mean follows rare slow I/Os; the guard of p99 looks at those, as with every
//! metric. Windows are 400 ms and longer.
//!
//! ## Example
//! ```text
//! iodyno tune /data --rw randread --rate-iops 2000 --metric latency
//! ```

use crate::meter::{Counting, Counts, Meter, MeterError, Total, needs_own_load};
use load::{Running, Snapshot};
use model::job::Job;
use model::metric::ExperimentMetric;

const GRAIN_MS: u64 = 100;

/// The meter.
pub static METER: Meter = Meter {
    id: "latency",
    metric,
    counts: Counts::OwnLatency,
    least_amount: |_| 0,
    unfit: needs_own_load,
    options: &[],
    ask: None,
    of_load: Some(|load| load.latency().mean_ns()),
    open: |_| Ok(Box::new(Counting::per_io(read))),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric::time("mean latency", GRAIN_MS)
}

fn read(load: &Running) -> Result<Total, MeterError> {
    let now = load.snapshot();
    let latency = now.latency_since(&Snapshot::default());
    let ios = latency.total() as f64;
    Ok(Total {
        at_ns: now.at_ns,
        amount: latency.mean_ns().unwrap_or(0.0) * ios,
        ios,
    })
}
