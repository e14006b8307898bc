//! Loads that were started from a browser: one at a time, each a verb of our own executable that runs beside us.

pub(crate) mod options;
mod worker;

pub use options::{JobOptions, Verb};
#[cfg(feature = "schema")]
pub use worker::JobEvent;

use crate::answer::Fault;
use crate::helper::Helper;
use crate::server::ServerSpeech;
use crate::targets::Target;
use host::Interrupter;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Jobs that are remembered.
const KEPT_MAX: usize = 50;
/// Lines of progress that are remembered of each.
const LINES_MAX: usize = 500;

/// All of them since the server began.
#[derive(Debug, Default)]
pub struct Jobs {
    inner: Mutex<JobsInner>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct JobsInner {
    last_id: i64,
    all: VecDeque<Job>,
    is_closed: bool,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", schemars(rename = "JobState"))]
pub enum JobState {
    /// At work.
    Running,
    /// Told to stop; it puts everything back.
    Stopping,
    /// Ended with an answer.
    Done,
    /// Ended because it was told to.
    Stopped,
    /// Ended without an answer.
    Failed,
}

impl JobState {
    /// Whether its program still runs.
    pub fn is_at_work(self) -> bool {
        matches!(self, JobState::Running | JobState::Stopping)
    }
}

/// A line that a job said.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobLine"))]
pub struct JobLine {
    /// When, ms since 1970.
    pub unix_ms: u64,
    /// What.
    pub text: String,
}

/// One of them, as it is told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Job {
    /// Which document this is.
    pub schema: &'static str,
    /// Its number, from 1 for each server.
    pub id: i64,
    /// What was started.
    pub verb: Verb,
    /// On what.
    pub target: Target,
    /// The same as one would type it.
    pub command: String,
    /// Where it stands.
    pub state: JobState,
    /// When it began, ms since 1970.
    pub started_unix_ms: u64,
    /// When it ended, ms since 1970.
    pub ended_unix_ms: Option<u64>,
    /// Its exit code.
    pub exit: Option<i32>,
    /// Number of the record that it left.
    pub record: Option<i64>,
    /// How it ended, in a sentence.
    pub outcome: Option<String>,
    /// Whether every setting is back as it was; none while it runs.
    pub everything_back: Option<bool>,
    /// What it said, the oldest first.
    pub progress: VecDeque<JobLine>,
    /// Its last document: an interval, a step of the experiment, or the answer without the record.
    pub last: Option<Value>,
    #[serde(skip)]
    interrupter: Option<Interrupter>,
}

impl Jobs {
    /// Starts a verb on a target.
    ///
    /// # Errors
    /// When another one is at work, or an option makes no sense for the verb.
    pub fn start(
        helper: &Arc<Helper>,
        verb: Verb,
        target: Target,
        wishes: &JobOptions,
    ) -> Result<Job, Fault> {
        let words = options::words(verb, &target, wishes)?;
        let job = {
            let mut inner = helper.jobs.lock();
            if inner.is_closed {
                return Err(Fault::new(503, "the server is ending"));
            }
            if let Some(other) = inner.all.iter().find(|job| job.state.is_at_work()) {
                return Err(Fault::new(
                    409,
                    format!(
                        "job {} is at work, and two loads would spoil each other",
                        other.id
                    ),
                )
                .hint("Wait for its end, or stop it first."));
            }
            inner.last_id += 1;
            let job = Job {
                schema: "iodyno.job/1",
                id: inner.last_id,
                verb,
                target,
                command: options::typed(&words),
                state: JobState::Running,
                started_unix_ms: host::clock::unix_ms(),
                ended_unix_ms: None,
                exit: None,
                record: None,
                outcome: None,
                everything_back: None,
                progress: VecDeque::new(),
                last: None,
                interrupter: None,
            };
            inner.all.push_back(job.clone());
            if inner.all.len() > KEPT_MAX {
                inner.all.pop_front();
            }
            job
        };
        worker::begin(helper, job.id, words);
        Ok(job)
    }

    /// All of them, the newest first.
    pub fn all(&self) -> Vec<Job> {
        self.lock().all.iter().rev().cloned().collect()
    }

    /// Whether an experiment is at work.
    pub fn is_tuning(&self) -> bool {
        self.lock()
            .all
            .iter()
            .any(|job| job.verb == Verb::Tune && job.state.is_at_work())
    }

    /// One of them.
    ///
    /// # Errors
    /// When there is none of this number.
    pub fn get(&self, id: i64) -> Result<Job, Fault> {
        self.lock()
            .all
            .iter()
            .find(|job| job.id == id)
            .cloned()
            .ok_or_else(|| no_such(id))
    }

    /// Asks one to stop, as Ctrl-C does. One that has ended stays as it is.
    ///
    /// # Errors
    /// When there is none of this number.
    pub fn stop(&self, id: i64) -> Result<Job, Fault> {
        let mut inner = self.lock();
        let job = inner
            .all
            .iter_mut()
            .find(|job| job.id == id)
            .ok_or_else(|| no_such(id))?;
        interrupt(job);
        Ok(job.clone())
    }

    /// Stops all, and waits until each has put everything back. No other may begin.
    pub fn end_all(&self, tell: &mut dyn FnMut(ServerSpeech)) {
        let mut inner = self.lock();
        inner.is_closed = true;
        let ids: Vec<i64> = inner
            .all
            .iter()
            .filter(|job| job.state.is_at_work())
            .map(|job| job.id)
            .collect();
        inner.all.iter_mut().for_each(interrupt);
        if !ids.is_empty() {
            tell(ServerSpeech::Ending(ids.len()));
        }
        while inner.all.iter().any(|job| job.state.is_at_work()) {
            inner = self
                .ended
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        for job in inner.all.iter().filter(|job| ids.contains(&job.id)) {
            tell(ServerSpeech::Ended {
                command: job.command.clone(),
                is_back: job.everything_back == Some(true),
            });
        }
    }

    /// Changes one, and gives what it is then.
    fn change(&self, id: i64, change: impl FnOnce(&mut Job)) -> Option<Job> {
        let mut inner = self.lock();
        let job = inner.all.iter_mut().find(|job| job.id == id)?;
        change(job);
        let job = job.clone();
        if !job.state.is_at_work() {
            self.ended.notify_all();
        }
        Some(job)
    }

    fn lock(&self) -> MutexGuard<'_, JobsInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job that is not started yet is stopped when it is: its state says so.
fn interrupt(job: &mut Job) {
    if job.state.is_at_work() {
        job.state = JobState::Stopping;
        if let Some(interrupter) = &job.interrupter {
            let _ = interrupter.interrupt();
        }
    }
}

fn no_such(id: i64) -> Fault {
    Fault::new(404, format!("there is no job {id}"))
        .hint("A server remembers the last 50 that it started.")
}
