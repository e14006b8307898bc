//! The page of one thing, with what this machine has to say on it.

use crate::catalogue::{CatalogueEntry, entries};
use crate::glossary::{self, Word};
use apply::Knob;
use load::language::similar;
use model::layers::Span;
use model::subject::SubjectKind;
use observe::{Rung, RungStep, rung};
use serde::Serialize;

/// As many names are suggested.
const NEAR_MAX: usize = 5;

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
/// what this machine says, where it is live. Without such a name what people call so, the definition first.
pub fn pages(name: &str, is_live: bool) -> Vec<Page> {
    let (kind, name) = kind_and_name(name);
    // The spans of a table of layers are told on one page.
    let is_span = name == "outside" || Span::ALL.iter().any(|span| span.name() == name);
    let id = if is_span { "layers" } else { name };
    let entries = entries();
    let found = spellings(id)
        .map(|id| found(&entries, kind, id))
        .find(|found| !found.is_empty());
    let found = found.unwrap_or_else(|| by_word(&entries, kind, name));
    let page = |entry| Page { entry, here: None };
    let mut pages: Vec<Page> = found.into_iter().map(page).collect();
    if let Some(first) = pages.first_mut().filter(|_| id == "layers" && is_live) {
        first.here = Some(Here::of(rung()));
    }
    pages
}

/// A name as it was written, then without a value (`commit=30`), then without the `no` that switches a mount option off.
fn spellings(name: &str) -> impl Iterator<Item = &str> {
    let bare = name.split_once('=').map(|(name, _)| name);
    let positive = name
        .strip_prefix("no")
        .filter(|positive| positive.len() > 2);
    [Some(name), bare, positive].into_iter().flatten()
}

/// What people call it who do not know the id: what has the word among its names, else what names it in passing, else the
/// one thing that has a name like it.
fn by_word(entries: &[CatalogueEntry], kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let called = spellings(name)
        .map(|name| called(entries, kind, name))
        .find(|found| !found.is_empty());
    if let Some(called) = called {
        return called;
    }
    let words = match kind {
        None | Some("word") => glossary::mentioning(name),
        Some(_) => Vec::new(),
    };
    // Who names a kind knows its names.
    match (
        words.is_empty() && kind.is_none(),
        &holding(entries, kind, name)[..],
    ) {
        (true, [only]) if starts_a_word(&only.id, name) => vec![only.clone()],
        _ => words,
    }
}

/// What has a word among its names, of the kind that was asked for.
fn called(entries: &[CatalogueEntry], kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let mut called = glossary::called(name, entries);
    called.retain(|entry| kind.is_none_or(|kind| kind == entry.kind));
    called
}

/// Everything whose name holds a name, or is held by it; those where a word of it begins so come first.
fn holding(entries: &[CatalogueEntry], kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let is_it = |entry: &&CatalogueEntry| {
        kind.is_none_or(|kind| kind == entry.kind) && is_near(&entry.id, name)
    };
    let mut holding: Vec<CatalogueEntry> = entries.iter().filter(is_it).cloned().collect();
    holding.sort_by_key(|entry| !starts_a_word(&entry.id, name));
    holding
}

/// The kind that was asked for, where one was, and the name.
fn kind_and_name(asked: &str) -> (Option<&str>, &str) {
    match asked.split_once(':') {
        Some((kind, name)) => (Some(kind), name),
        None => (None, asked),
    }
}

