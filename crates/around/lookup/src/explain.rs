//! The page of one thing, with what this machine has to say on it.

use crate::catalogue::{CatalogueEntry, entries};
use model::layers::Span;
use observe::{Rung, RungStep, rung};
use serde::Serialize;

/// As many names are suggested.
const NEAR_MAX: usize = 8;

/// A page, with what this machine has to say on it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Page {
    /// The thing and its page.
    #[serde(flatten)]
    pub entry: CatalogueEntry,
    /// The one page that depends on the machine: the best way to see layers is found by trying it.
    #[serde(skip_serializing_if = "Option::is_none")]
    here: Option<Here>,
}

/// How far this machine lets iodyno look.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Here {
    rung: &'static str,
    gives: &'static str,
    why_not_higher: Vec<String>,
    ladder: Vec<HereStep>,
}

/// A rung of the ladder on this machine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HereStep {
    rung: &'static str,
    gives: &'static str,
    taken: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

/// Everything of this name, one of each kind that has it; the first with what this machine says, where it is live.
pub fn pages(name: &str, is_live: bool) -> Vec<Page> {
    // The spans of a table of layers are told on one page.
    let is_span = name == "outside" || Span::ALL.iter().any(|span| span.name() == name);
    let id = if is_span { "layers" } else { name };
    let found = entries().into_iter().filter(|entry| entry.id == id);
    let page = |entry| Page { entry, here: None };
    let mut pages: Vec<Page> = found.map(page).collect();
    if let Some(first) = pages.first_mut().filter(|_| id == "layers" && is_live) {
        first.here = Some(Here::of(rung()));
    }
    pages
}

/// Names like one that nothing has.
pub fn near(name: &str) -> Vec<String> {
    entries()
        .iter()
        .map(|entry| entry.id.to_string())
        .filter(|id| is_near(id, name))
        .take(NEAR_MAX)
        .collect()
}

impl Page {
    /// What this machine has to say, for people.
    pub fn here_lines(&self) -> Vec<String> {
        self.here.as_ref().map(Here::lines).unwrap_or_default()
    }
}

impl Here {
    fn of(rung: Rung) -> Here {
        let taken = rung.name;
        let step = |step: RungStep| HereStep {
            rung: step.name,
            gives: step.gives,
            taken: step.name == taken,
            why_not: step.why_not,
        };
        Here {
            rung: taken,
            gives: rung.gives,
            why_not_higher: rung.why_not_higher,
            ladder: rung.ladder.into_iter().map(step).collect(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let first = format!(
            "On this machine: {}, which gives {}.",
            self.rung, self.gives
        );
        let ladder = self.ladder.iter();
        [String::new(), first]
            .into_iter()
            .chain(ladder.map(|step| format!("  {:<11}{}", step.rung, step.state())))
            .collect()
    }
}

impl HereStep {
    /// Why it is taken or not.
    fn state(&self) -> String {
        match &self.why_not {
            _ if self.taken => "taken".into(),
            Some(why) => format!("not here: {why}"),
            None if self.rung == "diskstats" => "kept beside it, always".into(),
            None => format!("works here too; --layers {} takes it", self.rung),
        }
    }
}

fn is_near(id: &str, asked: &str) -> bool {
    let asked = asked.to_lowercase().replace('-', "_");
    asked.len() > 2 && (id.contains(&asked) || asked.contains(id))
}
