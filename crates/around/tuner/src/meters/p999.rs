//! # 99.9th percentile of latency of the own load
//!
//! ## What it measures
//! The latency that 999 of 1,000 of the load's I/Os keep, every second; lower is better. In an open loop (a fixed rate) it is
//! counted from the moment at which the I/O was due.
//!
//! ## When to use it
//! Where the slowest I/Os decide what users feel. A setting may cost throughput and still win by it; the figures of the
//! record say how much.
//!
//! ## Limits
//! It needs a load of iodyno's own, and 10,000 I/Os for each value: where fewer are completed in a second, the value is that of
//! a longer stretch, and a window without enough of them decides nothing. Tails are noisy: expect differences under a
//! tenth to stay open.
//!
//! ## Example
//! ```text
//! iodyno tune /data --rw randrw --rwmixread 70 --metric p999
//! ```

use crate::meter::{Counts, Meter, Tail, needs_own_load, quantile_of};
use model::job::Job;
use model::metric::ExperimentMetric;

const QUANTILE: f64 = 0.999;
const GRAIN_MS: u64 = 1_000;

/// The meter.
pub static METER: Meter = Meter {
    id: "p999",
    metric,
    counts: Counts::OwnLatency,
    least_amount: |_| 0,
    unfit: needs_own_load,
    options: &[],
    ask: None,
    of_load: Some(|load| quantile_of(&load.latency(), QUANTILE)),
    open: |_| Ok(Box::new(Tail::of(QUANTILE))),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric::time("p99.9 latency", GRAIN_MS)
}
