//! The pages of the commands: each verb with its `--help`, and the table of all with the page of the guide that explains it.
//!
//! A page of the guide names its verbs in a comment below its title: `<!-- commands: list, show -->`.

use crate::problem::{Failure, Problem};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Where the pages go, relative to the workspace root.
pub const COMMANDS: &str = "docs/commands";

/// Where pages that explain a verb are looked for.
const GUIDES: &[&str] = &["docs/guide", "docs/catalogue"];

const HEAD: &str = "\
# Commands

Every verb of iodyno; its name leads to its options. `cargo xtask gen` writes these pages from what the program itself prints with
`--help`. After a package is installed, `man iodyno-check` has the same.

Exit codes: 0 fine, 1 a threshold was crossed (`check --fail-on`, `compare --fail-if`), 2 usage, 3 rights missing, 4 refused for safety,
5 the target or the host failed, 6 the experiment could not decide, 130 interrupted with everything put back. Every verb takes `--json`.

| command | what it does | explained in |
|---|---|---|
";

/// A verb, or one below it, with what its `--help` prints.
#[derive(Debug, PartialEq, Eq)]
pub struct Usage {
    /// The words after `iodyno`.
    pub name: String,
    /// What `--help` prints.
    pub help: String,
}

/// A verb.
#[derive(Debug, PartialEq, Eq)]
pub struct Verb {
    /// The word after `iodyno`.
    pub name: String,
    /// What it does, in one sentence without its end.
    pub about: String,
    /// Its own usage, then those of the verbs below it.
    pub usages: Vec<Usage>,
}

/// A page that explains verbs, as a link from the pages of the commands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Guide {
    title: String,
    path: String,
}

/// The verbs of what `manual --list` prints: a name, a tab and what it does. A verb stands before those below it.
pub fn verbs(list: &str) -> Result<Vec<Verb>, Failure> {
    let mut verbs: Vec<Verb> = Vec::new();
    for line in list.lines() {
        let broken = || Failure::Broken(format!("the program lists `{line}` among its verbs"));
        let (name, about) = line.split_once('\t').ok_or_else(broken)?;
        let usage = Usage {
            name: name.into(),
            help: String::new(),
        };
        match name.split_once(' ') {
            None => verbs.push(Verb {
                name: name.into(),
                about: about.trim_end_matches('.').into(),
                usages: vec![usage],
            }),
            Some(_) => verbs.last_mut().ok_or_else(broken)?.usages.push(usage),
        }
    }
    Ok(verbs)
}

/// Path and text of every page, and the verbs that no page of the guide explains. Of pages that are generated themselves, `planned`
/// has what they will be.
pub fn pages(
    root: &Path,
    verbs: &[Verb],
    planned: &BTreeMap<String, String>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<(String, String)>, Failure> {
    let guides = guides(root, planned)?;
    let mut pages = Vec::new();
    let mut table = HEAD.to_string();
    for verb in verbs {
        let Some(guide) = guides.get(&verb.name) else {
            let what = format!(
                "no page explains `iodyno {0}`; put `<!-- commands: {0} -->` below the title of the one that does",
                verb.name
            );
            problems.push(Problem::new("docs/guide/README.md", 1, what));
            continue;
        };
        table += &format!(
            "| [`iodyno {0}`]({0}.md) | {1} | [{2}]({3}) |\n",
            verb.name, verb.about, guide.title, guide.path
        );
        pages.push((format!("{COMMANDS}/{}.md", verb.name), page(verb, guide)));
    }
    pages.push((format!("{COMMANDS}/README.md"), table));
    Ok(pages)
}

fn page(verb: &Verb, guide: &Guide) -> String {
    let mut text = format!(
        "# iodyno {}\n\n{}. How to use it: [{}]({}).\n",
        verb.name, verb.about, guide.title, guide.path
    );
    for usage in &verb.usages {
        if usage.name != verb.name {
            text += &format!("\n## iodyno {}\n", usage.name);
        }
        let help = usage.help.lines().map(str::trim_end);
        let help = help.collect::<Vec<_>>().join("\n");
        text += &format!(
            "\n```text\n$ iodyno {} --help\n{}\n```\n",
            usage.name,
            help.trim_end()
        );
    }
    text
}

/// The page that explains each verb.
fn guides(
    root: &Path,
    planned: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Guide>, Failure> {
    let mut found = BTreeMap::new();
    for folder in GUIDES {
        for name in super::file_names(&root.join(folder))? {
            let path = format!("{folder}/{name}");
            let text = match planned.get(&path) {
                Some(text) => text.clone(),
                None => fs::read_to_string(root.join(&path))
                    .map_err(|error| Failure::io(&path, &error))?,
            };
            let Some(verbs) = explained(&text) else {
                continue;
            };
            let title = text.lines().next().unwrap_or_default();
            let title = title.trim_start_matches("# ").split(':').next();
            let guide = Guide {
                title: title.unwrap_or_default().into(),
                path: format!("../{}", path.trim_start_matches("docs/")),
            };
            found.extend(verbs.map(|verb| (verb.to_string(), guide.clone())));
        }
    }
    Ok(found)
}

fn explained(text: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, rest) = text.split_once("<!-- commands: ")?;
    let (verbs, _) = rest.split_once(" -->")?;
    Some(verbs.split(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_stands_with_those_below_it() {
        let verbs =
            verbs("check\tSay why.\nloop\tMake devices.\nloop create\tMake one.\n").unwrap();
        let names = |verb: &Verb| {
            let names = verb.usages.iter().map(|usage| usage.name.clone());
            names.collect::<Vec<_>>()
        };
        assert_eq!(verbs[0].about, "Say why");
        assert_eq!(names(&verbs[0]), ["check"]);
        assert_eq!(names(&verbs[1]), ["loop", "loop create"]);
    }

    #[test]
    fn a_list_of_something_else_is_refused() {
        assert!(verbs("loop create\tMake one.\n").is_err());
        assert!(verbs("check\n").is_err());
    }

    #[test]
    fn a_page_of_the_guide_names_its_verbs() {
        let text = "# Records\n\n<!-- commands: list, show -->\n\nWhere they are.\n";
        let verbs: Vec<&str> = explained(text).unwrap().collect();
        assert_eq!(verbs, ["list", "show"]);
        assert!(explained("# Records\n").is_none());
    }
}
