//! `iodyno explain WORD`: the page of one thing in the catalogue.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use lookup::explain::{self, Page};
use model::text::clean;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The thing, as `iodyno catalogue` names it, KIND:NAME, or what the field calls it: clat, noop, %util.
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
    let (told, further) = by_room(&args.id, &pages);
    for (index, page) in told.iter().enumerate() {
        if index > 0 {
            context.out.say("");
        }
        context.out.text(page.entry.page.trim_end());
    }
    for line in first.here_lines() {
        context.out.say(line);
    }
    for (index, page) in further.iter().enumerate() {
        if index == 0 {
            context.out.say("");
        }
        let (kind, id, title) = (page.entry.kind, &page.entry.id, page.entry.title());
        context
            .out
            .say(format!("See also `iodyno explain {kind}:{id}`: {title}"));
    }
    context.out.document(first)?;
    Ok(Exit::Fine)
}

/// What is told in full, and what is only named: of several things that are merely called so too, the first is told.
fn by_room<'a>(asked: &str, pages: &'a [Page]) -> (Vec<&'a Page>, Vec<&'a Page>) {
    let mut has_other = false;
    pages.iter().partition(|page| {
        let is_other = page.entry.kind != "word" && other_name(asked, &page.entry.id).is_some();
        let has_room = !(is_other && has_other);
        has_other |= is_other;
        has_room
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_one_page_are_told_and_the_rest_is_named() {
        let ids = |pages: Vec<&Page>| -> Vec<String> {
            pages.iter().map(|page| page.entry.id.to_string()).collect()
        };
        // Two pages of one name are both asked for.
        let named = explain::pages("layers", false);
        let (told, further) = by_room("layers", &named);
        assert_eq!((told.len(), further.len()), (named.len(), 0));
        // Of three that are called otherwise one is told, with the definition before it.
        let entry = |name: &str| explain::pages(name, false).swap_remove(0);
        let called = [
            entry("word:await"),
            entry("knob:scheduler"),
            entry("knob:atime"),
        ];
        let (told, further) = by_room("elevator", &called);
        assert_eq!(ids(told), ["await", "scheduler"]);
        assert_eq!(ids(further), ["atime"]);
    }
}
