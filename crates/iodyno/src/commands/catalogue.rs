//! `iodyno catalogue`: everything that `explain` knows.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use model::finding::ProofCount;
use store::Store;

/// How often suspicions were right by the records that are here; where no store can be read, nothing was proved.
fn proved(context: &Context) -> Vec<ProofCount> {
    let store = Store::open_read_only(&context.state_dir);
    store.and_then(|store| store.proofs()).unwrap_or_default()
}

/// Prints kind, id and title of each, and how often its suspicions were right.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let mut catalogue = lookup::catalogue::all();
    catalogue.proved = proved(context);
    for entry in &catalogue.entries {
        let count = catalogue.proved.iter().find(|count| {
            matches!(entry.kind, "cause" | "rule" | "live") && count.rule == entry.id
        });
        let proved = count.map_or(String::new(), |count| format!(" ({})", count.words()));
        context.out.say(format!(
            "{:<10} {:<26} {}{proved}",
            entry.kind,
            entry.id,
            entry.title()
        ));
    }
    context.out.document(&catalogue)?;
    Ok(Exit::Fine)
}
