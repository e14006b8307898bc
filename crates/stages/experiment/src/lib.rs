//! The experiment: which arm is faster, decided by randomised interleaved windows under one live load.
//!
//! The decision code owns no clock, no device and no randomness but its seed. A driver asks what to run next, runs it,
//! and tells what was measured; a simulated disk, a real one, a production load and a pipe all do that alike. The same
//! seed and the same measurements give the same windows and the same verdict.
//!
//! ```text
//! headroom → settle → calibrate → pairs | race → audit → hold-out → verdict → explain
//! ```
//!
//! What each stage is for stands at the head of its file. `docs/guide/proof.md` tells the whole design.

mod after;
mod audit;
mod calibrate;
mod carry;
mod conclude;
pub mod deadline;
mod duo;
mod evidence;
mod forecast;
mod foreign;
mod guards;
mod halving;
mod headroom;
mod holdout;
mod latency;
mod pairs;
mod phase;
mod plan;
mod progress;
pub mod protocol;
mod race;
mod retry;
mod run;
mod sample;
mod settle;
mod slow;
mod slow_verdict;
#[cfg(test)]
mod tests;
mod window;

pub use carry::MEMORY_MAX_MS;
pub use model::verdict::VerdictStage;
pub use plan::{
    Class, ExperimentPlan, GRAIN_MAX_MS, PlanError, RUN_MAX_MS, class_memory_ms, class_window_ms,
    default_budget_ms, least_before_ms, least_beside_ms, least_budget_ms, longest_budget_ms,
    pairs_within_ms,
};
pub use progress::Progress;
pub use window::{Ask, BIN_MS, Failure, ForeignIo, OwnAndOthers, TellError, Window, WindowReport};

use model::verdict::{Reason, Verdict};

use conclude::Finding;
use phase::Phase;
use run::ExperimentRun;
use sample::WindowSample;

/// Failures in a row after which the driver is given up on.
const FAILURES_MAX: u32 = 3;

/// A running experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    run: ExperimentRun,
    phase: Phase,
    open: Option<Window>,
    asked: u64,
    failures: u32,
}

impl Experiment {
    /// Starts an experiment, or says what is wrong with the plan.
    pub fn new(plan: ExperimentPlan) -> Result<Self, PlanError> {
        plan.check()?;
        let mut run = ExperimentRun::new(plan);
        let phase = Phase::first(&mut run);
        Ok(Experiment {
            run,
            phase,
            open: None,
            asked: 0,
            failures: 0,
        })
    }

    /// What to do next. Until the open window is told, the answer stays the same.
    pub fn ask(&mut self) -> Ask {
        if let Some(open) = &self.open {
            return Ask::Window(open.clone());
        }
        loop {
            if let Phase::Done(verdict) = &self.phase {
                return Ask::Done(verdict.clone());
            }
            if let Some(want) = self.phase.want(&self.run) {
                if want.duration_ms > self.run.planned_left_ms() {
                    self.end_early();
                    continue;
                }
                self.asked += 1;
                let window = Window {
                    id: self.asked,
                    arm: want.arm,
                    duration_ms: self.run.plan.metric.whole_grains_ms(want.duration_ms),
                    discard_ms: self.run.plan.metric.whole_grains_ms(want.discard_ms),
                    stage: self.phase.stage(),
                    fresh: want.fresh,
                    half_depth: want.half_depth,
                };
                self.open = Some(window.clone());
                return Ask::Window(window);
            }
            self.phase = self.phase.next(&mut self.run);
        }
    }

    /// Takes what the open window measured. After an error the window is still open and nothing has changed.
    pub fn tell(&mut self, told: WindowReport) -> Result<(), TellError> {
        match told {
            WindowReport::Measured {
                id,
                rates,
                latency,
                foreign,
            } => {
                let window = self.opened(id)?;
                // A run takes as long as it takes, and tells its value for each bin of that.
                let (grain_ms, duration_ms) = match self.run.plan.metric.is_of_runs {
                    true => (BIN_MS, (rates.len() as u64 * BIN_MS).max(BIN_MS)),
                    false => (self.run.plan.metric.grain_ms, window.duration_ms),
                };
                check((window.id, duration_ms), &rates, grain_ms, foreign)?;
                let rates = in_bins(rates, grain_ms);
                self.open = None;
                self.failures = 0;
                let sample = WindowSample {
                    stage: window.stage,
                    arm: window.arm,
                    start_ms: self.run.clock_ms,
                    duration_ms,
                    discard_ms: window.discard_ms,
                    rates,
                    latency,
                    foreign,
                    half_depth: window.half_depth,
                };
                self.take(&sample);
            }
            WindowReport::Failed { id, why, kind } => {
                self.opened(id)?;
                self.fail(why, kind);
            }
        }
        Ok(())
    }

