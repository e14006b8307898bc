//! Long residences in random order: does what the short windows showed also hold when an arm stays?

use super::carry::{self, Bin, Carried, Exposure, TAUS_MS, age};
use super::plan::Class;
use super::run::{Run, Want};
use super::sample::Sample;
use super::stats::Estimate;
use super::window::BIN_MS;

/// Length of a regression bin, in milliseconds.
const SLICE_MS: u64 = 250;
/// Scores from which a carried part makes the audit go on, and from which it fails it in the end.
const SUSPECT_SCORE: f64 = 1.5;
const FAIL_SCORE: f64 = 3.0;
/// A score that needs no second look.
const CERTAIN_SCORE: f64 = 6.0;
/// Score that excludes a carried part of a given size.
const EXCLUDE_SCORE: f64 = 2.0;
const ROUNDS_MAX: usize = 4;

/// What the audit found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Audited {
    /// No carry-over that would change the claim; excluded for time constants up to the horizon.
    Clean { horizon_ms: u64 },
    /// The effect changes while an arm stays, with this time constant.
    Carries { tau_ms: u64, lasting_ln: f64 },
}

/// Progress of the audit.
#[derive(Clone, Debug)]
pub(super) struct Audit {
    arm: usize,
    short: Estimate,
    soak_ms: u64,
    queue: Vec<usize>,
    exposure: Exposure,
    last_order: Option<bool>,
    rounds: usize,
    bins: Vec<Bin>,
    found: Option<Audited>,
}

impl Audit {
    /// Audits the short estimate of one arm against the default.
    pub(super) fn new(run: &mut Run, arm: usize, short: Estimate) -> Self {
        let soak_ms = match run.plan.class {
            Class::Fast => 9_000,
            _ => 12_000,
        };
        let exposure = run.residences.iter().fold([0.0; TAUS_MS.len()], |exposure, residence| {
            let acting = if residence.arm == arm { 1.0 } else { 0.0 };
            age(&exposure, acting, residence.duration_ms as f64)
        });
        let mut audit = Audit {
            arm,
            short,
            soak_ms: soak_ms.max(5 * run.window_ms),
            queue: Vec::new(),
            exposure,
            last_order: None,
            rounds: 0,
            bins: Vec::new(),
            found: None,
        };
        audit.refill(run);
        audit
    }

    /// One residence of each arm; every second round mirrors the one before, so that curved drift cancels.
    fn refill(&mut self, run: &mut Run) {
        let default_last = match self.last_order.take() {
            Some(before) => !before,
            None => {
                let heads = run.heads();
                self.last_order = Some(heads);
                heads
            }
        };
        self.queue = if default_last { vec![0, self.arm] } else { vec![self.arm, 0] };
    }

    pub(super) fn want(&self, run: &Run) -> Option<Want> {
        if self.found.is_some() {
            return None;
        }
        self.queue.last().map(|arm| Want::new(*arm, self.soak_ms, run.washout_ms))
    }

    pub(super) fn accept(&mut self, run: &mut Run, sample: &Sample) {
        self.queue.pop();
        self.slice(run, sample);
        if self.queue.is_empty() {
            self.rounds += 1;
            self.judge(run);
        }
    }

    fn slice(&mut self, run: &Run, sample: &Sample) {
        let acting = if sample.arm == self.arm { 1.0 } else { 0.0 };
        let slice_bins = (SLICE_MS.max(run.window_ms - run.washout_ms) / BIN_MS) as usize;
        let mut at_ms = sample.discard_ms as f64;
        for part in sample.kept().chunks(slice_bins) {
            let length_ms = part.len() as f64 * BIN_MS as f64;
            self.bins.push(Bin {
                at_s: (sample.start_ms as f64 + at_ms + length_ms / 2.0) / 1e3,
                level_ln: run.level.robust(part) - self.short.centre * acting,
                acting,
                variance: slice_bins as f64 / part.len() as f64,
                exposure: age(&self.exposure, acting, at_ms + length_ms / 2.0),
            });
            at_ms += length_ms;
        }
        self.exposure = age(&self.exposure, acting, sample.duration_ms as f64);
    }

    fn judge(&mut self, run: &mut Run) {
        let fits = carry::fit(&self.bins, false);
        let limit_ln = run.plan.rope_ln().max(0.25 * self.short.centre.abs());
        let score = self.worst_score(&fits, limit_ln);
        let is_last = self.rounds >= ROUNDS_MAX;
        if score >= CERTAIN_SCORE || (is_last && score >= FAIL_SCORE) {
            let likely = carry::likeliest(&fits);
            let (tau_ms, carried_ln) = likely.map_or((0, 0.0), |fit| (fit.tau_ms, fit.centre_ln));
            self.found = Some(Audited::Carries { tau_ms, lasting_ln: self.short.centre + carried_ln });
        } else if score < SUSPECT_SCORE || is_last {
            self.found = Some(Audited::Clean { horizon_ms: self.horizon_ms(&fits, limit_ln) });
        } else {
            self.refill(run);
        }
    }

    /// The highest score among carried parts large enough to matter.
    fn worst_score(&self, fits: &[Carried], limit_ln: f64) -> f64 {
        let material = fits.iter().filter(|fit| fit.centre_ln.abs() > limit_ln);
        material.map(|fit| fit.centre_ln.abs() / fit.error_ln.hypot(self.short.error)).fold(0.0, f64::max)
    }

    /// The longest time constant up to which every carried part of twice the limit is excluded.
    fn horizon_ms(&self, fits: &[Carried], limit_ln: f64) -> u64 {
        let excluded = |fit: &&Carried| fit.centre_ln.abs() + EXCLUDE_SCORE * fit.error_ln < 2.0 * limit_ln;
        fits.iter().take_while(excluded).last().map_or(0, |fit| fit.tau_ms)
    }

    pub(super) fn found(&self) -> Audited {
        self.found.unwrap_or(Audited::Clean { horizon_ms: 0 })
    }

    /// Device time still to go if nothing is suspect, in milliseconds.
    pub(super) fn left_ms(&self) -> u64 {
        self.queue.len() as u64 * self.soak_ms
    }
}
