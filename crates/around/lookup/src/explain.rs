//! The page of one thing, with what this machine has to say on it.

use crate::catalogue::{CatalogueEntry, entries};
use crate::glossary;
use apply::Knob;
use load::language::similar;
use model::layers::Span;
use model::subject::SubjectKind;
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

/// Everything of this name, one of each kind that has it, or that of one kind as `KIND:NAME` asks for it; the first with
/// what this machine says, where it is live.
pub fn pages(name: &str, is_live: bool) -> Vec<Page> {
    let (kind, name) = kind_and_name(name);
    // The spans of a table of layers are told on one page.
    let is_span = name == "outside" || Span::ALL.iter().any(|span| span.name() == name);
    let id = if is_span { "layers" } else { name };
    let found = Some(found(kind, id))
        .filter(|found| !found.is_empty())
        .unwrap_or_else(|| by_word(kind, name));
    let page = |entry| Page { entry, here: None };
    let mut pages: Vec<Page> = found.into_iter().map(page).collect();
    if let Some(first) = pages.first_mut().filter(|_| id == "layers" && is_live) {
        first.here = Some(Here::of(rung()));
    }
    pages
}

/// What people call it who do not know the id: a word of the glossary, else the one thing that has a name like it.
fn by_word(kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let words = match kind {
        None | Some("word") => glossary::of(name),
        Some(_) => Vec::new(),
    };
    // Who names a kind knows its names.
    match (words.is_empty() && kind.is_none(), &holding(kind, name)[..]) {
        (true, [only]) => vec![only.clone()],
        _ => words,
    }
}

/// Everything whose name holds a name, or is held by it.
fn holding(kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let is_it = |entry: &CatalogueEntry| {
        kind.is_none_or(|kind| kind == entry.kind) && is_near(&entry.id, name)
    };
    entries().into_iter().filter(is_it).collect()
}

/// The kind that was asked for, where one was, and the name.
fn kind_and_name(asked: &str) -> (Option<&str>, &str) {
    match asked.split_once(':') {
        Some((kind, name)) => (Some(kind), name),
        None => (None, asked),
    }
}

/// The entries of a name. A kernel parameter that is no more than a knob has the knob's page.
fn found(kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let all = entries();
    let of = |kind: Option<&str>, name: &str| -> Vec<CatalogueEntry> {
        let is_it = |entry: &&CatalogueEntry| {
            kind.is_none_or(|kind| kind == entry.kind) && is_called(entry, name)
        };
        all.iter().filter(is_it).cloned().collect()
    };
    let found = of(kind, name);
    let is_parameter = kind.is_none_or(|kind| kind == "sysctl");
    match Knob::find(&name.replace('/', ".")).filter(|_| found.is_empty() && is_parameter) {
        Some(knob) if knob.on == SubjectKind::Sysctl => of(Some("knob"), knob.id),
        _ => found,
    }
}

/// sysctl(8) takes slashes for dots, and a profile's file has underscores for its dashes.
fn is_called(entry: &CatalogueEntry, name: &str) -> bool {
    match entry.kind {
        "sysctl" => entry.id == name.replace('/', "."),
        "profile" => entry.id == name.replace('_', "-"),
        _ => entry.id == name,
    }
}

/// Names like one that nothing has: those that hold it or that it holds, else the one with the fewest other letters.
pub fn near(name: &str) -> Vec<String> {
    let (kind, name) = kind_and_name(name);
    let all = entries();
    let ids: Vec<&str> = all
        .iter()
        .filter(|entry| kind.is_none_or(|kind| kind == entry.kind))
        .map(|entry| &*entry.id)
        .collect();
    let holding = holding(kind, name).into_iter();
    let mut near: Vec<String> = holding
        .map(|entry| entry.id.into_owned())
        .take(NEAR_MAX)
        .collect();
    if near.is_empty() {
        near.extend(similar(name, ids.into_iter()).map(Into::into));
    }
    near
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
    let (id, asked) = (id.replace('-', "_"), asked.to_lowercase().replace('-', "_"));
    asked.len() > 2 && (id.contains(&asked) || asked.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(name: &str) -> Vec<(&'static str, String)> {
        let pages = pages(name, false).into_iter();
        let named = pages.map(|page| (page.entry.kind, page.entry.id.into_owned()));
        named.collect()
    }

    #[test]
    fn a_kernel_parameter_has_one_page_by_each_of_its_names() {
        for name in ["vm.dirty_ratio", "sysctl:vm.dirty_ratio", "vm/dirty_ratio"] {
            assert_eq!(kinds(name), [("sysctl", "vm.dirty_ratio".into())], "{name}");
        }
        for name in ["vm.vfs_cache_pressure", "sysctl:vm.vfs_cache_pressure"] {
            assert_eq!(
                kinds(name),
                [("knob", "vfs_cache_pressure".into())],
                "{name}"
            );
        }
        assert!(kinds("knob:vm.dirty_ratio").is_empty());
        assert_eq!(kinds("profile:virtual_guest")[0].1, "virtual-guest");
    }

    #[test]
    fn what_people_call_a_thing_leads_to_it() {
        assert_eq!(kinds("slice_idle"), [("knob", "slice_idle_us".into())]);
        assert_eq!(kinds("noatime"), [("knob", "atime".into())]);
        assert_eq!(kinds("clat"), [("word", "latency".into())]);
        assert_eq!(kinds("word:iodepth"), [("word", "depth".into())]);
        assert!(kinds("knob:iodepth").is_empty());
    }

    #[test]
    fn a_name_that_nothing_has_is_answered_with_near_ones() {
        assert_eq!(near("sysctl:vm.dirtyratio"), ["vm.dirty_ratio"]);
        assert!(near("sysctl:dirty").contains(&"vm.dirty_bytes".into()));
        assert_eq!(near("sysctl:net.core.somaxcon"), ["net.core.somaxconn"]);
        assert!(near("throughput").contains(&"throughput-performance".into()));
    }
}
