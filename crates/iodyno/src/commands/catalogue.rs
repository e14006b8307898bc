//! `iodyno catalogue`: everything that `explain` knows.

use super::Context;
use crate::exit::{Exit, Failure};
use serde::Serialize;

/// One thing with its page.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// `knob`, `persist`, `rule`, `engine`, `preset`, `sensor` or `collector`.
    pub kind: &'static str,
    /// Its id.
    pub id: &'static str,
    /// Its page, Markdown.
    pub page: &'static str,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    entries: Vec<Entry>,
}

/// Everything, by kind and id.
pub fn entries() -> Vec<Entry> {
    let kinds: [(&'static str, &'static [(&'static str, &'static str)]); 7] = [
        ("knob", pipeline::apply::knobs::PAGES),
        ("persist", pipeline::apply::persist::PAGES),
        ("rule", pipeline::diagnose::rules::PAGES),
        ("engine", pipeline::load::engines::PAGES),
        ("preset", pipeline::load::presets::PAGES),
        ("sensor", pipeline::observe::sensors::PAGES),
        ("collector", pipeline::inventory::collectors::PAGES),
    ];
    let of_kind = |(kind, pages): (&'static str, &'static [(&'static str, &'static str)])| {
        pages.iter().map(move |&(id, page)| Entry { kind, id, page })
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

/// Prints kind, id and title of each.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let entries = entries();
    for entry in &entries {
        let title = entry.page.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        context.out.say(format!("{:<10} {:<26} {title}", entry.kind, entry.id));
    }
    context.out.document(&Document { schema: "iodyno.catalogue/1", entries })?;
    Ok(Exit::Fine)
}
