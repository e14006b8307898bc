//! What a tune judges by, ready before anything is planned: a source that does not answer ends it here.

use super::TuneArgs;
use crate::exit::{Exit, Failure};
use load::{Engine, Needs};
use model::job::Job;
use tuner::Meter;
use tuner::meter::{Judge, MeterOptions};

/// The meter that was asked for, with the first answer of a source that it asks.
pub fn ready(args: &TuneArgs, job: &Job) -> Result<Judge, Failure> {
    usable(args, job)?;
    let meter = args.meter(job);
    let options = MeterOptions {
        sql_client: args.sql_client.clone(),
    };
    Judge::of(meter, job, &options).map_err(|why| {
        let message = format!("--metric {} cannot be read: {why}.", meter.id);
        Failure::new(Exit::Failed, message)
            .on(format!("--metric {}", meter.id))
            .why(why)
    })
}

/// Options that belong to another meter would be dropped in silence.
fn must_take(meter: &Meter, args: &TuneArgs) -> Result<(), Failure> {
    let given = [("--sql-client", args.sql_client.is_some())];
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

/// An experiment needs a load that goes on alike; one that works through phases is none.
fn usable(args: &TuneArgs, job: &Job) -> Result<(), Failure> {
    let meter = args.meter(job);
    must_take(meter, args)?;
    if let Some(why) = (meter.unfit)(job) {
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
