//! From what the stages found to the verdict a person reads.

use model::metric::ExperimentMetric;
use model::units::{duration_ns, percent_or_open, percent_signed, span_ms};
use model::verdict::{ArmResult, Guard, Outcome, P99, PairRow, Reason, Verdict, VerdictStage};

use super::foreign;
use super::pairs::Pairs;
use super::plan::Class;
use super::run::ExperimentRun;
use stats::Estimate;

/// Difference between raw ratio and robust estimate that means rare events decide, on the logarithmic scale.
const TAIL_LN: f64 = 0.03;
/// Errors from which plain totals that point the other way forbid a win.
const TAIL_SCORE: f64 = 2.0;
/// Pairs that each third of the run needs before the thirds are compared.
const THIRD_MIN: usize = 6;

/// An effect with its interval, on the logarithmic scale, and where it was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub arm: usize,
    pub centre_ln: f64,
    pub low_ln: f64,
    pub high_ln: f64,
    pub stage: VerdictStage,
}

/// A conclusion that is not yet a document.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub outcome: Outcome,
    pub reason: Reason,
    pub arm: usize,
    pub effect: Option<Effect>,
    pub detail: String,
    pub p99: Option<P99>,
    pub detectable: Option<Detectable>,
}

/// What could be shown where the noise is too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detectable {
    /// All the device time that the pairs could have, in milliseconds.
    pub pairs_ms: u64,
    /// The smallest effect that pairs of that time could show, on the logarithmic scale.
    pub least_ln: f64,
}

impl Finding {
    pub(super) fn new(outcome: Outcome, reason: Reason) -> Self {
        Finding {
            outcome,
            reason,
            arm: 0,
            effect: None,
            detail: String::new(),
            p99: None,
            detectable: None,
        }
    }

    /// A refusal, with what was seen.
    pub(super) fn refused(reason: Reason, detail: impl Into<String>) -> Self {
        Finding {
            detail: detail.into(),
            ..Finding::new(Outcome::Refused, reason)
        }
    }

    pub(super) fn with(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }
}

/// A logarithm as ratio minus one; none for an interval that is open on that side.
pub(super) fn ratio(value_ln: f64) -> Option<f64> {
    Some(value_ln.exp_m1()).filter(|ratio| ratio.is_finite() && *ratio > -1.0)
}

/// Writes the verdict.
pub(super) fn verdict(run: &ExperimentRun, arms: Vec<ArmResult>, finding: Finding) -> Verdict {
    let effect = finding.effect.as_ref();
    let names = &run.plan.arms;
    let raw = effect
        .and_then(|effect| raw_ratio(run, effect))
        .map(|(ratio_ln, _)| ratio_ln);
    Verdict {
        outcome: finding.outcome,
        arm: names[finding.arm].clone(),
        reason: finding.reason,
        sentence: sentence(run, &finding),
        metric: run.plan.metric.clone(),
        effect: effect.and_then(|effect| ratio(effect.centre_ln)),
        low: effect.and_then(|effect| ratio(effect.low_ln)),
        high: effect.and_then(|effect| ratio(effect.high_ln)),
        estimated_in: effect.map(|effect| effect.stage),
        compared: effect.map(|effect| names[effect.arm].clone()),
        windows: run.windows,
        device_ms: run.clock_ms,
        seed: run.plan.seed,
        alpha: run.plan.alpha,
        rope: run.plan.rope,
        window_ms: run.window_ms,
        washout_ms: run.washout_ms,
        horizon_ms: run.horizon_ms,
        memory_ms: run.plan.memory_ms,
        raw_effect: raw.and_then(ratio),
        lives_in_tail: effect
            .zip(raw)
            .is_some_and(|(effect, raw)| (raw - effect.centre_ln).abs() > TAIL_LN),
        smallest_detectable: finding.detectable.and_then(|least| ratio(least.least_ln)),
        p99: finding.p99,
        arms,
        foreign: run.foreign.by_arm(names),
        stages: run.costs.clone(),
        pairs: run.rows.clone(),
        notes: run.notes.clone(),
    }
}

/// Checks that every win must pass beyond its interval; the first that fails is the conclusion instead.
pub(super) fn objection(
    run: &ExperimentRun,
    effect: &Effect,
    p99: Option<&P99>,
) -> Option<Finding> {
    if let Some(contradiction) = contradiction(run, effect).filter(|found| found.score > TAIL_SCORE)
    {
        let detail = format!(
            "the plain totals differ by {}",
            change(&run.plan.metric, contradiction.raw_ln)
        );
        return Some(Finding::refused(Reason::TailEffect, detail).with(*effect));
    }
    if let Some(spread_ln) = phase_spread(run, effect) {
        let detail = format!(
            "thirds of the run differ by {}",
            percent_signed(spread_ln.exp_m1())
        );
        return Some(Finding::refused(Reason::PhaseDependent, detail).with(*effect));
    }
    if let Some(finding) = foreign::taken(run, effect) {
        return Some(finding);
    }
    let guard = p99.map_or(Guard::NotJudged, |p99| p99.guard);
    let wins = effect.centre_ln > 0.0 && !run.plan.accept_worse_p99;
    match guard {
        Guard::Failed if wins => Some(Finding::refused(Reason::P99Worse, "").with(*effect)),
        Guard::Open if wins => {
            Some(Finding::new(Outcome::Inconclusive, Reason::P99NotProven).with(*effect))
        }
        _ => None,
    }
}

