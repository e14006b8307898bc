//! What one tune judges by: a meter with what the user said of it, and with the source that it asks.

use super::outside::Outside;
use super::{AskedCounter, Meter};
use model::job::Job;
use model::metric::ExperimentMetric;
use std::sync::Arc;

/// What the user says of a counter outside. It goes into no record.
#[derive(Clone, Debug, Default)]
pub struct MeterOptions {
    /// How the client of the database is started.
    pub sql_client: Option<String>,
}

/// A meter, ready to judge.
#[derive(Debug)]
pub struct Judge {
    /// The meter.
    pub meter: &'static Meter,
    /// What its values are.
    pub metric: ExperimentMetric,
    /// The source that it asks.
    pub outside: Option<Arc<Outside>>,
}

impl Judge {
    /// Gets a meter ready under a job: one that asks outside has its first answer.
    ///
    /// # Errors
    /// When the source gives none, in its own words.
    pub fn of(meter: &'static Meter, job: &Job, options: &MeterOptions) -> Result<Judge, String> {
        let Some(ask) = meter.ask else {
            return Ok(Judge {
                meter,
                metric: (meter.metric)(job),
                outside: None,
            });
        };
        let AskedCounter { metric, outside } = ask(options)?;
        Ok(Judge {
            meter,
            metric,
            outside: Some(Arc::new(outside)),
        })
    }
}
