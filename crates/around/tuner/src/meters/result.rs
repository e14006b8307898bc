//! # The number that each run of your command prints
//!
//! ## What it measures
//! The number that a command (`--command` with `--run-again`) prints of a whole run, which it ends by itself. A window is one
//! run, started after the switch. Known are the last lines of pgbench (`tps = …`) and sysbench (`transactions: … per sec`;
//! `reads/s` and `writes/s` of fileio, added up); for others `--metric-regex` says which line tells it. Where several lines
//! do, the last one counts.
//!
//! ## When to use it
//! For a benchmark that tells its rate only at its end, or has to start anew to feel a setting: one that opens its files once,
//! fills a cache, or warms up. It is the metric of a tune with `--run-again` whose first run printed such a number.
//!
//! ## Limits
//! Two values need 16 runs at the least, and 32 at the most; the plan says how long that takes, after a first run. What a
//! run left in the page cache is written out before the next begins, and is in no number.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command 'cd /srv; sysbench fileio --time=5 --file-test-mode=rndrd run' --run-again --knob scheduler
//! iodyno tune /srv --command ./bench.sh --run-again --metric-regex 'p99 (?<p99_ms>[0-9.]+) ms' --metric-better lower
//! ```

use super::printed;
use crate::meter::{Counts, Gauge, GrainSpan, Meter, MeterError, needs_runs};
use load::Running;

/// The meter.
pub static METER: Meter = Meter {
    id: "result",
    metric: printed::metric,
    counts: Counts::Runs,
    least_amount: |_| 0,
    unfit: needs_runs,
    options: &[],
    ask: None,
    of_load: None,
    open: |_| Ok(Box::new(Said)),
};

/// Tells of a run what it said.
#[derive(Debug)]
struct Said;

impl Gauge for Said {
    fn looks_at_grains(&self) -> bool {
        false
    }

    fn look(&mut self, _: &Running) -> Result<(), MeterError> {
        Ok(())
    }

    fn values(&mut self, load: &Running, _: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let said = load.printed(0).last().map(|printed| vec![printed.value]);
        said.ok_or_else(|| MeterError::NoValue("the run printed no number".into()))
    }
}
