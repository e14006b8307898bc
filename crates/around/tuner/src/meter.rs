//! What an experiment judges by: a meter reads one metric of every window, whoever makes the load.

mod asked;
mod counting;
mod fairness;
mod group;
mod judge;
pub mod outside;
pub mod prometheus;
mod runs;
pub mod sql;
mod tail;
mod totals;

pub use asked::Asked;
pub use counting::Counting;
pub use fairness::shared_by_groups;
pub use group::group_counting;
pub use judge::{Judge, MeterOptions, SLICE_MS};
pub use runs::{needs_no_runs, needs_runs};
pub use tail::{Tail, quantile_of};
pub use totals::{Total, Totals};

use host::disk_counters::DeviceCounters;
use host::{Host, clock};
use kernel::stat::Counters;
use load::{Engine, LoadError, Running};
use model::job::Job;
use model::metric::ExperimentMetric;
use model::record::LoadResult;
use outside::Outside;
use std::sync::Arc;

/// A meter, as its file in `meters/` declares it.
#[derive(Debug)]
pub struct Meter {
    /// Stable name, as `--metric` takes it.
    pub id: &'static str,
    /// The metric: its name, its unit, which way it is better and how finely it is told.
    pub metric: fn(&Job) -> ExperimentMetric,
    /// What it counts.
    pub counts: Counts,
    /// How much of the metric a window should count at the least under a job, where it is a rate: fewer events than this
    /// tell more about chance than about the setting. 0 where the window's length is enough.
    pub least_amount: fn(&Job) -> u64,
    /// Why it cannot judge a job; none when it can.
    pub unfit: fn(&Job) -> Option<String>,
    /// Options of the command line that are for it.
    pub options: &'static [&'static str],
    /// Begins to ask a source outside of iodyno for a counter, and gives what is judged by it; none for a meter that looks
    /// itself.
    pub ask: Option<AskOutside>,
    /// Its value of a whole load of ours, as a record of `run` has it; none for what only a tune's windows tell.
    pub of_load: Option<fn(&LoadResult) -> Option<f64>>,
    /// Starts to read.
    pub open: fn(&MeterScope<'_>) -> Result<Box<dyn Gauge>, String>,
}

/// Begins to ask a source outside; the error says why it does not answer.
pub type AskOutside = fn(&MeterOptions) -> Result<AskedCounter, String>;

/// A counter of a source outside, which has answered once.
#[derive(Debug)]
pub struct AskedCounter {
    /// What its growth is called, and how finely it is told.
    pub metric: ExperimentMetric,
    /// The source.
    pub outside: Outside,
}

/// What a meter counts, which decides what its values can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// What the own load gets done: time that writing out dirty pages takes can be charged to it, and half the depth
    /// shows whether it is saturated.
    OwnThroughput,
    /// How long the I/Os of the own load take.
    OwnLatency,
    /// What the I/Os of the own load cost the CPUs.
    OwnCost,
    /// What the device does, for whomever or for one control group.
    Device,
    /// What a program says of itself.
    Program,
    /// What each run of a program gives that ends by itself; until what it wrote is on the disk, no run is over.
    Runs,
    /// What something else collects every few seconds: a window is as long as several of its looks, and one value.
    Scrapes,
}

/// Where a meter reads.
#[derive(Clone, Copy, Debug)]
pub struct MeterScope<'a> {
    /// The machine.
    pub host: &'a Host,
    /// Kernel name of the device that is measured.
    pub device: &'a str,
    /// What the user said of it.
    pub options: &'a MeterOptions,
    /// The source outside, where the meter asks one.
    pub outside: Option<&'a Arc<Outside>>,
}

/// A stretch of time in whole grains, on the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrainSpan {
    /// Its start, ns.
    pub begin_ns: u64,
    /// Length of a grain, ns.
    pub grain_ns: u64,
    /// Grains.
    pub count: usize,
}

impl GrainSpan {
    /// Its end, ns.
    pub fn end_ns(&self) -> u64 {
        self.begin_ns + self.grain_ns * self.count as u64
    }
}

/// A meter at work.
pub trait Gauge: std::fmt::Debug {
    /// Whether it must look at every grain's edge; otherwise the end of the window tells everything.
    fn looks_at_grains(&self) -> bool {
        true
    }

    /// Whether a load that was just started has values: a program takes its time to connect and to print. Asked again
    /// until it is so, before the first window of each load.
    fn is_ready(&mut self, _: &Running) -> Result<bool, MeterError> {
        Ok(true)
    }

    /// Whether everything is there that tells a window which is over. Asked again until it is so.
    fn is_told(&mut self, _: &Running, _: &GrainSpan) -> Result<bool, MeterError> {
        Ok(true)
    }

    /// What it has heard since it was last asked, oldest first: values, each with the time that it stands for, ns. None where
    /// a window tells everything; then a bound on the metric looks at windows alone.
    fn heard(&mut self, _: &Running) -> Result<Option<Vec<(u64, f64)>>, MeterError> {
        Ok(None)
    }

    /// Notes where the count stands now. Called at the edges of a window, and of its grains where it must be.
    fn look(&mut self, load: &Running) -> Result<(), MeterError>;

    /// The values of a window that has ended, one a grain.
    fn values(&mut self, load: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError>;
}

/// Why a window has no values.
#[derive(Debug, thiserror::Error)]
pub enum MeterError {
    /// The load lost them.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Nothing happened that has a value, or the counters could not be read.
    #[error("{0}")]
    NoValue(String),
    /// The source that is asked gives no more counts, so that no window can have values.
    #[error("{0}")]
    Source(String),
}

impl Meter {
    /// The meter with this name.
    pub fn find(id: &str) -> Option<&'static Meter> {
        crate::meters::ALL
            .iter()
            .copied()
            .find(|meter| meter.id == id)
    }

    /// The meter of a tune that names none: what a command says of itself is what its user cares for.
    pub fn usual(job: &Job) -> &'static Meter {
        let meters = [
            &crate::meters::result::METER,
            &crate::meters::printed::METER,
            &crate::meters::iops::METER,
        ];
        let fit = meters
            .into_iter()
            .find(|meter| (meter.unfit)(job).is_none());
        fit.unwrap_or(&crate::meters::iops::METER)
    }
}

/// Refuses a job whose I/Os iodyno does not complete itself.
pub fn needs_own_load(job: &Job) -> Option<String> {
    let engine = Engine::find(&job.ioengine)?;
    engine.is_counted_by_the_device().then(|| {
        format!(
            "--ioengine {} does not tell iodyno about each I/O; judge by iops, device_iops or device_bandwidth",
            engine.id
        )
    })
}

/// A gauge of an amount in the device's counters.
pub fn device_counting(
    scope: &MeterScope<'_>,
    amount: fn(&Counters) -> f64,
) -> Result<Box<dyn Gauge>, String> {
    let mut counters =
        DeviceCounters::open(scope.host, scope.device).map_err(|error| error.to_string())?;
    Ok(Box::new(Counting::per_second(move |_: &Running| {
        let now = counters
            .read()
            .map_err(|error| MeterError::NoValue(error.to_string()))?;
        Ok(Total {
            at_ns: clock::monotonic_ns(),
            amount: amount(&now),
            ios: 0.0,
        })
    })))
}

/// A gauge of what the source outside answers.
pub fn asked(scope: &MeterScope<'_>) -> Result<Box<dyn Gauge>, String> {
    match scope.outside {
        Some(outside) => Ok(Box::new(Asked::of(outside))),
        None => Err("nobody asks for the counter".into()),
    }
}
