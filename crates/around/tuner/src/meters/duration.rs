//! # How long each run of your command takes
//!
//! ## What it measures
//! The time from the start of a command (`--command` with `--run-again`) to its end, and on until what it wrote is on the
//! disk; lower is better. A window is one run, started after the switch.
//!
//! ## When to use it
//! For a program that does a fixed amount of work and prints no number: a copy, a backup, a compilation, `dd`. It is the
//! metric of a tune with `--run-again` whose first run printed no number that is known.
//!
//! ## Limits
//! Two values need 16 runs at the least, and 32 at the most; the plan says how long that takes, after a first run. A
//! program that reads through the page cache reads from memory in its second run, unless the command drops it
//! (`echo 3 > /proc/sys/vm/drop_caches; …`) or reads past it. A run has to do the same work each time, and take half a second
//! at the least: the start of a shell is in it.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command 'dd if=/srv/big of=/dev/null bs=1M iflag=direct' --run-again --knob max_sectors_kb
//! ```

use crate::meter::{Counts, Gauge, GrainSpan, Meter, MeterError, needs_runs};
use load::Running;
use model::job::Job;
use model::metric::{ExperimentMetric, GRAIN_MIN_MS};

/// The meter.
pub static METER: Meter = Meter {
    id: "duration",
    metric,
    counts: Counts::Runs,
    least_amount: |_| 0,
    unfit: needs_runs,
    options: &[],
    ask: None,
    of_load: None,
    open: |_| Ok(Box::new(Took)),
};

fn metric(_: &Job) -> ExperimentMetric {
    ExperimentMetric::time("duration", GRAIN_MIN_MS)
}

/// Tells of a run what its span says.
#[derive(Debug)]
struct Took;

impl Gauge for Took {
    fn looks_at_grains(&self) -> bool {
        false
    }

    fn look(&mut self, _: &Running) -> Result<(), MeterError> {
        Ok(())
    }

    fn values(&mut self, _: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        Ok(vec![(span.end_ns() - span.begin_ns) as f64])
    }
}
