//! `iodyno catalogue`: everything that `explain` knows.

use crate::context::Context;
use crate::exit::{Exit, Failure};

/// Prints kind, id and title of each.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let catalogue = lookup::catalogue::all();
    for entry in &catalogue.entries {
        context.out.say(format!(
            "{:<10} {:<26} {}",
            entry.kind,
            entry.id,
            entry.title()
        ));
    }
    context.out.document(&catalogue)?;
    Ok(Exit::Fine)
}
