//! Many arms: randomised complete blocks, one window per arm still in the race, and arms drop out as soon as another
//! one is proved faster.
//!
//! Each comparison is one-sided at α/(K − 1), because only comparisons with the truly best arm can cause a wrong pick.

use model::verdict::{ArmResult, PairRow, VerdictStage};

use super::conclude::{Detectable, ratio};
use super::evidence::{self, EvidenceScale, Sums};
use super::forecast::Forecast;
use super::halving::Halving;
use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use stats::Estimate;

const BLOCKS_BEFORE_LOOK: usize = 6;

/// How the race ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raced {
    /// The default was dropped; this arm leads.
    Leads(usize),
    /// Nothing beats the default by more than the region; this is the best of the others.
    DefaultBest(usize),
    /// The budget ended with the default still in the race.
    Open(usize),
    /// The noise will not let the budget suffice.
    TooNoisy(usize),
}

/// Progress of the race.
#[derive(Clone, Debug)]
pub(super) struct Race {
    scale: EvidenceScale,
    alpha: f64,
    alive: Vec<usize>,
    order: Vec<usize>,
    levels_ln: Vec<f64>,
    rates: Vec<f64>,
    /// Evidence about `level[i] − level[j]`, and about the same less the region.
    ahead: Vec<Vec<Sums>>,
    ahead_of_rope: Vec<Vec<Sums>>,
    against_default_ln: Vec<Vec<f64>>,
    blocks: usize,
    started_ms: u64,
    halving: Option<Halving>,
    found: Option<Raced>,
}

impl Race {
    pub(super) fn new(run: &mut ExperimentRun, scale: EvidenceScale) -> Self {
        let arms = run.plan.arms.len();
        let halving = Halving::if_needed(run);
        let racing = halving.as_ref().map_or(arms, Halving::finalists);
        let mut race = Race {
            scale,
            alpha: run.alpha / (racing - 1).max(1) as f64,
            alive: (0..arms).collect(),
            order: Vec::new(),
            levels_ln: vec![0.0; arms],
            rates: vec![0.0; arms],
            ahead: vec![vec![Sums::default(); arms]; arms],
            ahead_of_rope: vec![vec![Sums::default(); arms]; arms],
            against_default_ln: vec![Vec::new(); arms],
            blocks: 0,
            started_ms: run.clock_ms,
            halving,
            found: None,
        };
        race.refill(run);
        race
    }

    fn refill(&mut self, run: &mut ExperimentRun) {
        self.order = run
            .shuffled(self.alive.len())
            .iter()
            .map(|&place| self.alive[place])
            .collect();
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        if self.found.is_some() {
            return None;
        }
        self.order
            .last()
            .map(|arm| Want::new(*arm, run.window_ms, run.washout_ms))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        self.order.pop();
        self.levels_ln[sample.arm] = run.level.of(sample.kept());
        self.rates[sample.arm] = stats::mean(sample.kept());
        if !self.order.is_empty() {
            return;
        }
        match self.halving.take() {
            Some(halving) => self.halve(halving, run),
            None => {
                self.score(run);
                self.found = self.judge(run);
            }
        }
        self.refill(run);
    }

    fn halve(&mut self, mut halving: Halving, run: &ExperimentRun) {
        halving.add(&self.alive, &self.levels_ln);
        if halving.is_round_over(run, self.alive.len()) {
            self.alive = halving.survivors(&self.alive);
        }
        if self.alive.len() > halving.finalists() {
            self.halving = Some(halving);
        } else {
            // What chose the finalists must not also crown one of them.
            self.started_ms = run.clock_ms;
        }
    }

    fn score(&mut self, run: &mut ExperimentRun) {
        self.blocks += 1;
        let rope_ln = run.plan.rope_ln();
        for &i in &self.alive {
            for &j in self.alive.iter().filter(|j| **j != i) {
                let lead_ln = self.levels_ln[i] - self.levels_ln[j];
                self.ahead[i][j].add(&self.scale, lead_ln);
                self.ahead_of_rope[i][j].add(&self.scale, lead_ln - rope_ln);
            }
        }
        if self.alive.contains(&0) {
            self.log(run);
        }
    }

    fn log(&mut self, run: &mut ExperimentRun) {
        for &arm in self.alive.iter().filter(|arm| **arm != 0) {
            let effect_ln = self.levels_ln[arm] - self.levels_ln[0];
            self.against_default_ln[arm].push(effect_ln);
            run.rows.push(PairRow {
                stage: VerdictStage::Race,
                arm: run.plan.arms[arm].clone(),
                default_first: false,
                rate_default: self.rates[0],
                rate_arm: self.rates[arm],
                effect_ln,
            });
        }
    }

    fn judge(&mut self, run: &ExperimentRun) -> Option<Raced> {
        if self.blocks < BLOCKS_BEFORE_LOOK {
            return None;
        }
        self.drop_beaten();
        let leader = self.leader(&self.alive)?;
        if !self.alive.contains(&0) {
            let rest_is_close = self
                .alive
                .iter()
                .all(|arm| *arm == leader || self.is_close(*arm, leader));
            return (rest_is_close || self.left_ms(run) == 0).then_some(Raced::Leads(leader));
        }
        self.judge_default(run)
    }

    /// What is known while the default is in the race.
    fn judge_default(&self, run: &ExperimentRun) -> Option<Raced> {
        let others: Vec<usize> = self.alive.iter().copied().filter(|arm| *arm != 0).collect();
        let rival = self.leader(&others).or_else(|| self.best_dropped())?;
        if others.iter().all(|arm| self.is_close(*arm, 0)) {
            return Some(Raced::DefaultBest(rival));
        }
        if self.left_ms(run) < self.block_ms(run) {
            return Some(Raced::Open(rival));
        }
        self.is_futile(run, &others)
            .then_some(Raced::TooNoisy(rival))
    }

