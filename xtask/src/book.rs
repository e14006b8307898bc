//! `cargo xtask book DIR [REPOSITORY]`: what mdBook makes the site of the documentation from.
//!
//! The pages keep their places, so that their links lead to each other as they do in the repository. A link to anything that is
//! no page and no picture leads to the repository, where one is named, and is plain text otherwise.

use crate::markdown::{is_relative, link_targets, prose_lines};
use crate::problem::Failure;
use crate::text::{parent, resolve};
use crate::tree::Tree;
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

const SETTINGS: &str = include_str!("book.toml");

/// Pages from outside `docs`, at the end of the contents.
const AROUND: &[&str] = &["SECURITY.md", "CHANGELOG.md", "bench/RESULTS.md"];

/// The page that the site begins with.
const FIRST: &str = "README.md";
const GUIDE: &str = "docs/guide/README.md";
const COMMANDS: &str = "docs/commands/README.md";
const CATALOGUE: &str = "docs/catalogue/README.md";

/// Writes settings, contents and pages below a directory that is not there yet.
pub fn run(root: &Path, directory: &Path, repository: Option<&str>) -> Result<String, Failure> {
    if directory.exists() {
        let what = format!("{} is there; remove it first", directory.display());
        return Err(Failure::Usage(what));
    }
    let tree = Tree::read(root)?;
    let book = Book::new(&tree, repository);
    write(directory, "book.toml", SETTINGS.as_bytes())?;
    write(directory, "src/SUMMARY.md", book.contents().as_bytes())?;
    for page in &book.pages {
        let text = book.page(page);
        write(directory, &format!("src/{}", place(page)), text.as_bytes())?;
    }
    for picture in book.pictures() {
        let bytes = fs::read(root.join(picture)).map_err(|error| Failure::io(picture, &error))?;
        write(directory, &format!("src/{picture}"), &bytes)?;
    }
    Ok(format!("book: {} pages", book.pages.len()))
}

fn write(directory: &Path, path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let target = directory.join(path);
    let done = fs::create_dir_all(target.parent().unwrap_or(directory))
        .and_then(|()| fs::write(&target, bytes));
    done.map_err(|error| Failure::io(target.display(), &error))
}

struct Book<'a> {
    tree: &'a Tree,
    repository: Option<&'a str>,
    pages: BTreeSet<&'a str>,
}

impl<'a> Book<'a> {
    fn new(tree: &'a Tree, repository: Option<&'a str>) -> Self {
        let is_page = |path: &&str| {
            *path == FIRST
                || AROUND.contains(path)
                || path.starts_with("docs/") && path.ends_with(".md")
        };
        Book {
            tree,
            repository,
            pages: tree.paths().filter(is_page).collect(),
        }
    }

    fn pictures(&self) -> impl Iterator<Item = &'a str> {
        self.tree.paths().filter(|path| is_picture(path))
    }

    /// The contents: the guide in its reading order, every command, every item of the catalogue.
    fn contents(&self) -> String {
        let mut text = format!("# Summary\n\n[iodyno]({})\n", place(FIRST));
        let mut listed = BTreeSet::from([FIRST]);
        text += &self.chapter("The guide", GUIDE, Headings::Parts, &mut listed);
        text += &self.chapter("Reference", COMMANDS, Headings::None, &mut listed);
        text += &self.chapter("Catalogue", CATALOGUE, Headings::Folded, &mut listed);
        text += "\n# The project\n\n";
        for page in self.pages.iter().filter(|page| !listed.contains(**page)) {
            text += &format!("- [{}]({})\n", self.title(page), place(page));
        }
        text
    }

    /// A page that lists others, and behind it those that it links and no chapter before has.
    fn chapter(
        &self,
        name: &str,
        index: &'a str,
        headings: Headings,
        listed: &mut BTreeSet<&'a str>,
    ) -> String {
        let first = self.title(index);
        let mut text = format!("\n# {name}\n\n- [{first}]({})\n", place(index));
        listed.insert(index);
        for (_, line) in prose_lines(self.text(index)) {
            if let Some(heading) = line.strip_prefix("## ") {
                text += &headings.entry(heading);
            }
            for target in link_targets(line) {
                let path = self.resolved(index, &line[target]);
                let page = path.and_then(|path| self.pages.get(path.as_str()).copied());
                let page = page.filter(|page| page.starts_with(parent(index)));
                if let Some(page) = page.filter(|page| listed.insert(page)) {
                    let title = self.title(page);
                    text += &format!("{}- [{title}]({})\n", headings.indent(), place(page));
                }
            }
        }
        text
    }

    fn text(&self, page: &str) -> &'a str {
        self.tree.text(page).unwrap_or_default()
    }

    fn title(&self, page: &str) -> &'a str {
        let title = self.text(page).lines().next().unwrap_or_default();
        title.trim_start_matches("# ")
    }

    /// The path that a link names.
    fn resolved(&self, page: &str, target: &str) -> Option<String> {
        resolve(parent(page), target.split('#').next()?)
    }

    /// The text of a page, with links that lead out of the book changed.
    fn page(&self, page: &str) -> String {
        let text = self.text(page);
        let mut out = String::with_capacity(text.len());
        let prose: BTreeSet<usize> = prose_lines(text).map(|(index, _)| index).collect();
        for (index, line) in text.lines().enumerate() {
            let changed = prose.contains(&index).then(|| self.line(page, line));
            out += changed.as_deref().unwrap_or(line);
            out.push('\n');
        }
        out
    }

    fn line(&self, page: &str, line: &str) -> String {
        let mut changed = line.to_string();
        for target in link_targets(line).into_iter().rev() {
            match self.way(page, &line[target.clone()]) {
                Way::Stays => {}
                Way::To(other) => changed.replace_range(target, &other),
                Way::Nowhere => unlink(&mut changed, &target),
            }
        }
        changed
    }

    fn way(&self, page: &str, target: &str) -> Way {
        if !is_relative(target) || target.starts_with('#') {
            return Way::Stays;
        }
        let Some(path) = self.resolved(page, target) else {
            return Way::Nowhere;
        };
        let index = format!("{path}/README.md");
        if self.pages.contains(path.as_str()) {
            Way::To(place(target))
        } else if is_picture(&path) {
            Way::Stays
        } else if self.pages.contains(index.as_str()) {
            Way::To(format!("{}/index.md", target.trim_end_matches('/')))
        } else {
            let repository = self.repository.map(|repository| {
                let repository = repository.trim_end_matches('/');
                format!("{repository}/blob/HEAD/{path}")
            });
            repository.map_or(Way::Nowhere, Way::To)
        }
    }
}

