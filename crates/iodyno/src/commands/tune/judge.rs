//! What a tune judges by, ready before anything is planned: a source that does not answer ends it here.

use super::{TuneArgs, plan};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::named_knob::device;
use load::engines::command::RunOnce;
use load::{Engine, Needs};
use model::iopath::IoPath;
use model::job::Job;
use tuner::Meter;
use tuner::meter::{Counts, Judge, MeterOptions, needs_no_runs};

/// The meter that was asked for, with the first answer of a source that it asks.
pub fn ready(
    args: &TuneArgs,
    context: &Context,
    path: &IoPath,
    job: &Job,
    ran: Option<RunOnce>,
) -> Result<Judge, Failure> {
    let meter = args.meter(job, ran);
    usable(args, job, meter)?;
    let device = device(path)?;
    let options = MeterOptions {
        sql_client: args.sql_client.clone(),
        cgroup: args.cgroup.clone(),
        prometheus: args.prometheus.clone(),
        query: args.query.clone(),
        run_ms: ran.map(|ran| ran.took_ns / 1_000_000),
    };
    let judge = Judge::of(meter, job, options, (&context.host, &device)).map_err(|why| {
        let message = format!("--metric {} cannot be read: {why}.", meter.id);
        Failure::new(Exit::Failed, message)
            .on(format!("--metric {}", meter.id))
            .why(why)
    })?;
    let limits = inventory::cgroups::io_limits(&context.host);
    let is_limited = limits.iter().any(|limit| limit.device == device);
    match is_limited || plan::sets_groups(args)? {
        true => Ok(judge.in_slices()),
        false => Ok(judge),
    }
}

/// Options that belong to another meter would be dropped in silence.
fn must_take(meter: &Meter, args: &TuneArgs) -> Result<(), Failure> {
    let given = [
        ("--sql-client", args.sql_client.is_some()),
        ("--cgroup", args.cgroup.is_some()),
        ("--prometheus", args.prometheus.is_some()),
        ("--query", args.query.is_some()),
    ];
    let lost = given
        .into_iter()
        .find(|(option, is_given)| *is_given && !meter.options.contains(option));
    let Some((option, _)) = lost else {
        return Ok(());
    };
    let others = tuner::meters::ALL
        .iter()
        .filter(|one| one.options.contains(&option));
    let others: Vec<&str> = others.map(|one| one.id).collect();
    Err(Failure::usage(format!(
        "{option} says nothing to --metric {}; it is for --metric {}.",
        meter.id,
        others.join(" or ")
    ))
    .on(option))
}

/// A meter of one group says nothing without it, and one of a server's counter without both.
fn must_have(meter: &Meter, args: &TuneArgs) -> Result<(), Failure> {
    let needed = [
        (
            "--cgroup",
            args.cgroup.is_none(),
            "counts the I/O of a control group, or of those below it. Say which with --cgroup: its path as /proc/PID/cgroup \
             names it, the number of a process in it, or a container's id or name",
        ),
        (
            "--prometheus",
            args.prometheus.is_none(),
            "asks a server. Say which with --prometheus http://HOST:9090",
        ),
        (
            "--query",
            args.query.is_none(),
            "asks for a counter. Say which with --query: 'http_requests_total{job=\"web\"}'",
        ),
    ];
    let lacking = needed
        .into_iter()
        .find(|(option, is_lacking, _)| *is_lacking && meter.options.contains(option));
    match lacking {
        None => Ok(()),
        Some((option, _, why)) => {
            Err(Failure::usage(format!("--metric {} {why}.", meter.id)).on(option))
        }
    }
}

/// An experiment needs a load that goes on alike; one that works through phases is none.
fn usable(args: &TuneArgs, job: &Job, meter: &Meter) -> Result<(), Failure> {
    must_take(meter, args)?;
    must_have(meter, args)?;
    let unfit = (meter.unfit)(job);
    let is_wrong_for_runs = meter.counts != Counts::Runs;
    if let Some(why) = unfit.or_else(|| needs_no_runs(job).filter(|_| is_wrong_for_runs)) {
        let id = meter.id;
        return Err(
            Failure::usage(format!("--metric {id} cannot judge this load: {why}."))
                .on("--metric")
                .hint(format!("`iodyno explain {id}` says what it measures.")),
        );
    }
    match Engine::find(&job.ioengine) {
        Some(engine) if engine.needs == Needs::Directory => Err(Failure::usage(format!(
            "--ioengine={} works through phases, and two windows of it are not the same load.",
            engine.id
        ))
        .on("--ioengine")
        .hint("Measure it with `iodyno run`, or tune under another engine.")),
        _ => Ok(()),
    }
}