/// Plain totals that point the other way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contradiction {
    /// Ratio of the totals, on the logarithmic scale.
    pub raw_ln: f64,
    /// How many errors it is away from nothing.
    pub score: f64,
}

/// Whether the plain totals contradict the robust estimate by more than the region.
pub(super) fn contradiction(run: &ExperimentRun, effect: &Effect) -> Option<Contradiction> {
    let (raw_ln, error_ln) = raw_ratio(run, effect)?;
    let opposite_ln = -raw_ln * effect.centre_ln.signum();
    (opposite_ln > run.plan.rope_ln()).then(|| Contradiction {
        raw_ln,
        score: opposite_ln / error_ln.max(1e-9),
    })
}

/// The pairs of an arm with the default since data were last dropped.
fn rows(run: &ExperimentRun, arm: usize) -> impl Iterator<Item = &PairRow> {
    let name = &run.plan.arms[arm];
    run.rows[run.attempt_row.min(run.rows.len())..]
        .iter()
        .filter(move |row| row.arm == *name)
}

/// Logarithm of the ratio of plain totals in the effect's stage, with its error.
fn raw_ratio(run: &ExperimentRun, effect: &Effect) -> Option<(f64, f64)> {
    let rates: Vec<(f64, f64)> = rows(run, effect.arm)
        .filter(|row| row.stage == effect.stage)
        .map(|row| (row.rate_default, row.rate_arm))
        .collect();
    let (ratio_ln, error_ln) = totals_ratio(&rates)?;
    Some((run.level.gain_ln(ratio_ln), error_ln))
}

/// Logarithm of the ratio of two totals, the second over the first, from pairs of their parts; with its error.
pub(super) fn totals_ratio(pairs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let default: f64 = pairs.iter().map(|(default, _)| default).sum();
    let arm: f64 = pairs.iter().map(|(_, arm)| arm).sum();
    if !(default > 0.0 && arm > 0.0) {
        return None;
    }
    let residuals: Vec<f64> = pairs.iter().map(|(d, a)| a - d * arm / default).collect();
    let error_ln = stats::standard_deviation(&residuals) * (pairs.len() as f64).sqrt() / arm;
    Some(((arm / default).ln(), error_ln))
}

/// How far the thirds of the run are apart, if that is more than half the effect and more than chance.
fn phase_spread(run: &ExperimentRun, effect: &Effect) -> Option<f64> {
    let differences: Vec<f64> = rows(run, effect.arm).map(|row| row.effect_ln).collect();
    let third = differences.len() / 3;
    if third < THIRD_MIN {
        return None;
    }
    let thirds: Vec<Estimate> = differences
        .chunks(third)
        .take(3)
        .map(Estimate::of)
        .collect();
    let high = thirds.iter().max_by(|a, b| a.centre.total_cmp(&b.centre))?;
    let low = thirds.iter().min_by(|a, b| a.centre.total_cmp(&b.centre))?;
    let spread_ln = high.centre - low.centre;
    let limit_ln = run.plan.rope_ln().max(0.5 * effect.centre_ln.abs());
    let chance_ln = stats::t_quantile(0.9995, third - 1) * high.error.hypot(low.error);
    (spread_ln > limit_ln.max(chance_ln)).then_some(spread_ln)
}

/// Notes a pairs stage that ended without a decision.
pub(super) fn undecided(run: &ExperimentRun, pairs: &Pairs, arm: usize) -> Finding {
    let (low_ln, high_ln) = pairs.interval(run);
    let centre_ln = pairs.estimate().centre;
    Finding::new(Outcome::Inconclusive, Reason::BudgetSpent).with(Effect {
        arm,
        centre_ln,
        low_ln,
        high_ln,
        stage: Pairs::STAGE,
    })
}

fn sentence(run: &ExperimentRun, finding: &Finding) -> String {
    let said = said(run, finding);
    let is_claim = matches!(finding.outcome, Outcome::Better | Outcome::Equal);
    match is_claim && run.horizon_ms < run.plan.memory_ms {
        true => format!(
            "{said} That is in windows of {}; whether it lasts is not known.",
            span_ms(run.window_ms)
        ),
        false => said,
    }
}

/// `none against bfq +59 % (+57 % to +61 %)`; empty where there is no effect.
fn span(run: &ExperimentRun, finding: &Finding) -> String {
    let Some(effect) = &finding.effect else {
        return String::new();
    };
    let metric = &run.plan.metric;
    let bound = match finding.reason {
        Reason::BudgetSpent => percent_or_open,
        _ => percent_signed,
    };
    let (low, high) = metric.change_interval(effect.low_ln.exp_m1(), effect.high_ln.exp_m1());
    format!(
        "{} against {} {} ({} to {})",
        run.plan.arms[effect.arm],
        run.plan.arms[0],
        change(metric, effect.centre_ln),
        bound(low),
        bound(high)
    )
}

