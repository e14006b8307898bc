//! The words between the experiment and its driver: what to run next, and what was measured.

use model::histogram::Histogram;
use model::verdict::{Verdict, VerdictStage};

/// Length of a bin, in milliseconds: the experiment computes in these, whatever the metric's grain is.
pub const BIN_MS: u64 = 10;

/// What the driver should do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Run this window, then tell. Asked again before that, the answer is the same window.
    Window(Window),
    /// Nothing more to run.
    Done(Box<Verdict>),
}

/// One stretch of load under one arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of the window, from 1.
    pub id: u64,
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Whole length in milliseconds, a multiple of the metric's grain.
    pub duration_ms: u64,
    /// Part at the start that is not used, in milliseconds; latency histograms must leave it out.
    pub discard_ms: u64,
    /// The stage the window belongs to.
    pub stage: VerdictStage,
    /// Whether to restart the load on another region, with another seed, before this window.
    pub fresh: bool,
    /// Whether to run this window at half the load's depth.
    pub half_depth: bool,
}

/// What the driver measured.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowReport {
    /// The window ran.
    Measured {
        /// The window's number.
        id: u64,
        /// The metric, one number for each of its grains in the whole window. Of a metric of runs the run's value, once for
        /// each bin that the run took.
        rates: Vec<f64>,
        /// Latencies of the kept part.
        latency: Option<Histogram>,
        /// What other programs did to the device in the kept part.
        foreign: Option<ForeignIo>,
    },
    /// The window did not run.
    Failed {
        /// The window's number.
        id: u64,
        /// What happened, for people.
        why: String,
        /// Whether the arm could not be put in place, or something else.
        kind: Failure,
    },
}

/// I/O of other programs on the same device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForeignIo {
    /// Their share of the device's I/O, 0 to 1.
    pub share: f64,
    /// What the own load and what they did per second, in one unit that is the same for all windows. Without it the
    /// amounts are worked out from the share where the metric is a rate.
    pub per_second: Option<OwnAndOthers>,
}

/// What was done per second, by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnAndOthers {
    /// By the own load.
    pub own: f64,
    /// By other programs.
    pub others: f64,
}

/// Why a window did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The knob read back another value than was written; no retry can help.
    ApplyFailed,
    /// A bound of the user's was crossed, and everything was put back.
    BoundCrossed,
    /// Anything else; the window is asked for again a few times.
    Other,
}

/// Why an answer was not taken; the experiment is unchanged and still waits for the same window.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TellError {
    /// No window is open, or another one is.
    #[error("window {id} was not asked for{}", expected.map(|id| format!("; window {id} is open")).unwrap_or_default())]
    NotAsked {
        /// The number told.
        id: u64,
        /// The window that is open.
        expected: Option<u64>,
    },
    /// The number of rates does not fit the window.
    #[error("window {id} has {got} rates, but needs {wanted}: one for every {grain_ms} ms")]
    WrongLength {
        /// The window's number.
        id: u64,
        /// Rates told.
        got: usize,
        /// Rates that the window's duration asks for.
        wanted: usize,
        /// The metric's grain.
        grain_ms: u64,
    },
    /// A rate is negative or not a number.
    #[error("window {id}, rate {index} is {value}, which is not a rate")]
    NotARate {
        /// The window's number.
        id: u64,
        /// Position of the rate, from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The share of foreign I/O is not between 0 and 1.
    #[error("window {id} has a foreign share of {value}, which is not from 0 to 1")]
    NotAShare {
        /// The window's number.
        id: u64,
        /// The share told.
        value: f64,
    },
    /// What was done per second is negative or not a number.
    #[error("window {id} has I/O of {value} per second, which is not an amount")]
    NotAnAmount {
        /// The window's number.
        id: u64,
        /// The amount told.
        value: f64,
    },
}
