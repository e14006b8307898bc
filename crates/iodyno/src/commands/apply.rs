//! `iodyno apply`: puts in place what a tune has proved, and keeps the journal so that `undo` can take it back.

mod elsewhere;

use super::Context;
use crate::exit::{Exit, Failure};
use apply::proven::{self, NotProven};
use apply::{Knob, PersistPlan, Queue, Wish, persist};
use host::{DeviceLock, Journal};
use model::change::Restored;
use model::record::Record;
use serde::Serialize;
use store::{Origin, Store};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the tune's record, as `iodyno list` shows it.
    pub record: i64,
    /// Make the settings outlive a reboot, the way this distribution does it.
    #[arg(long)]
    pub persist: bool,
    /// Show what would be written; do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Apply a record that was not measured on this machine; shows first what of it is trusted.
    #[arg(long)]
    pub from_elsewhere: bool,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    device: String,
    values: Vec<(&'static str, String)>,
    /// Where the record was made, as the store knows it.
    origin: Origin,
    persisted: Option<String>,
    journal: Option<String>,
}

/// Writes the proven values in their order, each read back; on any error everything is put back.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let (record, origin) = (store.get(args.record)?, store.origin(args.record)?);
    let (wish, queue) = wish(args, &record, &origin, context)?;
    let persist = if args.persist {
        Some(plan_persist(context, &wish)?)
    } else {
        None
    };
    for (knob, value) in wish.values() {
        let now = queue
            .text(knob.id)
            .map_or_else(|| "?".into(), |text| apply::shown(knob.id, &text));
        context
            .out
            .say(format!("{}  {}  {now} → {value}", wish.device(), knob.id));
    }
    if let Some(plan) = &persist {
        context.out.say(&plan.path);
        plan.content.lines().for_each(|line| context.out.say(line));
    }
    let journal = if args.dry_run {
        None
    } else {
        Some(put_in_place(
            args,
            context,
            &wish,
            &queue,
            persist.as_ref(),
        )?)
    };
    if let Some(id) = &journal {
        context
            .out
            .say(format!("In place. Take it back: iodyno undo {id}"));
    }
    let persisted = persist.map(|plan| plan.path);
    let device = wish.device().to_string();
    let values = wish
        .values()
        .iter()
        .map(|(knob, value)| (knob.id, value.clone()))
        .collect();
    context.out.document(&Document {
        schema: "iodyno.apply/1",
        device,
        values,
        origin,
        persisted,
        journal,
    })?;
    Ok(Exit::Fine)
}

/// The values that the record proved to be better, checked word by word; of a record from elsewhere only where that is
/// said to be meant.
fn wish(
    args: &Args,
    record: &Record,
    origin: &Origin,
    context: &Context,
) -> Result<(Wish, Queue), Failure> {
    let id = args.record;
    let found = proven::wish(id, record, &context.host);
    if let Err(NotProven::Nothing) = found {
        return Err(Failure::usage(format!(
            "record {id}: {}.",
            NotProven::Nothing
        )));
    }
    let elsewhere = elsewhere::why(id, record, origin, &context.host);
    if let (Some(why), false) = (&elsewhere, args.from_elsewhere) {
        return Err(elsewhere::refusal(args, why));
    }
    let (wish, queue) = found.map_err(|why| refused(id, &why))?;
    if let Some(why) = elsewhere {
        elsewhere::trusted(&why, record, &wish, &context.host)
            .into_iter()
            .for_each(|line| context.out.say(line));
    }
    Ok((wish, queue))
}

/// What is not here is the machine's matter; what is wrong with the record is refused.
fn refused(id: i64, why: &NotProven) -> Failure {
    let exit = if matches!(why, NotProven::NoDevice(_)) {
        Exit::Failed
    } else {
        Exit::Refused
    };
    Failure::new(exit, format!("record {id}: {why}. Nothing was changed."))
        .on(format!("record {id}"))
        .why(why.to_string())
}

fn plan_persist(context: &Context, wish: &Wish) -> Result<PersistPlan, Failure> {
    let mut reasons = Vec::new();
    for way in persist::ALL {
        match (way.available)(&context.host).and_then(|()| (way.plan)(&context.host, wish)) {
            Ok(plan) => return Ok(plan),
            Err(why) => reasons.push(format!("  {}: {why}", way.id)),
        }
    }
    Err(Failure::new(
        Exit::Failed,
        format!(
            "no way to make this permanent here:\n{}",
            reasons.join("\n")
        ),
    )
    .on(wish.device())
    .hint("Without --persist it holds until the next boot."))
}

fn put_in_place(
    args: &Args,
    context: &Context,
    wish: &Wish,
    queue: &Queue,
    persist: Option<&PersistPlan>,
) -> Result<String, Failure> {
    let purpose = format!("apply {}", args.record);
    let lock = DeviceLock::take(&context.host, wish.device(), &purpose)?;
    let mut journal = Journal::begin(&context.host, &context.state_dir, &purpose, &lock)?;
    match write_all(&mut journal, wish, queue, persist) {
        Ok(id) => {
            if let Some(plan) = persist {
                context.out.say(format!(
                    "Written. It acts from the next boot on, or after: {}",
                    plan.activate
                ));
            }
            Ok(id)
        }
        Err(failure) => Err(backed_out(journal, failure)),
    }
}

/// Saves, writes and reads back; gives the journal's id once it stays.
fn write_all(
    journal: &mut Journal,
    wish: &Wish,
    queue: &Queue,
    persist: Option<&PersistPlan>,
) -> Result<String, Failure> {
    let known: Vec<(&'static Knob, &String)> = wish
        .values()
        .iter()
        .map(|(knob, value)| (*knob, value))
        .collect();
    let paths: Vec<_> = known
        .iter()
        .flat_map(|(knob, _)| apply::checkpoint_paths(knob, queue))
        .collect();
    journal.checkpoint(&paths)?;
    for (knob, value) in &known {
        apply::set(knob, journal, queue, value)
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    }
    if let Some(plan) = persist {
        journal.write_file(&plan.path, &plan.content)?;
    }
    Ok(journal.keep()?)
}

/// Puts everything back after a failure, and says whether it is.
fn backed_out(journal: Journal, failure: Failure) -> Failure {
    match journal.revert() {
        Ok(restored) if restored.iter().all(Restored::is_whole) => failure.hint(format!(
            "Everything was put back: {} values read back.",
            restored.len()
        )),
        Ok(_) => {
            failure.hint("Not everything came back; the journal stays, `iodyno undo` tries again.")
        }
        Err(error) => failure.hint(format!(
            "Not everything came back: {error}. `iodyno undo` tries again."
        )),
    }
}
