//! `iodyno explain ID`: the page of one thing in the catalogue.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use lookup::explain;
use model::text::clean;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The thing, as `iodyno catalogue` names it, or KIND:NAME.
    pub id: String,
}

/// Prints the page.
pub fn run(args: &ExplainArgs, context: &Context) -> Result<Exit, Failure> {
    let pages = explain::pages(&args.id, context.host.is_live());
    let Some(first) = pages.first() else {
        return Err(unknown(&args.id));
    };
    if let Some(other) = other_name(&args.id, &first.entry.id) {
        context.out.note(other);
    }
    for page in &pages {
        context.out.text(page.entry.page.trim_end());
    }
    for line in first.here_lines() {
        context.out.say(line);
    }
    context.out.document(first)?;
    Ok(Exit::Fine)
}

/// That the page is of a thing of another name.
fn other_name(asked: &str, id: &str) -> Option<String> {
    let asked = asked.rsplit(':').next().unwrap_or(asked);
    let plain = |name: &str| name.to_lowercase().replace(['-', '_', '/'], ".");
    let is_part = plain(id).split([',', ' ']).any(|part| part == plain(asked));
    (!is_part).then(|| format!("`{}` is told under {}.", clean(asked), clean(id)))
}

fn unknown(id: &str) -> Failure {
    let near = explain::near(id);
    let hint = if near.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", near.join(", "))
    };
    Failure::usage(format!("nothing is called `{id}`.{hint}"))
        .on(id)
        .hint("`iodyno catalogue` lists all.")
}
