//! `iodyno explain ID`: the page of one thing in the catalogue.

use super::Context;
use super::catalogue::{Entry, entries};
use crate::exit::{Exit, Failure};

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The thing, as `iodyno catalogue` names it.
    pub id: String,
}

/// Prints the page.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let found: Vec<Entry> = entries().into_iter().filter(|entry| entry.id == args.id).collect();
    if found.is_empty() {
        let near: Vec<&str> =
            entries().iter().map(|entry| entry.id).filter(|id| is_near(id, &args.id)).collect();
        let hint =
            if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(", ")) };
        return Err(Failure::usage(format!(
            "nothing is called `{}`.{hint}\n`iodyno catalogue` lists all.",
            args.id
        )));
    }
    for entry in &found {
        context.out.say(entry.page.trim_end());
    }
    context.out.document(&found[0])?;
    Ok(Exit::Fine)
}

fn is_near(id: &str, asked: &str) -> bool {
    let asked = asked.to_lowercase().replace('-', "_");
    asked.len() > 2 && (id.contains(&asked) || asked.contains(id))
}