    /// Tells how much device time the driver's clock still leaves: beside its windows a driver switches settings, waits and
    /// writes out. Stages that are planned from now on fit into it.
    pub fn reckon_with(&mut self, left_ms: u64) {
        self.run.driver_end_ms = self.run.clock_ms.saturating_add(left_ms);
    }

    /// Ends it for want of time: the open window is not going to be measured. A win needs its whole hold-out, so there is
    /// none.
    pub fn end_early(&mut self) {
        self.open = None;
        if !matches!(self.phase, Phase::Done(_)) {
            self.phase = after::out_of_time(&self.run, &self.phase);
        }
    }

    /// What a live display shows.
    pub fn progress(&self) -> Progress {
        progress::of(&self.run, &self.phase)
    }

    fn opened(&self, id: u64) -> Result<Window, TellError> {
        let open = self.open.as_ref().filter(|open| open.id == id);
        let expected = self.open.as_ref().map(|open| open.id);
        open.cloned().ok_or(TellError::NotAsked { id, expected })
    }

    fn take(&mut self, sample: &WindowSample) {
        self.run.book(sample);
        self.phase.accept(&mut self.run, sample);
        if self.run.cap.is_capped() {
            let detail = "all arms stepped down by over a quarter and the noise collapsed";
            self.refuse(Finding::refused(Reason::Throttled, detail));
        } else if self.run.cap.is_idle() {
            self.refuse(Finding::refused(Reason::NoIo, ""));
        }
    }

    fn fail(&mut self, why: String, kind: Failure) {
        self.failures += 1;
        let reason = match kind {
            Failure::ApplyFailed => Reason::ApplyFailed,
            Failure::BoundCrossed => Reason::BoundCrossed,
            Failure::Other if self.failures >= FAILURES_MAX => Reason::WindowFailed,
            Failure::Other => return,
        };
        self.open = None;
        self.refuse(Finding::refused(reason, why));
    }

    fn refuse(&mut self, finding: Finding) {
        let arms = self.phase.arms(&self.run);
        self.phase = Phase::Done(Box::new(conclude::verdict(&self.run, arms, finding)));
    }
}

/// Runs an experiment to its end with a driver that measures one window at a time.
pub fn drive(
    mut experiment: Experiment,
    mut measure: impl FnMut(&Window) -> WindowReport,
) -> Result<Verdict, TellError> {
    loop {
        match experiment.ask() {
            Ask::Done(verdict) => return Ok(*verdict),
            Ask::Window(window) => experiment.tell(measure(&window))?,
        }
    }
}

/// A value of a coarse metric stands for each of the bins that it covers.
fn in_bins(rates: Vec<f64>, grain_ms: u64) -> Vec<f64> {
    let bins = (grain_ms / BIN_MS) as usize;
    if bins == 1 {
        return rates;
    }
    let repeated = rates
        .iter()
        .flat_map(|rate| std::iter::repeat_n(*rate, bins));
    repeated.collect()
}

fn check(
    (id, duration_ms): (u64, u64),
    rates: &[f64],
    grain_ms: u64,
    foreign: Option<ForeignIo>,
) -> Result<(), TellError> {
    let wanted = (duration_ms / grain_ms) as usize;
    if rates.len() != wanted {
        return Err(TellError::WrongLength {
            id,
            got: rates.len(),
            wanted,
            grain_ms,
        });
    }
    if let Some(index) = rates.iter().position(|rate| !(0.0..=1e300).contains(rate)) {
        return Err(TellError::NotARate {
            id,
            index,
            value: rates[index],
        });
    }
    let Some(ForeignIo { share, per_second }) = foreign else {
        return Ok(());
    };
    if !(0.0..=1.0).contains(&share) {
        return Err(TellError::NotAShare { id, value: share });
    }
    let amounts = per_second.map_or([0.0; 2], |done| [done.own, done.others]);
    match amounts
        .into_iter()
        .find(|amount| !(0.0..=1e300).contains(amount))
    {
        Some(value) => Err(TellError::NotAnAmount { id, value }),
        None => Ok(()),
    }
}