    /// Whether none of the others can be shown to be ahead of the default, nor all of them to be close to it, with as many
    /// blocks as the budget still pays for, though the truth were an error better than it looks.
    fn is_futile(&self, run: &ExperimentRun, others: &[usize]) -> bool {
        if run.plan.only_selects || !Forecast::is_due(self.blocks) {
            return false;
        }
        let (left_ms, rope_ln) = (self.left_ms(run), run.plan.rope_ln());
        let forecasts: Vec<Forecast> = others.iter().map(|arm| self.forecast(run, *arm)).collect();
        let may_lead = forecasts.iter().any(|arm| arm.fits(arm.hope_ln(), left_ms));
        let may_be_close = forecasts
            .iter()
            .all(|arm| arm.fits(arm.hope_below_ln(rope_ln), left_ms));
        !may_lead && !may_be_close
    }

    /// What the noise of an arm against the default asks for.
    fn forecast(&self, run: &ExperimentRun, arm: usize) -> Forecast {
        Forecast::new(self.estimate(arm), self.alpha, self.block_ms(run))
    }

    /// A block of those still racing, in milliseconds.
    fn block_ms(&self, run: &ExperimentRun) -> u64 {
        self.alive.len() as u64 * run.window_ms
    }

    /// Smallest lead of an arm over the default that all the time for the race could show.
    pub(super) fn detectable(&self, run: &ExperimentRun, arm: usize) -> Detectable {
        let whole_ms = run.clock_ms - self.started_ms + self.left_ms(run);
        self.forecast(run, arm).detectable(whole_ms)
    }

    /// Device time of a race that would show a lead as large as the region, in milliseconds.
    pub(super) fn enough_ms(&self, run: &ExperimentRun, arm: usize) -> u64 {
        self.forecast(run, arm).enough_ms(run.plan.rope_ln())
    }

    fn drop_beaten(&mut self) {
        let is_beaten = |arm: &usize| {
            self.alive
                .iter()
                .any(|by| self.ahead[*arm][*by].is_below(&self.scale, self.alpha))
        };
        let alive: Vec<usize> = self
            .alive
            .iter()
            .copied()
            .filter(|arm| !is_beaten(arm))
            .collect();
        // Evidence can run in a circle only through chance; then nobody is dropped.
        if !alive.is_empty() {
            self.alive = alive;
        }
    }

    /// The arm with the greatest summed lead over those still racing.
    fn leader(&self, among: &[usize]) -> Option<usize> {
        let lead = |arm: usize| {
            self.alive
                .iter()
                .map(|by| self.ahead[arm][*by].sum())
                .sum::<f64>()
        };
        among
            .iter()
            .copied()
            .max_by(|a, b| lead(*a).total_cmp(&lead(*b)))
    }

    fn best_dropped(&self) -> Option<usize> {
        let effect = |arm: usize| stats::huber(&self.against_default_ln[arm]);
        (1..self.levels_ln.len())
            .filter(|arm| !self.against_default_ln[*arm].is_empty())
            .max_by(|a, b| effect(*a).total_cmp(&effect(*b)))
    }

    /// Whether `arm` is proved to be ahead of `of` by less than the region.
    fn is_close(&self, arm: usize, of: usize) -> bool {
        self.ahead_of_rope[arm][of].is_below(&self.scale, self.alpha)
    }

    /// Once the default is beaten there is something to prove, and which of the others is the very best is worth no more
    /// than the comparison's own part. Until then the race may go on for as long as a proof fits.
    fn left_ms(&self, run: &ExperimentRun) -> u64 {
        match self.alive.contains(&0) {
            true => run.undecided_left_ms(self.started_ms),
            false => run.own_left_ms(self.started_ms),
        }
    }

    pub(super) fn found(&self) -> Option<Raced> {
        self.found
    }

    /// Robust estimate of an arm against the default.
    pub(super) fn estimate(&self, arm: usize) -> Estimate {
        Estimate::of(&self.against_default_ln[arm])
    }

    /// Interval of an arm against the default, valid at any moment.
    pub(super) fn interval(&self, arm: usize) -> (f64, f64) {
        evidence::interval(&self.scale, &self.against_default_ln[arm], 2.0 * self.alpha)
    }

    /// How many arms are still racing.
    pub(super) fn racing(&self) -> usize {
        self.alive.len()
    }

    /// Blocks since the race proper began.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The arm ahead at the moment.
    pub(super) fn leading(&self) -> usize {
        self.leader(&self.alive).unwrap_or(0)
    }

    /// Every arm but the default, with its interval.
    pub(super) fn results(&self, names: &[String]) -> Vec<ArmResult> {
        (1..names.len())
            .map(|arm| {
                let known = !self.against_default_ln[arm].is_empty();
                let (low, high) = if known {
                    self.interval(arm)
                } else {
                    (0.0, 0.0)
                };
                ArmResult {
                    arm: names[arm].clone(),
                    effect: known.then(|| self.estimate(arm).centre.exp_m1()),
                    low: ratio(low).filter(|_| known),
                    high: ratio(high).filter(|_| known),
                    dropped: !self.alive.contains(&arm),
                }
            })
            .collect()
    }

    /// Guess of the device time still to go: twenty blocks more of what is left.
    pub(super) fn expected_left_ms(&self, run: &ExperimentRun) -> u64 {
        let blocks = 20usize.saturating_sub(self.blocks).max(4) as u64;
        (blocks * self.block_ms(run)).min(self.left_ms(run))
    }
}