/// Where a link of a page leads in the book.
enum Way {
    Stays,
    To(String),
    Nowhere,
}

/// Leaves the text of a link, which stands in square brackets before its target.
fn unlink(line: &mut String, target: &Range<usize>) {
    let end = line[target.end..].find(')').map(|at| target.end + at + 1);
    let text_end = line[..target.start].rfind("](");
    let text_start = text_end.and_then(|end| line[..end].rfind('['));
    if let (Some(start), Some(text_end), Some(end)) = (text_start, text_end, end) {
        let text = line[start + 1..text_end].to_string();
        line.replace_range(start..end, &text);
    }
}

/// Where a page stands in the book. What GitHub shows for a folder is `README.md`; what a browser is given for one is `index.html`.
fn place(page: &str) -> String {
    page.replace("README.md", "index.md")
}

fn is_picture(path: &str) -> bool {
    path.starts_with("docs/") && [".png", ".svg"].iter().any(|end| path.ends_with(end))
}

/// What becomes of the headings of a page that lists others.
#[derive(Clone, Copy)]
enum Headings {
    None,
    /// Titles above the pages.
    Parts,
    /// Entries that open and close, with the pages below them.
    Folded,
}

impl Headings {
    fn entry(self, heading: &str) -> String {
        match self {
            Headings::None => String::new(),
            Headings::Parts => format!("\n# {heading}\n\n"),
            Headings::Folded => format!("- [{heading}]()\n"),
        }
    }

    fn indent(self) -> &'static str {
        match self {
            Headings::Folded => "  ",
            Headings::None | Headings::Parts => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        Tree::of(&[
            ("README.md", "# iodyno\n[guide](docs/guide/README.md)\n"),
            ("SECURITY.md", "# Security\n"),
            (
                "docs/guide/README.md",
                "# The guide\n## Begin\n1. [a](check.md)\n[all](../commands/README.md)\n",
            ),
            ("docs/guide/check.md", "# Why: a check\n"),
            ("docs/guide/pictures/a.svg", "<svg/>"),
            (
                "docs/commands/README.md",
                "# Commands\n| [a](check.md) | [b](../guide/check.md) |\n",
            ),
            ("docs/commands/check.md", "# iodyno check\n"),
            (
                "docs/catalogue/README.md",
                "# Catalogue\n## Knobs\n- [a](knob/a.md) A.\n",
            ),
            ("docs/catalogue/knob/a.md", "# A\n"),
            ("lab/README.md", "# The lab\n"),
        ])
    }

    #[test]
    fn every_page_has_one_place() {
        let tree = tree();
        assert_eq!(
            Book::new(&tree, None).contents(),
            "# Summary\n\n[iodyno](index.md)\n\n\
             # The guide\n\n- [The guide](docs/guide/index.md)\n\n\
             # Begin\n\n- [Why: a check](docs/guide/check.md)\n\n\
             # Reference\n\n- [Commands](docs/commands/index.md)\n- [iodyno check](docs/commands/check.md)\n\n\
             # Catalogue\n\n- [Catalogue](docs/catalogue/index.md)\n- [Knobs]()\n  - [A](docs/catalogue/knob/a.md)\n\n\
             # The project\n\n- [Security](SECURITY.md)\n"
        );
    }

    #[test]
    fn links_out_of_the_book_lead_to_the_repository_or_nowhere() {
        let tree = tree();
        let line = "[a](check.md#x), [*b*](../../lab/README.md#y), [c](pictures/a.svg), [d](https://d.org), [e](../catalogue/), [f](README.md#a)";
        let without = Book::new(&tree, None).line("docs/guide/check.md", line);
        assert_eq!(
            without,
            "[a](check.md#x), *b*, [c](pictures/a.svg), [d](https://d.org), [e](../catalogue/index.md), [f](index.md#a)"
        );
        let with = Book::new(&tree, Some("https://e.org/f/")).line("docs/guide/check.md", line);
        assert!(
            with.contains("[*b*](https://e.org/f/blob/HEAD/lab/README.md)"),
            "{with}"
        );
    }
}
