//! `iodyno set`: puts values in place that nobody has proved, as one does with echo, but checked, journaled and undone like
//! proven ones.

use crate::commands::job_args::duration_ms;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::in_place::{self, Change};
use crate::named_knob::{self, NamedKnob};
use crate::persisting::{self, PersistArgs};
use apply::{CheckedValue, PersistPlan, SettingWish, SubjectFiles, together};
use lookup::documents::{SetDone, SetValue};
use model::iopath::IoPath;
use model::text::{clean, shell_word};
use std::path::PathBuf;

/// Arguments of `set`.
#[derive(Debug, clap::Args)]
pub struct SetArgs {
    /// A knob with its value: scheduler=none, smp_affinity_list@24=0-1. Repeat it for more.
    #[arg(required = true, value_name = "KNOB=VALUE")]
    pub settings: Vec<String>,
    /// A directory, a file or a block device: what lies below it gets the values.
    pub target: PathBuf,
    #[command(flatten)]
    pub keep: PersistArgs,
    /// Put everything back unless `keep` is typed within this time: after Ctrl-C, a lost connection or silence too.
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub confirm: Option<u64>,
    /// Show what would be written; do nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// Checks the values, writes those that differ from what is there, and says that they are unproved.
pub fn run(args: &SetArgs, context: &Context) -> Result<Exit, Failure> {
    let path = inventory::collect(&context.host, &args.target.to_string_lossy())?;
    let device = named_knob::device(&path)?;
    let values = values(args, context, &path, &device)?;
    let wish = SettingWish::unproved(&device, &values);
    let done: Vec<SetValue> = values.iter().map(told).collect();
    let (new, there): (Vec<_>, Vec<_>) = values
        .into_iter()
        .partition(|value| in_place::now(value).as_ref() != Some(&value.value));
    if !args.dry_run {
        // What is kept in a file is written, whatever the value is now.
        let written = if args.keep.persist {
            wish.values()
        } else {
            &new
        };
        in_place::must_have_rights(written, &purpose(args))?;
    }
    for value in &there {
        let (subject, id) = (value.files.subject(), value.knob.id);
        context
            .out
            .say(format!("{subject}  {id}  is {} already", value.value));
    }
    new.iter()
        .for_each(|value| context.out.say(in_place::line(value)));
    let files = persisting::files(&args.keep, &wish, args.dry_run, context)?;
    if !args.keep.persist && !new.is_empty() {
        persisting::warn_of_cycles(&wish, context);
    }
    let is_nothing = new.is_empty() && files.is_empty();
    let journal = match is_nothing || args.dry_run {
        true => None,
        // What is kept in a file is saved with it, whatever the value is now.
        false => {
            let values = if files.is_empty() {
                &new[..]
            } else {
                wish.values()
            };
            Some(in_place::put(
                &change(args, &device, values, &files),
                context,
            )?)
        }
    };
    if let Some(value) = new.first() {
        context.out.say(unproved(args, value, &done));
    }
    context.out.document(&SetDone {
        schema: "iodyno.set/1".into(),
        device,
        values: done,
        persisted: files.into_iter().map(|file| file.path).collect(),
        journal,
    })?;
    Ok(Exit::Fine)
}

fn change<'a>(
    args: &SetArgs,
    device: &'a str,
    values: &'a [CheckedValue],
    files: &'a [PersistPlan],
) -> Change<'a> {
    Change {
        purpose: purpose(args),
        device,
        values,
        files,
        confirm_ms: args.confirm,
    }
}

/// The command as a journal keeps it, so that it can be given again.
fn purpose(args: &SetArgs) -> String {
    let settings = args.settings.iter().map(|setting| shell_word(setting));
    let target = shell_word(&args.target.to_string_lossy()).to_string();
    let words: Vec<String> = settings
        .map(|word| word.to_string())
        .chain([target])
        .collect();
    clean(&format!("set {}{}", words.join(" "), args.keep.words())).into_owned()
}

