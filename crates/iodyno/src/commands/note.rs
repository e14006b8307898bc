//! `iodyno note`: sentences of one's own on a record.

use super::filter_args::record_number;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use report::text::clean;
use serde::Serialize;
use store::{Note, Store};

/// Arguments of `note`.
#[derive(Debug, clap::Args)]
pub struct NoteArgs {
    /// Number of the record.
    #[arg(value_parser = record_number)]
    pub record: i64,
    /// The note; without it, the notes that there are.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Take the note of this number away.
    #[arg(long, value_name = "NOTE", conflicts_with = "text")]
    pub remove: Option<i64>,
}

#[derive(Serialize)]
struct NoteDocument {
    schema: &'static str,
    id: i64,
    notes: Vec<Note>,
}

/// Changes the notes, where that is asked, and says what there is.
pub fn run(args: &NoteArgs, context: &Context) -> Result<Exit, Failure> {
    let is_change = !args.text.is_empty() || args.remove.is_some();
    let store = match is_change {
        true => Store::open(&context.state_dir)?,
        false => Store::open_read_only(&context.state_dir)?,
    };
    if let Some(note) = args.remove {
        store.unnote(args.record, note)?;
    }
    if !args.text.is_empty() {
        store.note(args.record, &args.text.join(" "))?;
    }
    let notes = store.notes(args.record)?;
    if notes.is_empty() {
        context
            .out
            .say(format!("record {} has no notes", args.record));
    }
    for note in &notes {
        let text: Vec<_> = note.text.lines().map(clean).collect();
        context
            .out
            .text(format!("note {}: {}", note.id, text.join("\n    ")));
    }
    context.out.document(&NoteDocument {
        schema: "iodyno.note/1",
        id: args.record,
        notes,
    })?;
    Ok(Exit::Fine)
}
