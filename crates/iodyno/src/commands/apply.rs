//! `iodyno apply`: puts in place what a tune has proved, and keeps the journal so that `undo` can take it back.

mod elsewhere;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use apply::proven::{self, NotProven};
use apply::{PersistPlan, SettingWish};
use host::{DeviceLock, Journal};
use lookup::documents::{Applied, AppliedValue};
use model::change::Restored;
use model::record::Record;
use model::subject::place_in_words;
use store::{Origin, Store};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct ApplyArgs {
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

/// Writes the proven values in their order, each read back; on any error everything is put back.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let (record, origin) = (store.get(args.record)?, store.origin(args.record)?);
    let wish = wish(args, &record, &origin, context)?;
    let persist = if args.persist {
        plan_persist(context, &wish)?
    } else {
        Vec::new()
    };
    for proven in wish.values() {
        let (knob, value) = (proven.knob, &proven.value);
        let now = proven.files.text(knob.attribute);
        let now = now.map_or_else(|| "?".into(), |text| knob.reading.value(&text));
        let subject = proven.files.subject();
        context
            .out
            .say(format!("{subject}  {}  {now} → {value}", knob.id));
    }
    for plan in &persist {
        context.out.say(&plan.path);
        plan.content.lines().for_each(|line| context.out.say(line));
    }
    let journal = if args.dry_run {
        None
    } else {
        Some(put_in_place(args, context, &wish, &persist)?)
    };
    if let Some(id) = &journal {
        context
            .out
            .say(format!("In place. Take it back: iodyno undo {id}"));
    }
    let persisted = persist.into_iter().map(|plan| plan.path).collect();
    let device = wish.device().to_string();
    let values = wish
        .values()
        .iter()
        .map(|proven| AppliedValue {
            knob: proven.knob.id.into(),
            subject: proven.files.subject().clone(),
            value: proven.value.clone(),
        })
        .collect();
    context.out.document(&Applied {
        schema: "iodyno.apply/2".into(),
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
    args: &ApplyArgs,
    record: &Record,
    origin: &Origin,
    context: &Context,
) -> Result<SettingWish, Failure> {
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
    let wish = found.map_err(|why| refused(id, &why))?;
    if let Some(why) = elsewhere {
        elsewhere::trusted(&why, record, &wish, &context.host)
            .into_iter()
            .for_each(|line| context.out.say(line));
    }
    Ok(wish)
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

fn plan_persist(context: &Context, wish: &SettingWish) -> Result<Vec<PersistPlan>, Failure> {
    apply::plans(&context.host, wish).map_err(|reasons| {
        let reasons: Vec<String> = reasons.iter().map(|why| format!("  {why}")).collect();
        let message = format!(
            "no way to make this permanent here:\n{}",
            reasons.join("\n")
        );
        Failure::new(Exit::Failed, message).hint("Without --persist it holds until the next boot.")
    })
}

/// Without the right to write it says so before it has done anything.
fn rights(args: &ApplyArgs, wish: &SettingWish) -> Result<(), Failure> {
    let mut files = wish
        .values()
        .iter()
        .map(|value| value.files.path(value.knob.attribute));
    match files.find(|file| !host::rights::may_write(file)) {
        Some(file) => Err(Failure::new(
            Exit::Rights,
            format!(
                "cannot write {}: apply changes settings and needs root (sudo iodyno apply {}).\n\
                 Without root `iodyno apply {} --dry-run` shows what would be written.",
                place_in_words(&file),
                args.record,
                args.record
            ),
        )),
        None => Ok(()),
    }
}

fn put_in_place(
    args: &ApplyArgs,
    context: &Context,
    wish: &SettingWish,
    persist: &[PersistPlan],
) -> Result<String, Failure> {
    rights(args, wish)?;
    let purpose = format!("apply {}", args.record);
    let kinds = wish.values().iter().map(|value| value.knob.on);
    let lock = DeviceLock::take(&context.host, wish.device(), apply::reach(kinds), &purpose)?;
    let mut journal = Journal::begin(&context.host, &context.state_dir, &purpose, &lock)?;
    match write_all(&mut journal, wish, persist) {
        Ok(id) => {
            for plan in persist {
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
    wish: &SettingWish,
    persist: &[PersistPlan],
) -> Result<String, Failure> {
    let values = wish.values();
    let paths: Vec<_> = values
        .iter()
        .flat_map(|value| apply::checkpoint_paths(value.knob, &value.files))
        .collect();
    journal.checkpoint(&paths)?;
    for one in values {
        apply::set(one.knob, journal, &one.files, &one.value)
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    }
    for plan in persist {
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
