//! # 99th percentile of latency of the own load's reads
//!
//! ## What it measures
//! The latency that 99 of 100 of the load's reads keep, every half a second; lower is better. In an open loop (a fixed rate)
//! it is counted from the moment at which the read was due.
//!
//! ## When to use it
//! For a mixed load whose reads matter more than its writes: in `p99` the slowest I/Os of both kinds are one tail, and the kind
//! that has more of them decides.
//!
//! ## Limits
//! It needs a load of iodyno's own, and 1,000 reads for each value: where fewer are completed in half a second, the value is that
//! of a longer stretch, and a window without enough of them decides nothing. What the writes pay is not in it; the table of
//! trade-offs and the guard of p99 look at all I/Os.
//!
//! ## Example
//! ```text
//! iodyno tune /data --rw randrw --rwmixread 70 --metric p99_read
//! ```

use crate::meter::{Counts, Meter, Tail, needs_own_load, quantile_of};
use load::lane;
use model::job::Job;
use model::metric::ExperimentMetric;

const QUANTILE: f64 = 0.99;
const GRAIN_MS: u64 = 500;

/// The meter.
pub static METER: Meter = Meter {
    id: "p99_read",
    metric,
    counts: Counts::OwnLatency,
    least_amount: |_| 0,
    unfit,
    options: &[],
    ask: None,
    of_load: Some(|load| quantile_of(&load.read.latency, QUANTILE)),
    open: |_| Ok(Box::new(Tail::of_lane(QUANTILE, lane::READ))),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric::time("p99 read latency", GRAIN_MS)
}

fn unfit(job: &Job) -> Option<String> {
    match job.rw.reads() {
        true => needs_own_load(job),
        false => Some("this load has no reads".into()),
    }
}