/// What was concluded, without how long it holds.
fn said(run: &ExperimentRun, finding: &Finding) -> String {
    let name = |arm: usize| run.plan.arms[arm].as_str();
    let metric = &run.plan.metric;
    let span = span(run, finding);
    let rope = percent_signed(run.plan.rope);
    let detail = &finding.detail;
    match finding.reason {
        Reason::Confirmed => format!("A fresh hold-out confirms it: {span}."),
        Reason::DefaultWins => format!("The default {} is better: {span}.", name(0)),
        Reason::WithinRope => format!("No difference beyond ±{}: {span}.", &rope[1..]),
        Reason::DefaultIsBest => format!("No arm beats the default by more than {rope}; next best {span}."),
        Reason::BudgetSpent if !detail.is_empty() => {
            format!("The budget ended {detail}; give more with --budget.")
        }
        Reason::BudgetSpent if is_longest(run) => {
            format!("As many blocks as a slow setting is given cannot tell: {span}. Try it under a steadier load.")
        }
        // Part of the budget is set aside for the stages after the comparison, so it need not be used up.
        Reason::BudgetSpent => {
            let seen = if span.is_empty() { String::new() } else { format!(": {span}") };
            format!(
                "What the budget leaves for comparing was too short to decide{seen}; give more with --budget."
            )
        }
        Reason::Selected if finding.arm == 0 => format!("Nothing is ahead of {}: {span}.", name(0)),
        Reason::Selected => format!("{} is ahead, which is not yet a proof: {span}.", name(finding.arm)),
        Reason::NotConfirmed => {
            format!("The hold-out did not confirm the difference, which was {detail} before it: {span}.")
        }
        Reason::P99NotProven => {
            format!(
                "Better in {} ({span}), but it is not shown that p99 stays within 10 %: {}.",
                metric.name,
                p99(finding)
            )
        }
        Reason::P99Worse => {
            format!("Better in {} ({span}), but p99 is worse: {}.", metric.name, p99(finding))
        }
        Reason::PhaseDependent => format!("The effect depends on the phase of the run: {detail}; {span}."),
        Reason::TailEffect => format!("Rare events outweigh the typical effect: {detail}, but {span}."),
        Reason::Throttled => format!("The device is throttled: {detail}."),
        Reason::Saturated => {
            "Half the depth gives the same rate, so something else is the limit; judge by latency instead (tune --metric latency)."
                .into()
        }
        Reason::TooNoisy => too_noisy(run, finding),
        Reason::OutlierHost => format!("Something disturbs the host: {detail}; {span}."),
        Reason::CarryOver => format!("The effect does not stay the same while an arm stays: {detail}."),
        Reason::SlowToSettle => format!("A switch takes too long to settle: {detail}."),
        Reason::ForeignIo => {
            format!("Other programs lose what this load gains: {span}, {detail}.")
        }
        Reason::ApplyFailed => format!("The setting did not take: {detail}."),
        Reason::BoundCrossed => format!("Stopped at once: {detail}."),
        Reason::WindowFailed => format!("Several windows in a row could not be measured: {detail}."),
        Reason::NoIo => "Most windows completed no I/O at all.".into(),
    }
}

/// What the budget could show, and which would show the region.
fn too_noisy(run: &ExperimentRun, finding: &Finding) -> String {
    let (detail, rope) = (&finding.detail, percent_signed(run.plan.rope));
    let (least_ln, pairs_ms) = finding
        .detectable
        .map_or((0.0, 0), |least| (least.least_ln, least.pairs_ms));
    let (least, pairs) = (percent_signed(least_ln.exp_m1()), span_ms(pairs_ms));
    format!("Too noisy: {pairs} of pairs can show no effect below {least}; {detail} {rope}.")
}

/// Whether the slow design has run in full: more time would not give it more blocks.
fn is_longest(run: &ExperimentRun) -> bool {
    let windows = (super::slow::BLOCKS_MAX * run.plan.arms.len()) as u64;
    run.plan.class == Class::Slow && run.windows >= windows
}

/// How far the metric moves with a gain, given as a logarithm: `−12 %`.
pub(super) fn change(metric: &ExperimentMetric, gain_ln: f64) -> String {
    percent_signed(metric.change(gain_ln.exp_m1()))
}

/// `−12 % (−40 % to +22 %)`.
fn p99(finding: &Finding) -> String {
    let Some(p99) = &finding.p99 else {
        return "not measured".into();
    };
    let change = |ratio: f64| percent_signed(ratio - 1.0);
    match (p99.low, p99.high) {
        (Some(low), Some(high)) => format!(
            "{} ({} to {})",
            change(p99.ratio),
            change(low),
            change(high)
        ),
        _ => change(p99.ratio),
    }
}

/// A time constant for people.
pub(super) fn tau(tau_ms: u64) -> String {
    duration_ns(tau_ms as f64 * 1e6)
}
