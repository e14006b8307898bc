//! What an experiment is asked to decide, and the limits within which the answer is defined.

pub use model::change::Class;
use model::metric::{ExperimentMetric, GRAIN_MIN_MS};

use super::carry::MEMORY_MAX_MS;
use super::window::BIN_MS;

/// The longest time over which one value of a metric may stand, in milliseconds: as long as a slice of the audit.
pub const GRAIN_MAX_MS: u64 = 1_000;
/// The longest run of something that is a window by itself, in milliseconds: sixteen of them take most of a day.
pub const RUN_MAX_MS: u64 = 3_600_000;
/// Values of a coarse metric that the kept part of a window has at least.
const KEPT_VALUES_MIN: u64 = 3;

/// The question: which arms, how sure, how long.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentPlan {
    /// Names of the arms; the first is the default. At least two, all different.
    pub arms: Vec<String>,
    /// Carry-over class of the knob.
    pub class: Class,
    /// What the arms are judged by. Its grain is a multiple of 10 ms up to [`GRAIN_MAX_MS`].
    pub metric: ExperimentMetric,
    /// Region of practical equivalence as a ratio minus one, above 0 and up to 0.25.
    pub rope: f64,
    /// Error probability of a wrong win, above 0 and up to 0.2.
    pub alpha: f64,
    /// Device time for the pairs or the race, in milliseconds; it is part of the whole.
    pub budget_ms: u64,
    /// Device time for all stages together, in milliseconds: no window begins that would end later.
    pub whole_ms: u64,
    /// How long a switch may plausibly go on acting, in milliseconds, up to [`MEMORY_MAX_MS`]. A claim is that of an effect
    /// which lasts only where carry-over with time constants up to here was excluded.
    pub memory_ms: u64,
    /// Seed of every random choice.
    pub seed: u64,
    /// Completions that the kept part of a window should hold, taking the metric as completions per second; 0 when it
    /// is something else, such as bytes.
    pub min_completions: u64,
    /// Shortest paired window in milliseconds, washout included; 0 takes the class's own.
    pub min_window_ms: u64,
    /// Whether the driver can run a window at half the load's depth; asks for the headroom stage.
    pub can_halve_depth: bool,
    /// Whether the user accepts a worse p99 in exchange for throughput.
    pub accept_worse_p99: bool,
    /// Whether an arm may win by what it takes from others on the device: they are part of what is judged.
    pub may_take_from_others: bool,
    /// Whether it ends with the pairs, the race or the blocks: it then claims nothing and says which arm to take along to an
    /// experiment that proves.
    pub only_selects: bool,
}

impl ExperimentPlan {
    /// A plan with the class's own limits: region 2 %, alpha 5 %, and the class's default budget.
    pub fn new(arms: Vec<String>, class: Class, seed: u64) -> Self {
        let plan = ExperimentPlan {
            arms,
            class,
            metric: ExperimentMetric::rate("rate", ""),
            rope: 0.02,
            alpha: 0.05,
            budget_ms: 0,
            whole_ms: 0,
            memory_ms: class_memory_ms(class),
            seed,
            min_completions: 0,
            min_window_ms: 0,
            can_halve_depth: false,
            accept_worse_p99: false,
            may_take_from_others: false,
            only_selects: false,
        };
        let metric = plan.metric.clone();
        plan.by(metric)
    }

    /// The same judged by this metric, with the time that its grain asks for.
    pub fn by(self, metric: ExperimentMetric) -> Self {
        let arms = self.arms.len();
        let budget_ms = default_budget_ms(self.class, arms, &metric);
        ExperimentPlan {
            budget_ms,
            whole_ms: budget_ms + reserve_ms(self.class, arms, &metric),
            metric,
            ..self
        }
    }

    /// The same within this device time for all stages together, in milliseconds.
    pub fn within(self, whole_ms: u64) -> Self {
        ExperimentPlan {
            budget_ms: pairs_within_ms(whole_ms, self.class, self.arms.len(), &self.metric),
            whole_ms,
            ..self
        }
    }

    /// The region of practical equivalence on the logarithmic scale.
    pub(super) fn rope_ln(&self) -> f64 {
        self.rope.ln_1p()
    }

