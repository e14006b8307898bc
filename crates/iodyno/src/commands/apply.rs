//! `iodyno apply`: puts in place what a tune has proved, and keeps the journal so that `undo` can take it back.

mod elsewhere;
mod exported;

use super::filter_args::record_number;
use crate::commands::job_args::duration_ms;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::in_place::{self, Change};
use crate::persisting::{self, PersistArgs};
use apply::SettingWish;
use apply::proven::{self, NotProven};
use exported::FormArg;
use lookup::documents::{Applied, AppliedValue};
use model::record::{Record, Winners};
use model::units::span_ms;
use std::path::PathBuf;
use store::{Origin, Store};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct ApplyArgs {
    /// Number of the tune's record, as `iodyno list` shows it.
    #[arg(value_parser = record_number)]
    pub record: i64,
    #[command(flatten)]
    pub keep: PersistArgs,
    /// Only the value of this knob, of several that won; repeat it for more that were proved together.
    #[arg(long, value_name = "KNOB")]
    pub only: Vec<String>,
    /// With --persist: also where it is not known whether the gain lasts.
    #[arg(long, requires = "persist")]
    pub even_if_it_fades: bool,
    /// Put everything back unless `keep` is typed within this time: after Ctrl-C, a lost connection or silence too.
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub confirm: Option<u64>,
    /// Show what would be written; do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Write the proven values for another tool to stdout; change nothing.
    #[arg(long = "as", value_name = "FORM", conflicts_with_all = ["persist", "confirm", "dry_run"])]
    pub form: Option<FormArg>,
    /// With --as: into this file, which must be new.
    #[arg(short, long, value_name = "FILE", requires = "form")]
    pub output: Option<PathBuf>,
    /// Apply a record that was not measured on this machine; shows first what of it is trusted.
    #[arg(long)]
    pub from_elsewhere: bool,
    /// Mark the change as one that a fleet began, so that it is found again.
    #[arg(long, value_name = "MARK", hide = true)]
    pub mark: Option<String>,
}

/// Writes the proven values in their order, each read back; on any error everything is put back.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let (record, origin) = (store.get(args.record)?, store.origin(args.record)?);
    let wish = wish(args, &record, &origin, context)?;
    if let Some(form) = args.form {
        return exported::run(form, args, &record, &wish, context);
    }
    if args.keep.persist {
        must_last(args, &record)?;
    }
    if !args.dry_run {
        in_place::must_have_rights(wish.values(), &purpose(args))?;
    }
    wish.values()
        .iter()
        .for_each(|value| context.out.say(in_place::line(value)));
    let persist = persisting::files(&args.keep, &wish, args.dry_run, context)?;
    if !args.keep.persist {
        persisting::warn_of_cycles(&wish, context);
    }
    let journal = if args.dry_run {
        None
    } else {
        let change = Change {
            purpose: purpose(args),
            device: wish.device(),
            values: wish.values(),
            files: &persist,
            confirm_ms: args.confirm,
        };
        Some(in_place::put(&change, context)?)
    };
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

/// The command as a journal keeps it, so that it can be given again.
fn purpose(args: &ApplyArgs) -> String {
    let mark = args.mark.as_deref().map(fleet::Pending::mark);
    let mark = mark.map(|mark| format!(" {mark}")).unwrap_or_default();
    format!("apply {}{}{mark}", args.record, args.keep.words())
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
    let found = proven::wish(id, record, &args.only, &context.host);
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
            .for_each(|line| match args.form {
                Some(_) => context.out.note(line),
                None => context.out.say(line),
            });
    }
    Ok(wish)
}

/// What outlives a reboot should be known to outlive the minute.
fn must_last(args: &ApplyArgs, record: &Record) -> Result<(), Failure> {
    let id = args.record;
    let trials = proven::chosen(record, &args.only).unwrap_or_default();
    let proofs = match Winners::of(record.trials()) {
        together @ Winners::Together { .. } if trials.len() > 1 => together.proofs(),
        _ => trials,
    };
    let open: Vec<String> = proofs
        .into_iter()
        .filter_map(|trial| Some((trial, trial.win()?)))
        .filter(|(_, win)| !win.is_lasting())
        .map(|(trial, win)| {
            let (short, long) = (span_ms(win.window_ms), span_ms(win.memory_ms));
            format!(
                "{} was proved in windows of {short}, and may fade within {long}",
                trial.knob
            )
        })
        .collect();
    if open.is_empty() || args.even_if_it_fades {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Refused,
        format!("record {id}: {}. Nothing was changed.", open.join("; ")),
    )
    .hint(format!(
        "Prove it with more --budget, keep it until the next boot with `iodyno apply {id}`, or say \
         --even-if-it-fades."
    )))
}

/// What is not here is the machine's matter; what is wrong with the record is refused.
fn refused(id: i64, why: &NotProven) -> Failure {
    let exit = if matches!(why, NotProven::NoDevice(_) | NotProven::Gone(_)) {
        Exit::Failed
    } else {
        Exit::Refused
    };
    Failure::new(exit, format!("record {id}: {why}. Nothing was changed."))
        .on(format!("record {id}"))
        .why(why.to_string())
}
