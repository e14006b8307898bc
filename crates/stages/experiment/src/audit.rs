//! Long residences in random order: does what the short windows showed also hold when an arm stays?

use super::carry::{self, Bin, Carried, Exposure, Short, TAUS_MS, age};
use super::plan::Class;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use super::window::BIN_MS;
use model::verdict::VerdictStage;
use stats::Estimate;

/// Length of a regression bin, in milliseconds.
const SLICE_MS: u64 = 250;
const ROUNDS_MAX: usize = 3;
/// Levels are clipped at so many robust deviations around their median.
const CLIP: f64 = 5.0;
/// Log likelihood ratio that excludes carry-over of a given size.
const EXCLUDE_LN: f64 = -2.0;

/// Log likelihood ratios of carry-over against none.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The audit is not over yet.
    suspect_ln: f64,
    /// The audit fails without a further look.
    certain_ln: f64,
    /// The audit fails after the last round.
    fail_ln: f64,
}

/// Carry-over faster than [`QUICK_MS`] shows plainly in the first residences, so a faint sign of it is chance.
const QUICK: Limits = Limits {
    suspect_ln: 3.0,
    certain_ln: 8.0,
    fail_ln: 6.0,
};
/// Slower payback has had little time to show, so a faint sign of it is worth another round.
const SLOW: Limits = Limits {
    suspect_ln: 0.5,
    certain_ln: 6.0,
    fail_ln: 3.0,
};
const QUICK_MS: u64 = 8_000;