    pub(super) fn check(&self) -> Result<(), PlanError> {
        let mut names: Vec<&String> = self.arms.iter().collect();
        names.sort_unstable();
        names.dedup();
        if names.len() != self.arms.len() {
            return Err(PlanError::SameName);
        }
        let arms_max = if self.class == Class::Slow { 4 } else { 64 };
        if !(2..=arms_max).contains(&self.arms.len()) {
            return Err(PlanError::ArmCount {
                arms: self.arms.len(),
                arms_max,
            });
        }
        if !(self.rope > 0.0 && self.rope <= 0.25) {
            return Err(PlanError::Rope(self.rope));
        }
        if !(self.alpha > 0.0 && self.alpha <= 0.2) {
            return Err(PlanError::Alpha(self.alpha));
        }
        let (grain_ms, is_of_runs) = (self.metric.grain_ms, self.metric.is_of_runs);
        let longest_ms = if is_of_runs { RUN_MAX_MS } else { GRAIN_MAX_MS };
        if is_of_runs && self.class != Class::Slow {
            return Err(PlanError::Runs);
        }
        if !(GRAIN_MIN_MS..=longest_ms).contains(&grain_ms) || !grain_ms.is_multiple_of(BIN_MS) {
            return Err(PlanError::Grain(grain_ms));
        }
        if !(1..=MEMORY_MAX_MS).contains(&self.memory_ms) {
            return Err(PlanError::Memory(self.memory_ms));
        }
        let least_ms = self.budget_min_ms();
        let is_enough = self.budget_ms >= least_ms && self.whole_ms >= self.budget_ms;
        if !is_enough || self.whole_ms > 86_400_000 {
            return Err(PlanError::Budget {
                budget_ms: self.whole_ms,
                wanted_ms: least_ms / 2 * 5,
            });
        }
        Ok(())
    }

    /// The least budget with which the plan's windows can decide anything.
    fn budget_min_ms(&self) -> u64 {
        budget_of_ms(self.class, self.arms.len(), self.window_min_ms())
    }

    /// Shortest window of this plan in milliseconds, washout included.
    pub(super) fn window_min_ms(&self) -> u64 {
        let least_ms = window_least_ms(self.class, &self.metric).max(self.min_window_ms);
        self.metric.whole_grains_ms(least_ms)
    }

    /// Shortest washout of this plan in milliseconds: at least one value, which may begin before the switch.
    pub(super) fn washout_min_ms(&self) -> u64 {
        self.metric.whole_grains_ms(class_washout_ms(self.class))
    }
}

/// Whether one value of the metric stands for several bins.
pub(super) fn is_coarse(metric: &ExperimentMetric) -> bool {
    metric.grain_ms > BIN_MS
}

/// The shortest window of a class in milliseconds, washout included. A coarse metric needs a few values in the part
/// that is kept; one of runs has windows of one run.
fn window_least_ms(class: Class, metric: &ExperimentMetric) -> u64 {
    if metric.is_of_runs {
        return metric.grain_ms;
    }
    let values = match (is_coarse(metric), class) {
        (false, _) => 0,
        (true, Class::Slow) => 5 * KEPT_VALUES_MIN,
        (true, _) => 1 + KEPT_VALUES_MIN,
    };
    class_window_ms(class).max(values * metric.grain_ms)
}

/// The least budget with which windows can decide anything that are no longer than class and metric want, in milliseconds.
pub fn least_budget_ms(class: Class, arms: usize, metric: &ExperimentMetric) -> u64 {
    budget_of_ms(class, arms, window_least_ms(class, metric))
}

fn budget_of_ms(class: Class, arms: usize, window_ms: u64) -> u64 {
    let blocks = if class == Class::Slow {
        super::slow::BLOCKS_MIN
    } else {
        10
    };
    window_ms
        .saturating_mul(arms as u64)
        .saturating_mul(blocks as u64)
}

/// The class's shortest window in milliseconds, washout included.
pub fn class_window_ms(class: Class) -> u64 {
    match class {
        Class::Fast => 120,
        Class::Learned => 2_000,
        Class::Slow => 15_000,
    }
}

/// How long a switch of a knob of this class may plausibly go on acting where nobody says so, in milliseconds.
pub fn class_memory_ms(class: Class) -> u64 {
    match class {
        Class::Fast => 1_000,
        Class::Learned | Class::Slow => 10_000,
    }
}

/// The class's shortest washout in milliseconds.
fn class_washout_ms(class: Class) -> u64 {
    match class {
        Class::Fast => 40,
        Class::Learned => 500,
        Class::Slow => 12_000,
    }
}

/// Budget of the pairs or race stage when the user names none, in milliseconds.
pub fn default_budget_ms(class: Class, arms: usize, metric: &ExperimentMetric) -> u64 {
    if metric.is_of_runs {
        return least_budget_ms(class, arms, metric);
    }
    let two = arms <= 2;
    let budget_ms = match class {
        Class::Fast if two => 60_000,
        Class::Fast => 240_000,
        Class::Learned if two => 180_000,
        Class::Learned => 600_000,
        Class::Slow => 15_000 * arms as u64 * super::slow::BLOCKS_MIN as u64,
    };
    budget_ms * coarseness(class, metric)
}

