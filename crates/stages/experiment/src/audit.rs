//! Long residences in random order: does what the short windows showed also hold when an arm stays?

use super::carry::{self, Bin, Carried, Exposure, Short, TAUS_MS, age};
use super::holdout;
use super::plan::ExperimentPlan;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use super::window::BIN_MS;
use model::verdict::VerdictStage;
use stats::Estimate;

/// Length of a regression bin, in milliseconds.
const SLICE_MS: u64 = 250;
/// Rounds after which a sign beyond the memory is no longer pursued.
const SUSPECT_ROUNDS_MAX: usize = 3;
/// Rounds after which the noise is taken to hide the shape for good.
const ROUNDS_MAX: usize = 100;
/// Later rounds look at carry-over in residences of so many of its time constants, each round for so long at the least.
const SHOWN: u64 = 3;
const SOAK_SHORT_MS: u64 = 400;
const ROUND_MIN_MS: u64 = 4_000;
/// Residences last as long as this many memories, in which the slowest carry-over within it has shown itself.
const MEMORIES: u64 = 2;
/// The shortest residence, in milliseconds.
const SOAK_MIN_MS: u64 = 2_000;
/// Levels are clipped at so many robust deviations around their median.
const CLIP: f64 = 5.0;
/// Rounds after which the growth of the evidence is known, and how much better than it looks it may be.
const HOPE_ROUNDS_MIN: usize = 5;
const HOPE_LN: f64 = 2.0;
const HOPE_ERRORS: f64 = 1.0;
/// Log likelihood ratio that excludes carry-over of a given size.
const EXCLUDE_LN: f64 = -3.5;
/// The same for half of it, under which a claim keeps its direction.
const EXCLUDE_HALF_LN: f64 = -1.0;

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
const SUSPECT_BEYOND_LN: f64 = 2.0;

/// A carried part that would change the claim, and the evidence for it.
#[derive(Clone, Copy, Debug)]
struct Sign<'a> {
    fit: &'a Carried,
    /// How large a part.
    size_ln: f64,
    evidence_ln: f64,
    limits: Limits,
    /// Evidence below which the claim is taken not to have it; none where the claim survives it.
    exclude_ln: Option<f64>,
}

impl Sign<'_> {
    /// Evidence from which it is worth another round. What acts for longer than the knob's memory is not looked for, and
    /// pursued only where it shows.
    fn suspect_ln(&self, reach_ms: u64) -> f64 {
        match self.fit.tau_ms <= reach_ms {
            true => self.limits.suspect_ln,
            false => self.limits.suspect_ln.max(SUSPECT_BEYOND_LN),
        }
    }

    /// The evidence to be hoped for when there is so much more data of this noise and nothing is carried over: a log
    /// likelihood ratio is then about normal, with a variance of twice its mean.
    fn promise_ln(&self, growth: f64) -> f64 {
        let score = self.size_ln / self.fit.error_ln;
        let expected_ln = score * score / 2.0 * growth;
        -expected_ln - HOPE_ERRORS * (2.0 * expected_ln).sqrt()
    }

    fn is_excluded(&self) -> bool {
        self.exclude_ln
            .is_none_or(|exclude_ln| self.evidence_ln < exclude_ln)
    }
}

/// Device time of an audit that finds nothing suspect, in milliseconds.
pub(super) fn least_ms(plan: &ExperimentPlan) -> u64 {
    2 * soak_of_ms(plan.memory_ms)
}