/// A carried part that would change the claim, and the evidence for it.
#[derive(Clone, Copy, Debug)]
struct Sign<'a> {
    fit: &'a Carried,
    evidence_ln: f64,
    limits: Limits,
}

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
    is_difference: bool,
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
    pub(super) fn new(
        run: &mut ExperimentRun,
        arm: usize,
        short: Estimate,
        is_difference: bool,
    ) -> Self {
        let soak_ms = match run.plan.class {
            Class::Fast => 10_000,
            _ => 12_000,
        };
        let mut audit = Audit {
            arm,
            short,
            is_difference,
            soak_ms: soak_ms.max(5 * run.window_ms),
            queue: Vec::new(),
            exposure: [0.0; TAUS_MS.len()],
            last_order: None,
            rounds: 0,
            bins: Vec::new(),
            found: None,
        };
        audit.recall(run);
        audit.refill(run);
        audit
    }

    /// Goes through the windows so far: they say how long the arm has acted, and the short ones since the
    /// calibration show the level before the long residences move it. Blocks of a race are too far apart for that.
    fn recall(&mut self, run: &ExperimentRun) {
        let mut bins: Vec<Bin> = Vec::new();
        for (number, residence) in run.residences.iter().enumerate() {
            let acting = if residence.arm == self.arm { 1.0 } else { 0.0 };
            let is_recent =
                number >= run.attempt_residence && residence.stage != VerdictStage::Race;
            if is_recent && (acting == 1.0 || residence.arm == 0) {
                let middle_ms = (residence.discard_ms + residence.duration_ms) as f64 / 2.0;
                let kept_ms = residence
                    .duration_ms
                    .saturating_sub(residence.discard_ms)
                    .max(BIN_MS);
                bins.push(Bin {
                    at_s: (residence.start_ms as f64 + middle_ms) / 1e3,
                    level_ln: residence.level_ln - self.short.centre * acting,
                    acting,
                    variance: SLICE_MS as f64 / kept_ms as f64,
                    exposure: age(&self.exposure, acting, middle_ms),
                });
            }
            self.exposure = age(&self.exposure, acting, residence.duration_ms as f64);
        }
        for acting in [0.0, 1.0] {
            clip(
                bins.iter_mut()
                    .filter(|bin| bin.acting == acting)
                    .map(|bin| &mut bin.level_ln)
                    .collect(),
            );
        }
        self.bins = bins.chunks(2).map(Bin::merged).collect();
    }

    /// One residence of each arm; every second round mirrors the one before, so that curved drift cancels.
    fn refill(&mut self, run: &mut ExperimentRun) {
        let default_last = match self.last_order.take() {
            Some(before) => !before,
            None => {
                let heads = run.heads();
                self.last_order = Some(heads);
                heads
            }
        };
        self.queue = if default_last {
            vec![0, self.arm]
        } else {
            vec![self.arm, 0]
        };
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        if self.found.is_some() {
            return None;
        }
        // What the first round could not tell apart needs longer residences, not only more.
        let soak_ms = if self.rounds == 0 {
            self.soak_ms
        } else {
            self.soak_ms * 3 / 2
        };
        self.queue
            .last()
            .map(|arm| Want::new(*arm, soak_ms, run.washout_ms))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        self.queue.pop();
        self.slice(run, sample);
        if self.queue.is_empty() {
            self.rounds += 1;
            self.judge(run);
        }
    }

    fn slice(&mut self, run: &ExperimentRun, sample: &WindowSample) {
        let acting = if sample.arm == self.arm { 1.0 } else { 0.0 };
        let slice_bins = (SLICE_MS.max(run.window_ms - run.washout_ms) / BIN_MS) as usize;
        let parts: Vec<&[f64]> = sample.kept().chunks(slice_bins).collect();
        let mut levels_ln: Vec<f64> = parts.iter().map(|part| run.level.robust(part)).collect();
        clip(levels_ln.iter_mut().collect());
        let mut at_ms = sample.discard_ms as f64;
        for (part, level_ln) in parts.iter().zip(levels_ln) {
            let length_ms = part.len() as f64 * BIN_MS as f64;
            self.bins.push(Bin {
                at_s: (sample.start_ms as f64 + at_ms + length_ms / 2.0) / 1e3,
                level_ln: level_ln - self.short.centre * acting,
                acting,
                variance: slice_bins as f64 / part.len() as f64,
                exposure: age(&self.exposure, acting, at_ms + length_ms / 2.0),
            });
            at_ms += length_ms;
        }
        self.exposure = age(&self.exposure, acting, sample.duration_ms as f64);
    }

    fn judge(&mut self, run: &mut ExperimentRun) {
        let fits = carry::fit(
            &self.bins,
            Short::Measured {
                error_ln: self.short.error,
            },
        );
        let is_last = self.rounds >= ROUNDS_MAX;
        let signs: Vec<Sign> = fits.iter().flat_map(|fit| self.signs(run, fit)).collect();
        let limit_of = |sign: &Sign| {
            if is_last {
                sign.limits.fail_ln
            } else {
                sign.limits.certain_ln
            }
        };
        let failing = signs
            .iter()
            .filter(|sign| sign.evidence_ln >= limit_of(sign));
        if let Some(sign) = failing.max_by(|a, b| a.evidence_ln.total_cmp(&b.evidence_ln)) {
            let lasting_ln = self.short.centre + sign.fit.centre_ln;
            self.found = Some(Audited::Carries {
                tau_ms: sign.fit.tau_ms,
                lasting_ln,
            });
        } else if !is_last
            && signs
                .iter()
                .any(|sign| sign.evidence_ln >= sign.limits.suspect_ln)
        {
            self.refill(run);
        } else {
            self.found = Some(Audited::Clean {
                horizon_ms: horizon_ms(&signs),
            });
        }
    }

    /// A difference must not be paid back, by half or in full, and its size is wrong if it builds up by half or
    /// more. An absence must not hide an effect that builds up on either side.
    fn signs<'a>(&self, run: &ExperimentRun, fit: &'a Carried) -> [Sign<'a>; 4] {
        let hidden_ln = 4.0 * run.plan.rope_ln();
        let sizes_ln = match self.is_difference {
            true => [-1.0, -0.5, 0.5, 1.0].map(|share| share * self.short.centre),
            false => [-hidden_ln, -hidden_ln / 2.0, hidden_ln / 2.0, hidden_ln],
        };
        sizes_ln.map(|size_ln| {
            let is_payback = self.is_difference && size_ln * self.short.centre < 0.0;
            let limits = if is_payback && fit.tau_ms >= QUICK_MS {
                SLOW
            } else {
                QUICK
            };
            Sign {
                fit,
                evidence_ln: fit.evidence_ln(size_ln),
                limits,
            }
        })
    }

    pub(super) fn found(&self) -> Audited {
        self.found.unwrap_or(Audited::Clean { horizon_ms: 0 })
    }

    /// Device time still to go if nothing is suspect, in milliseconds.
    pub(super) fn left_ms(&self) -> u64 {
        self.queue.len() as u64 * self.soak_ms
    }
}

/// The longest time constant up to which every carried part that would change the claim is excluded.
fn horizon_ms(signs: &[Sign]) -> u64 {
    let excluded = |sign: &&Sign| sign.evidence_ln < EXCLUDE_LN;
    let first_open_ms = signs
        .iter()
        .find(|sign| !excluded(sign))
        .map(|sign| sign.fit.tau_ms);
    let below = |sign: &&Sign| first_open_ms.is_none_or(|open_ms| sign.fit.tau_ms < open_ms);
    signs
        .iter()
        .take_while(below)
        .last()
        .map_or(0, |sign| sign.fit.tau_ms)
}

/// Clips levels around their median: holes and regimes are no carry-over, and unclipped they would drown it.
fn clip(mut levels_ln: Vec<&mut f64>) {
    let values: Vec<f64> = levels_ln.iter().map(|level| **level).collect();
    let centre_ln = stats::median(&values);
    let reach_ln = CLIP * stats::mad_sd(&values) + 1e-6;
    levels_ln
        .iter_mut()
        .for_each(|level| **level = level.clamp(centre_ln - reach_ln, centre_ln + reach_ln));
}