/// Device time for the pairs or the race within that for all stages together, in milliseconds: what the other stages may
/// leave, and two fifths at the least.
pub fn pairs_within_ms(whole_ms: u64, class: Class, arms: usize, metric: &ExperimentMetric) -> u64 {
    let left_ms = whole_ms.saturating_sub(reserve_ms(class, arms, metric));
    left_ms.max(whole_ms / 5 * 2)
}

/// The least device time for all stages together that leaves so much for the pairs or the race, in milliseconds.
pub(super) fn whole_for_ms(plan: &ExperimentPlan, pairs_ms: u64) -> u64 {
    let reserve_ms = reserve_ms(plan.class, plan.arms.len(), &plan.metric);
    (pairs_ms.saturating_mul(5) / 2).min(pairs_ms.saturating_add(reserve_ms))
}

/// The least device time of the stages before the pairs or the race of a knob that is not slow, in milliseconds.
pub fn least_before_ms(class: Class, metric: &ExperimentMetric) -> u64 {
    12 * super::phase::settle_window_ms(class, metric) + 10 * window_least_ms(class, metric)
}

/// The least device time of the stages beside the pairs or the race of a knob that is not slow, in milliseconds: settling,
/// calibration, an audit and a hold-out in which nothing is suspect.
pub fn least_beside_ms(class: Class, memory_ms: u64, metric: &ExperimentMetric) -> u64 {
    let window_ms = window_least_ms(class, metric);
    let after_ms = 20 * window_ms + 2 * super::audit::soak_of_ms(memory_ms);
    least_before_ms(class, metric) + after_ms
}

/// Device time beside the pairs or the race when the user names no budget, in milliseconds: for settling, for the audit of
/// a noisy device, and for a hold-out. With two arms the slow design has no stage but its blocks.
fn reserve_ms(class: Class, arms: usize, metric: &ExperimentMetric) -> u64 {
    if metric.is_of_runs && arms > 2 {
        return super::holdout::WINDOWS_MIN * metric.grain_ms;
    }
    let reserve_ms = match class {
        Class::Fast => 90_000,
        Class::Learned => 240_000,
        Class::Slow if arms <= 2 => 0,
        Class::Slow => 360_000,
    };
    reserve_ms * coarseness(class, metric)
}

/// How much more time a coarse metric needs: as many windows as others have, at the least half of them, since a longer one
/// tells more.
fn coarseness(class: Class, metric: &ExperimentMetric) -> u64 {
    let longer = window_least_ms(class, metric).div_ceil(class_window_ms(class));
    longer.div_ceil(2)
}

/// The most that a pairs or race stage can use, in milliseconds: the slow design has a number of blocks that is fixed
/// beforehand, up to twice the usual one.
pub fn longest_budget_ms(class: Class, arms: usize, metric: &ExperimentMetric) -> u64 {
    let usual_ms = default_budget_ms(class, arms, metric);
    match class {
        Class::Fast | Class::Learned => usual_ms,
        Class::Slow => usual_ms * (super::slow::BLOCKS_MAX / super::slow::BLOCKS_MIN) as u64,
    }
}

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Too few arms, or more than the class can compare.
    #[error("{arms} arms given; name from 2 to {arms_max}, the default first")]
    ArmCount {
        /// Arms given.
        arms: usize,
        /// The most the class can compare.
        arms_max: usize,
    },
    /// Two arms share a name.
    #[error("two arms have the same name; give each its own")]
    SameName,
    /// The region of practical equivalence is out of range.
    #[error("a region of practical equivalence of {0} is not above 0 and at most 0.25")]
    Rope(f64),
    /// The metric's grain is out of range.
    #[error("a grain of {0} ms is not a multiple of 10 ms from 10 ms to a second")]
    Grain(u64),
    /// Runs are compared by the slow design alone.
    #[error(
        "a metric of whole runs is for the class slow, whose number of windows is fixed beforehand"
    )]
    Runs,
    /// The memory is out of range.
    #[error(
        "a memory of {0} ms is not from 1 ms to {MEMORY_MAX_MS} ms, the longest that residences can show"
    )]
    Memory(u64),
    /// The error probability is out of range.
    #[error("an error probability of {0} is not above 0 and at most 0.2")]
    Alpha(f64),
    /// The budget is too short for the class's windows, or longer than a day.
    #[error(
        "a budget of {budget_ms} ms is not from {wanted_ms} ms (the shortest that can decide) to a day"
    )]
    Budget {
        /// Budget given, in milliseconds.
        budget_ms: u64,
        /// Shortest budget that can decide, in milliseconds.
        wanted_ms: u64,
    },
}
