//! `iodyno merge`: takes in the records of another store.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use serde::Serialize;
use std::path::{Path, PathBuf};
use store::{Merged, Store};

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// The other store: its file, a backup of it, or its directory.
    #[arg(value_name = "OTHER.db")]
    pub other: PathBuf,
}

#[derive(Serialize)]
struct MergeDocument<'a> {
    schema: &'static str,
    #[serde(flatten)]
    merged: &'a Merged,
}

/// Merges, and says what came of it.
pub fn run(args: &MergeArgs, context: &Context) -> Result<Exit, Failure> {
    let merged = Store::open(&context.state_dir)?.merge(&file(&args.other))?;
    let (added, known) = (merged.added.len(), merged.known);
    let range = match (merged.added.first(), merged.added.last()) {
        (Some(first), Some(last)) if first != last => format!(" (now {first} to {last})"),
        (Some(only), _) => format!(" (now {only})"),
        _ => String::new(),
    };
    context.out.say(format!(
        "{added} new{range}, {known} were here already; {} tags and {} notes came along.",
        merged.tags, merged.notes
    ));
    for problem in &merged.problems {
        context.out.note(format!("iodyno: left out: {problem}"));
    }
    context.out.document(&MergeDocument {
        schema: "iodyno.merge/1",
        merged: &merged,
    })?;
    match merged.problems.first() {
        None => Ok(Exit::Fine),
        Some(first) => {
            let message = format!("{} left out, the first: {first}", merged.problems.len());
            let failure = Failure::new(Exit::Failed, message);
            Err(failure.on(args.other.to_string_lossy()).told())
        }
    }
}

/// A state directory stands for the store in it.
fn file(other: &Path) -> PathBuf {
    match host::files::kind(other) {
        Ok(host::files::FileKind::Directory) => other.join("records.db"),
        _ => other.to_path_buf(),
    }
}