/// Length of the first residences for a knob of this memory, in milliseconds.
pub(super) fn soak_of_ms(memory_ms: u64) -> u64 {
    (MEMORIES * memory_ms).max(SOAK_MIN_MS)
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
    /// Residences to come, the next one last: arm and length in milliseconds.
    queue: Vec<(usize, u64)>,
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
        let mut audit = Audit {
            arm,
            short,
            is_difference,
            soak_ms: soak_of_ms(run.plan.memory_ms).max(5 * run.window_ms),
            queue: Vec::new(),
            exposure: [0.0; TAUS_MS.len()],
            last_order: None,
            rounds: 0,
            bins: Vec::new(),
            found: None,
        };
        audit.recall(run);
        audit.refill(run, audit.soak_ms);
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

    /// A round: the arms in turn, each for about `soak_ms`, as often as fits into the shortest round. Every second round
    /// mirrors the one before, so that curved drift cancels; lengths are drawn, so that nothing regular keeps step.
    fn refill(&mut self, run: &mut ExperimentRun, soak_ms: u64) {
        let default_last = match self.last_order.take() {
            Some(before) => !before,
            None => {
                let heads = run.heads();
                self.last_order = Some(heads);
                heads
            }
        };
        let each = (ROUND_MIN_MS / (2 * soak_ms)).max(1);
        let turns = match default_last {
            true => [0, self.arm],
            false => [self.arm, 0],
        };
        self.queue.clear();
        for _ in 0..each {
            for arm in turns {
                let eighths = match each {
                    1 => 8,
                    _ => 6 + run.random() % 5,
                };
                self.queue
                    .push((arm, run.plan.metric.whole_grains_ms(soak_ms * eighths / 8)));
            }
        }
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        if self.found.is_some() {
            return None;
        }
        self.queue
            .last()
            .map(|(arm, soak_ms)| Want::new(*arm, *soak_ms, run.washout_ms))
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
        let kept_ms = run.window_ms - run.washout_ms;
        let slice_ms = kept_ms.max(SLICE_MS.min(sample.duration_ms / 8));
        let slice_bins = (slice_ms / BIN_MS) as usize;
        let full_bins = (SLICE_MS.max(kept_ms) / BIN_MS) as usize;
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
                variance: full_bins as f64 / part.len() as f64,
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
        let signs: Vec<Sign> = fits.iter().flat_map(|fit| self.signs(run, fit)).collect();
        let reach_ms = carry::tau_beyond(run.plan.memory_ms);
        let open = signs
            .iter()
            .filter(|sign| sign.fit.tau_ms <= reach_ms && !sign.is_excluded())
            .map(|sign| sign.fit.tau_ms)
            .min();
        let is_suspect = self.rounds < SUSPECT_ROUNDS_MAX
            && signs
                .iter()
                .any(|sign| sign.evidence_ln >= sign.suspect_ln(reach_ms));
        let is_hopeless = !is_suspect && self.is_hopeless(run, &signs, reach_ms);
        let is_last = !(open.is_some() || is_suspect) || is_hopeless || self.rounds_left(run) == 0;
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
        } else if !is_last {
            // What could not be told apart is looked at in residences in which it shows itself the most often.
            let open_ms = open.map_or(self.soak_ms, |tau_ms| SHOWN * tau_ms);
            let shortest_ms = SOAK_SHORT_MS.max(4 * run.window_ms);
            self.refill(run, open_ms.clamp(shortest_ms, self.soak_ms * 3 / 2));
        } else {
            self.found = Some(Audited::Clean {
                horizon_ms: horizon_ms(&signs),
            });
        }
    }

    /// Whether the evidence grows too slowly for the rounds that are left to tell what is still open.
    fn is_hopeless(&self, run: &ExperimentRun, signs: &[Sign], reach_ms: u64) -> bool {
        let growth = (self.rounds + self.rounds_left(run)) as f64 / self.rounds as f64;
        let is_out_of_reach = |sign: &Sign| {
            let hope_ln = ((sign.evidence_ln - HOPE_LN) * growth).min(sign.promise_ln(growth));
            sign.exclude_ln
                .is_some_and(|exclude_ln| hope_ln > exclude_ln)
        };
        self.rounds >= HOPE_ROUNDS_MIN
            && signs
                .iter()
                .filter(|sign| sign.fit.tau_ms <= reach_ms && !sign.is_excluded())
                .any(is_out_of_reach)
    }

    /// Rounds that leave room for the hold-out that follows, each as long as the first.
    fn rounds_left(&self, run: &ExperimentRun) -> usize {
        let holdout_ms = match self.is_difference {
            true => holdout::wanted_ms(run, self.short),
            false => 0,
        };
        let left_ms = run.left_ms().saturating_sub(holdout_ms);
        let fit = (left_ms / (3 * self.soak_ms)) as usize;
        fit.min(ROUNDS_MAX.saturating_sub(self.rounds))
    }

    /// A difference must not be paid back, by half or in full, and its size is wrong if it builds up by half or
    /// more. An absence must not hide an effect that builds up on either side.
    fn signs<'a>(&self, run: &ExperimentRun, fit: &'a Carried) -> [Sign<'a>; 4] {
        let hidden_ln = 4.0 * run.plan.rope_ln();
        let sizes_ln = match self.is_difference {
            true => [-1.0, -0.5, 0.5, 1.0].map(|share| share * self.short.centre),
            false => [-hidden_ln, -hidden_ln / 2.0, hidden_ln / 2.0, hidden_ln],
        };
        let excludes_ln = match self.is_difference {
            true => [Some(EXCLUDE_LN), Some(EXCLUDE_HALF_LN), None, None],
            false => [
                Some(EXCLUDE_LN),
                Some(EXCLUDE_HALF_LN),
                Some(EXCLUDE_HALF_LN),
                Some(EXCLUDE_LN),
            ],
        };
        std::array::from_fn(|i| {
            let size_ln = sizes_ln[i];
            let is_payback = self.is_difference && size_ln * self.short.centre < 0.0;
            let limits = if is_payback && fit.tau_ms >= QUICK_MS {
                SLOW
            } else {
                QUICK
            };
            Sign {
                fit,
                size_ln,
                evidence_ln: fit.evidence_ln(size_ln),
                limits,
                exclude_ln: excludes_ln[i],
            }
        })
    }

    pub(super) fn found(&self) -> Audited {
        self.found.unwrap_or(Audited::Clean { horizon_ms: 0 })
    }

    /// Device time still to go if nothing is suspect, in milliseconds.
    pub(super) fn left_ms(&self) -> u64 {
        self.queue.iter().map(|(_, soak_ms)| soak_ms).sum()
    }
}

/// The longest time constant up to which every carried part that would change the claim is excluded.
fn horizon_ms(signs: &[Sign]) -> u64 {
    let first_open_ms = signs
        .iter()
        .find(|sign| !sign.is_excluded())
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
