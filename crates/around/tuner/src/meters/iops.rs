//! # Completed I/Os per second of the own load
//!
//! ## What it measures
//! The I/Os that the load completes, of all kinds but syncs, counted in bins of 10 ms by the threads that complete
//! them.
//!
//! ## When to use it
//! It is the metric of a tune that names none, and the right one for a load that always asks for as much as it can
//! get. A load with a fixed rate (`--rate-iops`) completes what it is asked for whatever the setting is: judge that by
//! `latency`.
//!
//! ## Limits
//! With `--ioengine none` it counts the I/Os of the device, because there is no load of our own.
//!
//! ## Example
//! ```text
//! iodyno tune /data --metric iops
//! ```

use crate::meter::{Counts, Gauge, GrainSpan, Meter, MeterError};
use load::Running;
use model::metric::ExperimentMetric;

/// Completions that the kept part of a window should hold.
const LEAST: u64 = 200;

/// The meter.
pub static METER: Meter = Meter {
    id: "iops",
    metric: |_| ExperimentMetric::iops(),
    counts: Counts::OwnThroughput,
    least_amount: |_| LEAST,
    unfit: |_| None,
    options: &[],
    ask: None,
    of_load: Some(|load| Some(load.iops())),
    open: |_| Ok(Box::new(Bins)),
};

/// I/Os per second of each grain, which has so many bins of this length, ns.
fn rates(bins: &[u64], bins_per_grain: usize, bin_ns: u64) -> Vec<f64> {
    let per_s = 1e9 / (bin_ns * bins_per_grain as u64) as f64;
    let grains = bins.chunks_exact(bins_per_grain);
    grains
        .map(|grain| grain.iter().sum::<u64>() as f64 * per_s)
        .collect()
}

/// The load's own bins.
#[derive(Debug)]
struct Bins;

impl Gauge for Bins {
    fn looks_at_grains(&self) -> bool {
        false
    }

    fn look(&mut self, _: &Running) -> Result<(), MeterError> {
        Ok(())
    }

    fn values(&mut self, load: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let first = span.begin_ns.saturating_sub(load.origin_ns()) / load.bin_ns();
        let bins_per_grain = (span.grain_ns / load.bin_ns()).max(1) as usize;
        let bins = load.bins(first, span.count * bins_per_grain)?;
        Ok(rates(&bins, bins_per_grain, load.bin_ns()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grain_has_the_rate_of_all_its_bins() {
        let bins = [
            400, 0, 0, 0, 0, 0, 0, 0, 0, 0, 390, 10, 0, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(rates(&bins, 10, 10_000_000), [4_000.0, 4_000.0]);
        assert_eq!(rates(&bins[..2], 1, 10_000_000), [40_000.0, 0.0]);
    }
}
