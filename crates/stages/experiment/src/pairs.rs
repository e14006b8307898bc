//! Pairs of the default and one arm, judged after every pair, until the difference or its absence is proved.

use super::conclude::Detectable;
use super::duo::Duo;
use super::evidence::{self, EvidenceScale, Sums};
use super::forecast::Forecast;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use model::verdict::VerdictStage;
use stats::Estimate;

/// Noise of a pair that is assumed while there are next to none, on the logarithmic scale.
const GUESSED_DEVIATION_LN: f64 = 0.02;

/// What the pairs say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FoundPairs {
    /// The arm differs from the default by more than the region; the sign tells which is faster.
    Differs,
    /// The difference lies inside the region.
    Equal,
    /// The budget ended first.
    Open,
    /// The noise will not let the budget suffice.
    TooNoisy,
}

/// Progress of the pairs.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    duo: Duo,
    scale: EvidenceScale,
    /// Evidence against an effect of nothing, of the region's upper and of its lower edge.
    sums: [Sums; 3],
    pub differences_ln: Vec<f64>,
    started_ms: u64,
    found: Option<FoundPairs>,
}

impl Pairs {
    pub(super) fn new(run: &mut ExperimentRun, arm: usize, scale: EvidenceScale) -> Self {
        Pairs {
            duo: Duo::new(run, arm),
            scale,
            sums: [Sums::default(); 3],
            differences_ln: Vec::new(),
            started_ms: run.clock_ms,
            found: None,
        }
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        self.found.is_none().then(|| self.duo.want(run))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        let Some(difference_ln) = self.duo.accept(run, sample) else {
            return;
        };
        let rope_ln = run.plan.rope_ln();
        for (sums, effect_ln) in self.sums.iter_mut().zip([0.0, rope_ln, -rope_ln]) {
            sums.add(&self.scale, difference_ln - effect_ln);
        }
        self.differences_ln.push(difference_ln);
        self.found = self.judge(run);
    }

    fn judge(&self, run: &ExperimentRun) -> Option<FoundPairs> {
        let [none, upper, lower] = &self.sums;
        if lower.is_above(&self.scale, run.alpha) && upper.is_below(&self.scale, run.alpha) {
            return Some(FoundPairs::Equal);
        }
        let half = run.alpha / 2.0;
        if none.is_above(&self.scale, half) || none.is_below(&self.scale, half) {
            let centre = stats::huber(&self.differences_ln);
            if centre.abs() > run.plan.rope_ln() {
                return Some(FoundPairs::Differs);
            }
        }
        let left_ms = self.left_ms(run);
        if left_ms < 2 * run.window_ms {
            return Some(FoundPairs::Open);
        }
        self.is_futile(run, left_ms).then_some(FoundPairs::TooNoisy)
    }

    /// Whether even an effect one error above the estimate would need more pairs than the budget still pays for.
    fn is_futile(&self, run: &ExperimentRun, left_ms: u64) -> bool {
        let forecast = self.forecast(run);
        let hope_ln = forecast.hope_either_ln().max(run.plan.rope_ln());
        Forecast::is_due(self.differences_ln.len()) && !forecast.fits(hope_ln, left_ms)
    }

    /// What the pairs' own noise asks for.
    fn forecast(&self, run: &ExperimentRun) -> Forecast {
        Forecast::new(self.estimate(), run.alpha, 2 * run.window_ms)
    }

    /// The interval holds at every moment, so that pairs that are still open may go on for as long as a proof fits.
    fn left_ms(&self, run: &ExperimentRun) -> u64 {
        run.undecided_left_ms(self.started_ms)
    }

    /// All the device time that the pairs can have, in milliseconds.
    fn whole_ms(&self, run: &ExperimentRun) -> u64 {
        run.clock_ms - self.started_ms + self.left_ms(run)
    }

    pub(super) fn found(&self) -> FoundPairs {
        self.found.unwrap_or(FoundPairs::Open)
    }

    /// Robust estimate so far.
    pub(super) fn estimate(&self) -> Estimate {
        Estimate::of(&self.differences_ln)
    }

    /// Interval valid at this and every other moment.
    pub(super) fn interval(&self, run: &ExperimentRun) -> (f64, f64) {
        evidence::interval(&self.scale, &self.differences_ln, run.alpha)
    }

    /// The interval on which a verdict of equality rests: two one-sided tests at `alpha` each.
    pub(super) fn interval_equal(&self, run: &ExperimentRun) -> (f64, f64) {
        evidence::interval(&self.scale, &self.differences_ln, 2.0 * run.alpha)
    }

    /// Smallest effect that all the time for pairs could show.
    pub(super) fn detectable(&self, run: &ExperimentRun) -> Detectable {
        self.forecast(run).detectable(self.whole_ms(run))
    }

    /// Device time of the pairs that would show an effect as large as the region, in milliseconds.
    pub(super) fn enough_ms(&self, run: &ExperimentRun) -> u64 {
        self.forecast(run).enough_ms(run.plan.rope_ln())
    }

    /// Share of pairs further than the clip from the estimate.
    pub(super) fn outlier_share(&self) -> f64 {
        let centre = stats::huber(&self.differences_ln);
        let outliers = self
            .differences_ln
            .iter()
            .filter(|d| (*d - centre).abs() > self.scale.clip_ln);
        outliers.count() as f64 / self.differences_ln.len().max(1) as f64
    }

    /// Guess of the device time still to go, in milliseconds.
    pub(super) fn expected_left_ms(&self, run: &ExperimentRun) -> u64 {
        let mut estimate = self.estimate();
        if estimate.count < 4 {
            estimate.error = GUESSED_DEVIATION_LN / (estimate.count.max(1) as f64).sqrt();
        }
        let forecast = Forecast::new(estimate, run.alpha, 2 * run.window_ms);
        let hope_ln = estimate.centre.abs().max(run.plan.rope_ln());
        let pairs = forecast.blocks_to_show(hope_ln) - estimate.count as f64;
        (pairs.max(1.0) * 2.0 * run.window_ms as f64).min(self.left_ms(run) as f64) as u64
    }

    /// Stage of the pairs, for the log.
    pub(super) const STAGE: VerdictStage = VerdictStage::Pairs;
}
