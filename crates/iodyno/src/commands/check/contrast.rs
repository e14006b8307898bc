//! Two loads in turns: the experiment of a finding about which no knob decides.
//!
//! Each run is a window of the slow design: a fixed number of blocks in random order and one look, as for any program that is
//! run again. Nothing is changed but scratch of our own.

use super::measure::shared_lock;
use super::profile;
use super::prove::undecided;
use crate::commands::run::targets;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use diagnose::Contrast;
use experiment::{Ask, BIN_MS, Class, Experiment, ExperimentPlan, Window, WindowReport};
use host::clock;
use host::signals::Stop;
use load::{Consent, Prepared, Region};
use model::finding::{FindingProof, ProofOutcome};
use model::job::Job;
use model::metric::ExperimentMetric;
use model::verdict::{Outcome, Verdict};
use std::path::Path;

/// Length of a run, ms: a dozen syncs of a spinning disk at the least.
const RUN_MS: u64 = 1_000;
/// Runs may take longer than asked by one part of so many.
const OVERRUN_PART: u64 = 8;
/// How often a run is looked at, ms.
const LOOK_MS: u64 = 20;
/// The arm without what the finding blames; the default is the one with it.
const WITHOUT: &str = "without";

/// Runs both in turns and says whether the one without is faster.
///
/// # Errors
/// The target cannot be loaded, or the budget is too short, or somebody stopped it.
pub(super) fn proof(
    contrast: &Contrast,
    context: &Context,
    target: &str,
    budget_ms: u64,
) -> Result<FindingProof, Failure> {
    let jobs = [job(contrast.with)?, job(contrast.without)?];
    let path = inventory::collect(&context.host, target)?;
    let stop = context.stop_on_signals()?;
    let _lock = shared_lock(context, &path)?;
    let opened = targets::opened(Path::new(target), &path)?;
    let all = load::covering(&[&jobs[0], &jobs[1]], true);
    let (host, consent) = (&context.host, Consent::default());
    let prepared = load::prepare(host, &opened, &all, &consent, &stop, &mut |_, _| {})?;
    let verdict = compared(&prepared, &jobs, &stop, plan(budget_ms))?;
    Ok(proof_of(contrast, &verdict))
}

fn job(words: &str) -> Result<Job, Failure> {
    let words: Vec<String> = words.split_whitespace().map(Into::into).collect();
    let job = profile::jobs(&words)?.into_iter().next();
    let job = job.ok_or_else(|| Failure::new(Exit::Failed, "the contrast names no load."))?;
    // A fast disk is through its range before a run is over.
    Ok(Job {
        time_based: true,
        runtime_ms: RUN_MS,
        ..job
    })
}

fn plan(budget_ms: u64) -> ExperimentPlan {
    let metric = ExperimentMetric::iops().of_runs(RUN_MS);
    let arms = vec!["with".into(), WITHOUT.into()];
    let seed = clock::monotonic_ns();
    let usual = ExperimentPlan::new(arms, Class::Slow, seed).by(metric);
    // What a run leaves in the device's cache is gone with the first syncs of the next.
    let short = ExperimentPlan {
        memory_ms: RUN_MS,
        ..usual
    };
    let usual_ms = short.whole_ms;
    let fitted = short.within(budget_ms.min(usual_ms));
    // A run ends with the syncs that are in flight, so all of them take longer than asked: the last must fit in, too.
    ExperimentPlan {
        whole_ms: budget_ms.min(usual_ms + usual_ms / OVERRUN_PART),
        ..fitted
    }
}

/// Asks and tells until there is a verdict.
fn compared(
    prepared: &Prepared,
    jobs: &[Job; 2],
    stop: &Stop,
    plan: ExperimentPlan,
) -> Result<Verdict, Failure> {
    let mut experiment = Experiment::new(plan).map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("the comparison cannot be planned: {error}."),
        )
    })?;
    loop {
        let window = match experiment.ask() {
            Ask::Done(verdict) => return Ok(*verdict),
            Ask::Window(window) => window,
        };
        let report = run(prepared, &jobs[window.arm], &window, stop)?;
        experiment.tell(report).map_err(|error| {
            Failure::new(
                Exit::Failed,
                format!("the comparison was told wrong: {error}."),
            )
        })?;
    }
}

/// One run, told as its rate in each bin of it.
fn run(
    prepared: &Prepared,
    job: &Job,
    window: &Window,
    stop: &Stop,
) -> Result<WindowReport, Failure> {
    let mut running = load::start(prepared, job, window.id, Region::WHOLE)?;
    let end_ns = running.origin_ns() + RUN_MS * 1_000_000;
    while clock::monotonic_ns() < end_ns && running.wait_ms(LOOK_MS, stop) && !running.is_over() {
        running.poll();
    }
    running.stop();
    if stop.is_asked() {
        let message = format!(
            "stopped by {} in the middle of a proof; no setting was touched.",
            stop.signal_name()
        );
        return Err(Failure::new(Exit::Interrupted, message));
    }
    if let Some(failure) = running.failure() {
        return Err(failure.into());
    }
    let load = running.finish();
    prepared.sync()?;
    let bins = (load.elapsed_ms as u64 / BIN_MS).max(1);
    Ok(WindowReport::Measured {
        id: window.id,
        rates: vec![load.iops(); bins as usize],
        latency: None,
        foreign: None,
    })
}

fn proof_of(contrast: &Contrast, verdict: &Verdict) -> FindingProof {
    let is_faster = verdict.outcome == Outcome::Better && verdict.arm == WITHOUT;
    let outcome = match verdict.outcome {
        _ if is_faster => ProofOutcome::Confirmed,
        Outcome::Better | Outcome::Equal => ProofOutcome::Refuted,
        Outcome::Inconclusive | Outcome::Refused => ProofOutcome::Undecided,
    };
    let told = view::effect::Effect::of(verdict).map_or_else(
        || verdict.sentence.clone(),
        |effect| effect.claim(&verdict.metric.name),
    );
    let claimed = |bound: Option<f64>| bound.filter(|_| is_faster);
    FindingProof {
        outcome,
        effect: claimed(verdict.effect),
        low: claimed(verdict.low),
        high: claimed(verdict.high),
        ..undecided(format!("a load {}: {told}", contrast.words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_loads_and_stand_in_the_experiment_of_their_cause() {
        let mut seen = 0;
        for cause in diagnose::causes::ALL {
            let Some(contrast) = &cause.contrast else {
                continue;
            };
            let (with, without) = (job(contrast.with).unwrap(), job(contrast.without).unwrap());
            assert_ne!(with, without, "{}", cause.id);
            assert!(with.rw == without.rw && with.size == without.size);
            let pasted = format!("iodyno run {{target}} -- {}", contrast.with);
            assert_eq!(
                report::check::command(&cause.experiment.template()),
                Some(pasted),
                "{}",
                cause.id
            );
            let other = contrast.without.split(' ');
            let changed = other.filter(|word| !contrast.with.contains(word));
            for word in changed {
                assert!(
                    cause.experiment.template().contains(word),
                    "{}: {word}",
                    cause.id
                );
            }
            seen += 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn the_shortest_budget_that_decides_is_half_a_minute() {
        assert!(Experiment::new(plan(30_000)).is_ok());
        assert!(Experiment::new(plan(10_000)).is_err());
        assert!(
            plan(3_600_000).whole_ms <= 60_000,
            "more runs are not needed"
        );
    }
}
