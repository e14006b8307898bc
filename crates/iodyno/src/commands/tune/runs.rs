//! `--run-again`: a command that ends by itself, run once before anything is planned, so that the plan can say how long the
//! comparison takes.

use super::TuneArgs;
use super::plan::TunePlan;
use crate::context::Context;
use crate::exit::Failure;
use load::engines::command::{self, RunOnce};
use model::job::Job;
use model::units::span_ms;

/// A shorter run is mostly the start of a shell, ns.
const SHORTEST_NS: u64 = 300_000_000;
/// What a run is taken to last where none was tried (`--dry-run`), ns.
const UNTRIED_NS: u64 = 10_000_000_000;

/// The job of a tune: with the command run again for each window where that was asked for.
pub fn job(args: &TuneArgs, job: Job) -> Job {
    let mut job = job;
    if args.run_again {
        job.engine_options.insert("again".into(), "1".into());
    }
    job
}

/// Runs the command once with the values that are in place; none where it is not run again.
pub fn first(args: &TuneArgs, context: &Context, job: &Job) -> Result<Option<RunOnce>, Failure> {
    if !args.run_again {
        return Ok(None);
    }
    if args.dry_run {
        return Ok(Some(RunOnce {
            took_ns: UNTRIED_NS,
            result: args.job.metric_regex.as_ref().map(|_| 0.0),
        }));
    }
    context
        .out
        .note("running the command once, to see how long it takes");
    let stop = context.stop_on_signals()?;
    let longest_ms = args.budget.min(experiment::RUN_MAX_MS);
    let ran = command::once(job, longest_ms, &stop)?;
    if stop.is_asked() {
        return Err(crate::exit::Failure::new(
            crate::exit::Exit::Interrupted,
            format!("stopped by {}; nothing was changed.", stop.signal_name()),
        ));
    }
    if ran.took_ns < SHORTEST_NS {
        return Err(Failure::usage(format!(
            "a run of the command took {}, and most of that is the start of a program. Let it do more, at least for a \
             second.",
            model::units::duration_ns(ran.took_ns as f64)
        ))
        .on("--run-again"));
    }
    let wants_number = args.job.metric_regex.is_some()
        || args
            .metric
            .is_some_and(|meter| meter.id == tuner::meters::result::METER.id);
    if wants_number && ran.result.is_none() {
        return Err(Failure::usage(
            "the command printed no line that tells what a run came to. Say which line does with --metric-regex, or \
             judge by --metric duration.",
        )
        .on("--run-again"));
    }
    Ok(Some(ran))
}

/// Refuses a budget in which no knob could be decided, and says which could.
pub fn must_fit(args: &TuneArgs, plan: &TunePlan, ran: Option<RunOnce>) -> Result<(), Failure> {
    let least = plan.knobs.iter().map(|knob| knob.needs_ms()).min();
    let (Some(ran), Some(least_ms)) = (ran, least.filter(|least_ms| *least_ms > args.budget))
    else {
        return Ok(());
    };
    let enough_min = plan.needs_ms().div_ceil(60_000);
    Err(Failure::usage(format!(
        "a run of the command took {}, and no knob can be decided in {}: the least takes {}. Give --budget {enough_min}m, or let \
         a run do less.",
        model::units::duration_ns(ran.took_ns as f64),
        span_ms(args.budget),
        span_ms(least_ms),
    ))
    .on("--budget"))
}
