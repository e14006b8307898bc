//! What one tune judges by: a meter with what the user said of it, and with the source that it asks.

use super::outside::Outside;
use super::{AskedCounter, Counts, Meter, MeterScope};
use host::Host;
use model::job::Job;
use model::metric::ExperimentMetric;
use std::sync::Arc;

/// What the user says of where a meter reads. It goes into no record.
#[derive(Clone, Debug, Default)]
pub struct MeterOptions {
    /// How the client of the database is started.
    pub sql_client: Option<String>,
    /// The control group whose I/O counts: a path, the number of a process in it, or a container's id or name.
    pub cgroup: Option<String>,
    /// The address of the Prometheus server that is asked.
    pub prometheus: Option<String>,
    /// The selector of the counters that it is asked for.
    pub query: Option<String>,
    /// How long a run of the command takes that is run again for each window, ms.
    pub run_ms: Option<u64>,
}

/// A meter, ready to judge.
#[derive(Debug)]
pub struct Judge {
    /// The meter.
    pub meter: &'static Meter,
    /// What its values are.
    pub metric: ExperimentMetric,
    /// What the user said of where it reads.
    pub options: MeterOptions,
    /// The source that it asks.
    pub outside: Option<Arc<Outside>>,
}

/// A slice of the kernel's limiter, ms.
pub const SLICE_MS: u64 = 100;

impl Judge {
    /// Gets a meter ready under a job on a device: one that asks outside has its first answer, any other was opened once, so
    /// that what cannot be read is told before anything is touched.
    ///
    /// # Errors
    /// When the source gives no answer, in its own words.
    pub fn of(
        meter: &'static Meter,
        job: &Job,
        options: MeterOptions,
        (host, device): (&Host, &str),
    ) -> Result<Judge, String> {
        let mut judge = Judge {
            meter,
            metric: match options.run_ms.filter(|_| meter.counts == Counts::Runs) {
                Some(run_ms) => (meter.metric)(job).of_runs(run_ms),
                None => (meter.metric)(job),
            },
            options,
            outside: None,
        };
        match meter.ask {
            Some(ask) => {
                let AskedCounter { metric, outside } = ask(&judge.options)?;
                (judge.metric, judge.outside) = (metric, Some(Arc::new(outside)));
            }
            None => drop((meter.open)(&judge.scope(host, device))?),
        }
        Ok(judge)
    }

    /// For a load that a control group's limit holds back. The kernel lets what a slice may do through at its start
    /// (Linux 6.18, block/blk-throttle.c: slices of 100 ms, seen as bursts), so a shorter grain counts one burst or none.
    #[must_use]
    pub fn in_slices(mut self) -> Judge {
        self.metric.grain_ms = self.metric.grain_ms.max(SLICE_MS);
        self
    }

    /// Where the meter reads.
    pub fn scope<'a>(&'a self, host: &'a Host, device: &'a str) -> MeterScope<'a> {
        MeterScope {
            host,
            device,
            options: &self.options,
            outside: self.outside.as_ref(),
        }
    }
}
