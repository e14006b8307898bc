//! `iodyno undo`: puts old values back from the journals, after a death or after `apply`.

use super::Context;
use crate::exit::{Exit, Failure};
use host::Unfinished;
use model::change::{Attribute, Restored};
use serde::Serialize;

/// Arguments of `undo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The journal to undo, as `status` names it; without it, what ended unfinished.
    pub id: Option<String>,
    /// Undo every journal, those that `apply` kept too.
    #[arg(long, conflicts_with = "id")]
    pub all: bool,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    undone: Vec<Undone>,
}

#[derive(Serialize)]
struct Undone {
    id: String,
    purpose: String,
    whole: bool,
    restored: Vec<Restored>,
}

/// Undoes newest first, so that the oldest value has the last word.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (journals, errors) = host::find_unfinished(&context.state_dir);
    for error in &errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let chosen = choose(journals, args)?;
    if chosen.is_empty() {
        context.out.say("Nothing to undo: every setting that iodyno touched is back.");
    }
    let mut undone = Vec::new();
    for journal in chosen.into_iter().rev() {
        undone.push(undo_one(journal, context)?);
    }
    let is_whole = errors.is_empty() && undone.iter().all(|journal| journal.whole);
    context.out.document(&Document { schema: "iodyno.undo/1", undone })?;
    Ok(if is_whole { Exit::Fine } else { Exit::Failed })
}

fn choose(journals: Vec<Unfinished>, args: &Args) -> Result<Vec<Unfinished>, Failure> {
    match &args.id {
        Some(id) => {
            let chosen: Vec<_> = journals.into_iter().filter(|journal| journal.id() == *id).collect();
            if chosen.is_empty() {
                return Err(Failure::usage(format!(
                    "there is no journal {id}.\n`iodyno status` shows what there is."
                )));
            }
            Ok(chosen)
        }
        None => Ok(journals
            .into_iter()
            .filter(|journal| !journal.running && (args.all || !journal.kept))
            .collect()),
    }
}

fn undo_one(journal: Unfinished, context: &Context) -> Result<Undone, Failure> {
    let (id, purpose) = (journal.id(), journal.state.purpose.clone());
    let is_earlier = journal.is_of_an_earlier_boot();
    let restored = journal.undo(&context.host)?;
    let whole = restored.iter().all(Restored::is_whole);
    let written = restored.iter().filter(|one| one.written).count();
    context.out.say(match (whole, written) {
        (true, 0) => format!("{purpose}: everything was already as before."),
        // A disk can have another name since, so nothing is written by the names of an earlier boot.
        (true, _) if is_earlier => format!(
            "{purpose}: the files are back as they were; what they set at this boot stays until the next one."
        ),
        (true, _) => format!("{purpose}: everything is back as it was."),
        (false, _) => format!("{purpose}: not everything came back; the journal stays."),
    });
    for one in restored.iter().filter(|one| one.written || !one.is_whole()) {
        if one.is_whole() && one.wanted == Attribute::Absent {
            context.out.say(format!("  {}  removed", one.path));
            continue;
        }
        let state = if one.is_whole() { "back at" } else { "should be" };
        let error = one.error.as_deref().map(|error| format!(" ({error})")).unwrap_or_default();
        context.out.say(format!(
            "  {}  {state} {}, is {}{error}",
            one.path,
            brief(&one.wanted),
            brief(&one.found)
        ));
    }
    Ok(Undone { id, purpose, whole, restored })
}

/// A value in a line: of a file, only that it is there.
fn brief(value: &Attribute) -> String {
    let text = value.to_string();
    if text.contains('\n') { "the old file".to_string() } else { text }
}