/// The entries of a name. A kernel parameter that is no more than a knob has the knob's page.
fn found(entries: &[CatalogueEntry], kind: Option<&str>, name: &str) -> Vec<CatalogueEntry> {
    let of = |kind: Option<&str>, name: &str| -> Vec<CatalogueEntry> {
        let is_it = |entry: &&CatalogueEntry| {
            kind.is_none_or(|kind| kind == entry.kind) && is_called(entry, name)
        };
        entries.iter().filter(is_it).cloned().collect()
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

/// Names like one that nothing has, the best first: what is called so, what holds it or is held by it, else the one with the
/// fewest other letters. Of everything where `KIND:NAME` names no kind.
pub fn near(name: &str) -> Vec<String> {
    let (kind, name) = kind_and_name(name);
    let entries = entries();
    let called = spellings(name).flat_map(|name| called(&entries, kind, name));
    let all = called.chain(holding(&entries, kind, name));
    let mut near: Vec<String> = Vec::new();
    for id in all.map(|entry| entry.id.into_owned()) {
        if !near.contains(&id) {
            near.push(id);
        }
    }
    if near.is_empty() {
        near.extend(misspelt(&entries, kind, name));
    }
    near.truncate(NEAR_MAX);
    near
}

/// The name that was meant, where there is one with few other letters: an id, or a word that leads to one.
fn misspelt(entries: &[CatalogueEntry], kind: Option<&str>, name: &str) -> Option<String> {
    let id = |entry: &CatalogueEntry| Word {
        word: entry.id.to_string(),
        kind: entry.kind,
        id: entry.id.to_string(),
    };
    let mut words: Vec<Word> = entries.iter().map(id).collect();
    words.extend(glossary::words(entries));
    words.retain(|one| kind.is_none_or(|kind| kind == one.kind));
    let word = similar(name, words.iter().map(|one| one.word.as_str()))?;
    // Who asked for a kind gives the name where a name of that kind belongs.
    match kind {
        None => Some(word.into()),
        Some(_) => words
            .iter()
            .find(|one| one.word == word)
            .map(|one| one.id.clone()),
    }
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

/// As names are compared: without capitals, and with one mark between words.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

/// Whether one holds the other; what is asked for holds an id only as a word of its own: there is no `ata` in `data=ordered`.
fn is_near(id: &str, asked: &str) -> bool {
    let (id, asked) = (plain(id), plain(asked));
    let is_mark = |one: char| !one.is_alphanumeric();
    let is_word_of = |whole: &str, part: &str| {
        whole.match_indices(part).any(|(at, _)| {
            let (before, after) = (&whole[..at], &whole[at + part.len()..]);
            (before.is_empty() || before.ends_with(is_mark))
                && (after.is_empty() || after.starts_with(is_mark))
        })
    };
    asked.len() > 2 && (id.contains(&asked) || is_word_of(&asked, &id))
}

/// Whether a word of an id begins with what was asked for.
fn starts_a_word(id: &str, asked: &str) -> bool {
    let (id, asked) = (plain(id), plain(asked));
    let mut places = id.match_indices(&asked);
    places.any(|(at, _)| !id[..at].ends_with(char::is_alphanumeric))
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
        assert_eq!(kinds("commit=30"), [("knob", "commit".into())]);
        assert_eq!(kinds("nodiscard"), [("knob", "discard".into())]);
    }

    /// The words of other tools and of old advice, and the page that answers.
    #[test]
    fn words_of_the_field_lead_to_the_page_that_answers() {
        for (word, kind, id) in [
            ("cfq", "cause", "scheduler_word_gone"),
            ("deadline", "cause", "scheduler_word_gone"),
            ("noop", "cause", "scheduler_word_gone"),
            ("elevator=", "cause", "scheduler_word_gone"),
            ("elevator=deadline", "cause", "scheduler_word_gone"),
            ("nobarrier", "cause", "barriers_off"),
            ("barrier", "cause", "barriers_off"),
            ("delalloc", "cause", "delayed_allocation_off"),
            ("nodelalloc", "cause", "delayed_allocation_off"),
            ("data=journal", "cause", "delayed_allocation_off"),
            ("data=ordered", "cause", "fsync_waits_for_others"),
            ("data=writeback", "cause", "fsync_waits_for_others"),
            ("noatime", "knob", "atime"),
            ("relatime", "knob", "atime"),
            ("fstrim", "knob", "discard"),
            ("inode", "cause", "file_system_full"),
            ("inodes", "cause", "file_system_full"),
            ("%util", "cause", "busy_percent_misleads"),
            ("util", "cause", "busy_percent_misleads"),
            ("svctm", "cause", "svctm_misleads"),
            ("iowait", "cause", "iowait_misleads"),
            ("await", "word", "await"),
            ("avgqu-sz", "word", "in flight"),
            ("irqbalance", "claimant", "irqbalance"),
            ("D2C", "sensor", "layers"),
            (
                "vm.dirty_background_ratio",
                "sysctl",
                "vm.dirty_background_ratio",
            ),
        ] {
            let found = kinds(word);
            let is_it = |one: &(&str, String)| one.0 == kind && one.1 == id;
            assert!(found.iter().any(is_it), "{word}: {found:?}");
            // What stands before it is a definition of the glossary.
            let before = found.iter().take_while(|one| !is_it(one));
            assert!(
                before.into_iter().all(|one| one.0 == "word"),
                "{word}: {found:?}"
            );
        }
        assert_eq!(kinds("knob:relatime"), [("knob", "atime".into())]);
    }

    #[test]
    fn a_name_that_nothing_has_is_answered_with_near_ones() {
        assert_eq!(near("sysctl:vm.dirtyratio"), ["vm.dirty_ratio"]);
        assert!(near("sysctl:dirty").contains(&"vm.dirty_bytes".into()));
        assert_eq!(near("sysctl:net.core.somaxcon"), ["net.core.somaxconn"]);
        assert!(near("throughput").contains(&"throughput-performance".into()));
    }

    #[test]
    fn few_names_are_suggested_and_the_nearest_first() {
        for name in [
            "e",
            "io",
            "disk",
            "read",
            "knob:dirty",
            "nonsense-of-nobody",
        ] {
            assert!(near(name).len() <= 5, "{name}: {:?}", near(name));
        }
        assert_eq!(near("knob:slice_idle")[0], "slice_idle_us");
        assert_eq!(near("knob:sheduler"), ["scheduler"]);
        assert_eq!(near("knob:noatime")[0], "atime");
        assert_eq!(near("iodeepth"), ["iodepth"]);
    }
}
