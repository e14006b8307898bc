//! `iodyno delete`: takes records out of the store, for good.

use super::filter_args::record_number;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use lookup::documents::Deleted;
use report::text::clean;
use std::io::IsTerminal;
use store::Store;

/// Arguments of `delete`.
#[derive(Debug, clap::Args)]
pub struct DeleteArgs {
    /// Numbers of the records.
    #[arg(required = true, value_name = "RECORD", value_parser = record_number)]
    pub records: Vec<i64>,
    /// Do not ask.
    #[arg(long)]
    pub yes: bool,
}

/// Asks, and deletes.
pub fn run(args: &DeleteArgs, context: &Context) -> Result<Exit, Failure> {
    let mut ids = args.records.clone();
    ids.sort_unstable();
    ids.dedup();
    let reader = Store::open_read_only(&context.state_dir)?;
    for id in &ids {
        let row = reader.row(*id)?;
        context.out.say(format!(
            "record {id}: {}  {}",
            clean(&row.target),
            clean(&row.summary)
        ));
    }
    drop(reader);
    if !args.yes && !is_wanted(ids.len(), context)? {
        context.out.say("Nothing was deleted.");
        return Err(Failure::new(Exit::Refused, "Nothing was deleted.").told());
    }
    Store::open(&context.state_dir)?.delete(&ids)?;
    context.out.say(format!("Deleted {}.", records(ids.len())));
    context.out.document(&Deleted::of(ids))?;
    Ok(Exit::Fine)
}

fn records(count: usize) -> String {
    if count == 1 {
        "1 record".into()
    } else {
        format!("{count} records")
    }
}

/// Asks on a terminal. Where nobody can be asked, only `--yes` deletes.
fn is_wanted(count: usize, context: &Context) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(
            Exit::Refused,
            "a record that is deleted cannot be had back, and nobody can be asked: stdin is no terminal.",
        )
        .hint("Add --yes to delete without being asked."));
    }
    context.out.note(format!(
        "Delete {} for good, with tags and notes? [y/N]",
        records(count)
    ));
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
