//! `iodyno apply`: puts in place what a tune has proved, and keeps the journal so that `undo` can take it back.

use super::Context;
use crate::exit::{Exit, Failure};
use host::{DeviceLock, Journal};
use model::change::Restored;
use model::record::{Record, Trial};
use model::verdict::Outcome;
use pipeline::apply::{self, Knob, PersistPlan, Queue, Wish, persist};
use serde::Serialize;
use store::Store;

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
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    device: String,
    values: Vec<(String, String)>,
    persisted: Option<String>,
    journal: Option<String>,
}

/// Writes the proven values in their order, each read back; on any error everything is put back.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let record = Store::open_read_only(&context.state_dir)?.get(args.record)?;
    let wish = wish(args.record, &record, context)?;
    let queue = Queue::of(&context.host, &wish.device)
        .ok_or_else(|| Failure::new(Exit::Failed, format!("{} is not on this machine now.", wish.device)))?;
    let persist = if args.persist { Some(plan_persist(context, &wish)?) } else { None };
    for (knob, value) in &wish.values {
        let now = queue.text(knob).map_or_else(|| "?".into(), |text| apply::shown(knob, &text));
        context.out.say(format!("{}  {knob}  {now} → {value}", wish.device));
    }
    if let Some(plan) = &persist {
        context.out.say(format!("{}\n{}", plan.path, plan.content.trim_end()));
    }
    let journal =
        if args.dry_run { None } else { Some(put_in_place(args, context, &wish, &queue, persist.as_ref())?) };
    if let Some(id) = &journal {
        context.out.say(format!("In place. Take it back: iodyno undo {id}"));
    }
    let persisted = persist.map(|plan| plan.path);
    let Wish { device, values, .. } = wish;
    context.out.document(&Document { schema: "iodyno.apply/1", device, values, persisted, journal })?;
    Ok(Exit::Fine)
}

/// The values that the record proved to be better, in the order of writing.
fn wish(id: i64, record: &Record, context: &Context) -> Result<Wish, Failure> {
    let hostname = context.host.text("/proc/sys/kernel/hostname").unwrap_or_default();
    if record.provenance.hostname != hostname.trim() {
        return Err(Failure::usage(format!(
            "record {id} was made on {}, this is {}: a verdict holds for the machine it was proved on.",
            record.provenance.hostname,
            hostname.trim()
        )));
    }
    let mut won: Vec<&Trial> = record.trials.iter().filter(|trial| is_win(trial)).collect();
    won.sort_by_key(|trial| Knob::find(&trial.knob).map_or(u8::MAX, |knob| knob.order));
    let device = won.first().map(|trial| trial.device.clone()).ok_or_else(|| {
        Failure::usage(format!(
            "record {id} proved no setting to be better than the one it found: there is nothing to apply."
        ))
    })?;
    let values =
        won.iter().filter_map(|trial| Some((trial.knob.clone(), trial.verdict.as_ref()?.arm.clone())));
    Ok(Wish { device, values: values.collect(), record: id })
}

fn is_win(trial: &Trial) -> bool {
    let is_better = trial.verdict.as_ref().is_some_and(|verdict| verdict.outcome == Outcome::Better);
    is_better && !trial.aa && trial.verdict.as_ref().map(|verdict| &verdict.arm) != trial.arms.first()
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
            "no way to make this permanent here:\n{}\nWithout --persist it holds until the next boot.",
            reasons.join("\n")
        ),
    ))
}

fn put_in_place(
    args: &Args,
    context: &Context,
    wish: &Wish,
    queue: &Queue,
    persist: Option<&PersistPlan>,
) -> Result<String, Failure> {
    let purpose = format!("apply {}", args.record);
    let lock = DeviceLock::take(&context.host, &wish.device, &purpose)?;
    let mut journal = Journal::begin(&context.host, &context.state_dir, &purpose, &lock)?;
    match write_all(&mut journal, wish, queue, persist) {
        Ok(id) => {
            if let Some(plan) = persist {
                context
                    .out
                    .say(format!("Written. It acts from the next boot on, or after: {}", plan.activate));
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
    let known: Vec<(&'static Knob, &String)> =
        wish.values.iter().filter_map(|(knob, value)| Some((Knob::find(knob)?, value))).collect();
    let paths: Vec<_> = known.iter().flat_map(|(knob, _)| apply::checkpoint_paths(knob, queue)).collect();
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
        Ok(restored) if restored.iter().all(Restored::is_whole) => {
            failure.hint(&format!("Everything was put back: {} values read back.", restored.len()))
        }
        Ok(_) => failure.hint("Not everything came back; the journal stays, `iodyno undo` tries again."),
        Err(error) => failure.hint(&format!("Not everything came back: {error}. `iodyno undo` tries again.")),
    }
}
