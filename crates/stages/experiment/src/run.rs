//! What all stages share: the plan, the seeded coin, the time axis, the guards and the log of pairs.

use model::histogram::Histogram;
use model::verdict::{ArmResult, PairRow, StageCost, VerdictStage};
use stats::dice::Coin;

use super::foreign::ForeignWatch;
use super::guards::CapWatch;
use super::plan::ExperimentPlan;
use super::sample::{Level, WindowSample};
use super::{audit, holdout};

/// A window that a stage would like to have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Want {
    pub arm: usize,
    pub duration_ms: u64,
    pub discard_ms: u64,
    pub fresh: bool,
    pub half_depth: bool,
}

impl Want {
    pub(super) fn new(arm: usize, duration_ms: u64, discard_ms: u64) -> Self {
        Want {
            arm,
            duration_ms,
            discard_ms,
            fresh: false,
            half_depth: false,
        }
    }
}

/// A window that has been run, for working out how long an arm has acted and what the level was meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Residence {
    pub stage: VerdictStage,
    pub arm: usize,
    pub start_ms: u64,
    pub duration_ms: u64,
    pub discard_ms: u64,
    /// Robust level of the kept part.
    pub level_ln: f64,
}

/// Carry-over that made an attempt's data useless.
#[derive(Clone, Debug)]
pub(super) struct Carryover {
    pub tau_ms: u64,
    /// What was seen, for people.
    pub detail: String,
    /// The arms as far as known.
    pub arms: Vec<ArmResult>,
}

/// Shared state of an experiment.
#[derive(Clone, Debug)]
pub(super) struct ExperimentRun {
    pub plan: ExperimentPlan,
    pub level: Level,
    pub clock_ms: u64,
    /// What the clock will show when the driver's time is over, as far as the driver can tell.
    pub driver_end_ms: u64,
    pub windows: u64,
    pub window_ms: u64,
    pub washout_ms: u64,
    /// Error probability of the current attempt; halved whenever data are dropped and gathered again.
    pub alpha: f64,
    pub horizon_ms: u64,
    pub rate_now: f64,
    /// Attempts whose data were dropped.
    pub attempts: usize,
    /// Carry-over found by the last audit, while the settle probe takes a longer look at it.
    pub carried: Option<Carryover>,
    /// Whether half the depth gave the same rate.
    pub saturated: bool,
    pub cap: CapWatch,
    pub foreign: ForeignWatch,
    pub residences: Vec<Residence>,
    /// First row of the current attempt; earlier ones belong to data that were dropped.
    pub attempt_row: usize,
    /// First residence of the current attempt.
    pub attempt_residence: usize,
    pub rows: Vec<PairRow>,
    pub latencies: Vec<[Histogram; 2]>,
    pub costs: Vec<StageCost>,
    pub notes: Vec<String>,
    coin: Coin,
}

impl ExperimentRun {
    pub(super) fn new(plan: ExperimentPlan) -> Self {
        ExperimentRun {
            coin: Coin::new(plan.seed),
            level: Level::new(plan.metric.better),
            clock_ms: 0,
            driver_end_ms: u64::MAX,
            windows: 0,
            window_ms: plan.window_min_ms(),
            washout_ms: plan.washout_min_ms(),
            alpha: plan.alpha,
            horizon_ms: 0,
            rate_now: 0.0,
            attempts: 0,
            carried: None,
            saturated: false,
            cap: CapWatch::new(&plan),
            foreign: ForeignWatch::default(),
            residences: Vec::new(),
            attempt_row: 0,
            attempt_residence: 0,
            rows: Vec::new(),
            latencies: Vec::new(),
            costs: Vec::new(),
            notes: Vec::new(),
            plan,
        }
    }

    /// Books a measured window.
    pub(super) fn book(&mut self, sample: &WindowSample) {
        self.level.learn(&sample.rates);
        self.clock_ms += sample.duration_ms;
        self.windows += 1;
        self.rate_now = stats::mean(&sample.rates);
        self.residences.push(Residence {
            stage: sample.stage,
            arm: sample.arm,
            start_ms: sample.start_ms,
            duration_ms: sample.duration_ms,
            discard_ms: sample.discard_ms,
            level_ln: self.level.robust(sample.kept()),
        });
        match self
            .costs
            .iter_mut()
            .find(|cost| cost.stage == sample.stage)
        {
            Some(cost) => {
                cost.windows += 1;
                cost.device_ms += sample.duration_ms;
            }
            None => {
                let device_ms = sample.duration_ms;
                self.costs.push(StageCost {
                    stage: sample.stage,
                    windows: 1,
                    device_ms,
                });
            }
        }
        self.foreign.observe(sample);
        if !sample.half_depth {
            self.cap.observe(&self.level, sample);
        }
    }

    /// What is left of the plan's whole device time, in milliseconds.
    pub(super) fn planned_left_ms(&self) -> u64 {
        self.plan.whole_ms.saturating_sub(self.clock_ms)
    }

    /// The same, where the driver's clock leaves less.
    pub(super) fn left_ms(&self) -> u64 {
        let by_driver_ms = self.driver_end_ms.saturating_sub(self.clock_ms);
        self.planned_left_ms().min(by_driver_ms)
    }

    /// What is left for a comparison until the shortest audit and hold-out have to begin, where something is to be proved,
    /// in milliseconds.
    pub(super) fn comparing_left_ms(&self) -> u64 {
        let after_ms = match self.plan.only_selects {
            true => 0,
            false => audit::least_ms(&self.plan) + holdout::least_ms(self),
        };
        self.left_ms().saturating_sub(after_ms)
    }

    /// What is left for a comparison that began then and is still open, in milliseconds. What is only selected leaves the
    /// rest of its time to the others.
    pub(super) fn undecided_left_ms(&self, started_ms: u64) -> u64 {
        match self.plan.only_selects {
            true => self.own_left_ms(started_ms),
            false => self.comparing_left_ms(),
        }
    }

    /// What is left of the part of the budget that is for comparing, where that began then, in milliseconds.
    pub(super) fn own_left_ms(&self, started_ms: u64) -> u64 {
        let spent_ms = self.clock_ms - started_ms;
        let own_ms = self.plan.budget_ms.saturating_sub(spent_ms);
        own_ms.min(self.comparing_left_ms())
    }

    /// A fair coin.
    pub(super) fn heads(&mut self) -> bool {
        self.coin.heads()
    }

    /// The numbers below `count` in random order.
    pub(super) fn shuffled(&mut self, count: usize) -> Vec<usize> {
        self.coin.order(count)
    }

    /// Random bits for resampling.
    pub(super) fn random(&mut self) -> u64 {
        self.coin.bits()
    }
}