/// The values asked for, each with its subject, in the order of writing.
fn values(
    args: &SetArgs,
    context: &Context,
    path: &IoPath,
    device: &str,
) -> Result<Vec<CheckedValue>, Failure> {
    let named = args.settings.iter().map(|text| {
        let (named, value) = named(text)?;
        checked(&named, value, context, path, device)
    });
    let values = named.collect::<Result<Vec<CheckedValue>, Failure>>()?;
    together(values).map_err(|why| Failure::usage(format!("{why}.")))
}

/// A knob and the one value for it.
fn named(text: &str) -> Result<(NamedKnob, String), Failure> {
    let mut named = named_knob::parse(text)?;
    match named.values.take().unwrap_or_default().as_mut_slice() {
        [value] if !value.is_empty() => {
            let value = std::mem::take(value);
            Ok((named, value))
        }
        [] | [_] => Err(Failure::usage(format!(
            "`{}` gives no value: write {}=VALUE. `iodyno explain {}` says which there are.",
            clean(text),
            named.knob.id,
            named.knob.id
        ))),
        _ => Err(Failure::usage(format!(
            "`{}` gives several values, and a setting has one. `iodyno tune` compares several.",
            clean(text)
        ))),
    }
}

/// The value with the one subject below the target that it is for.
fn checked(
    named: &NamedKnob,
    value: String,
    context: &Context,
    path: &IoPath,
    device: &str,
) -> Result<CheckedValue, Failure> {
    let knob = named.knob;
    let mut subjects = named_knob::subjects(named, path, device, &context.host)?;
    let nothing = |why: String| Failure::new(Exit::Failed, format!("{}: {why}.", knob.id));
    if let Some(why) = named_knob::handed_on(knob, path, device, &context.host) {
        return Err(nothing(why));
    }
    let subject = match subjects.len() {
        0 => return Err(nothing(format!("{device} has none"))),
        1 => subjects.remove(0),
        _ => {
            let keys: Vec<String> = subjects
                .iter()
                .filter_map(model::subject::Subject::key)
                .collect();
            return Err(Failure::usage(format!(
                "{device} has several for {}: name one of {} after `@`.",
                knob.id,
                keys.join(", ")
            )));
        }
    };
    if let Some(why) = subject.held_by() {
        let message = format!("{} cannot be left in place: {why}.", knob.id);
        return Err(Failure::new(Exit::Refused, message));
    }
    let absent = || nothing(named_knob::absent(knob, &subject, &context.host));
    let files = SubjectFiles::of(&context.host, subject.clone()).ok_or_else(absent)?;
    if (knob.choices)(&files).is_empty() {
        return Err(absent());
    }
    Ok(CheckedValue { knob, files, value })
}

fn told(value: &CheckedValue) -> SetValue {
    SetValue {
        knob: value.knob.id.into(),
        subject: value.files.subject().clone(),
        was: in_place::now(value),
        value: value.value.clone(),
    }
}

/// That nobody measured it, and how to.
fn unproved(args: &SetArgs, first: &CheckedValue, done: &[SetValue]) -> String {
    let id = first.knob.id;
    let was = done.iter().find(|one| one.knob == id);
    let was = was.and_then(|one| one.was.clone()).unwrap_or_default();
    let target = shell_word(&args.target.to_string_lossy()).into_owned();
    let key = first.files.subject().key();
    let key = key.map_or_else(String::new, |key| format!("@{key}"));
    let tune = format!("--knob {}", shell_word(&format!("{id}{key}={was}")));
    let words = [&target, first.knob.load, &tune].map(|word| word.to_string());
    let words = words.into_iter().filter(|word| !word.is_empty());
    format!(
        "Unproved: nobody has measured whether it helps. Compare it with what was there, under your load: sudo iodyno tune {}",
        words.collect::<Vec<_>>().join(" ")
    )
}
