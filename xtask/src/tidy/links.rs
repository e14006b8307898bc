//! Documents can be found from other documents, and what they point at exists.

use crate::markdown::{anchors, is_relative, link_targets, prose_lines};
use crate::problem::Problem;
use crate::text::{parent, resolve};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// A place that a document points at.
struct Link<'a> {
    from: &'a str,
    line: usize,
    target: &'a str,
}

/// Relative links that lead nowhere, and files in `docs` that no other document links.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let links: Vec<Link> = tree
        .markdown()
        .flat_map(|(path, text)| links(path, text))
        .collect();
    let relative: Vec<&Link> = links
        .iter()
        .filter(|link| is_relative(link.target))
        .collect();
    let broken = relative
        .iter()
        .filter(|link| !link.path().is_some_and(|path| tree.has(&path)));
    let what = |link: &Link| format!("`{}` does not exist; correct the link", link.target);
    let broken = broken.map(|link| Problem::new(link.from, link.line, what(link)));
    let lost = without_heading(tree, &relative);
    broken
        .chain(lost)
        .chain(unlinked(tree, &relative))
        .collect()
}

fn unlinked(tree: &Tree, links: &[&Link]) -> Vec<Problem> {
    let foreign = links
        .iter()
        .filter_map(|link| link.path().filter(|path| path != link.from));
    let linked: BTreeSet<String> = foreign.collect();
    let lost = tree
        .paths()
        .filter(|path| path.starts_with("docs/") && !is_linked(path, &linked));
    let what =
        "no Markdown file links to this; link it, or its folder, where a reader would look for it";
    lost.map(|path| Problem::new(path, 1, what)).collect()
}

/// True for a linked file, and for a file in a linked folder; a link to all of `docs` finds nothing.
fn is_linked(path: &str, linked: &BTreeSet<String>) -> bool {
    let folders = std::iter::successors(Some(path), |path| Some(parent(path)));
    folders
        .take_while(|folder| folder.starts_with("docs/"))
        .any(|folder| linked.contains(folder))
}

impl Link<'_> {
    /// The file that it leads to.
    fn path(&self) -> Option<String> {
        match self.target.split('#').next() {
            None | Some("") => Some(self.from.into()),
            Some(path) => resolve(parent(self.from), path),
        }
    }
}

fn links<'a>(path: &'a str, text: &'a str) -> Vec<Link<'a>> {
    let link = |index: usize, target| Link {
        from: path,
        line: index + 1,
        target,
    };
    let found = prose_lines(text).flat_map(|(index, line)| {
        let targets = link_targets(line).into_iter();
        targets.map(move |target| link(index, &line[target]))
    });
    found.collect()
}

/// Links to a heading that a page does not have. Headings of sources are nobody's business here.
fn without_heading(tree: &Tree, links: &[&Link]) -> Vec<Problem> {
    let anchors: BTreeMap<&str, BTreeSet<String>> = tree
        .markdown()
        .map(|(path, text)| (path, anchors(text)))
        .collect();
    let is_lost = |link: &&&Link| {
        let Some((_, heading)) = link.target.split_once('#') else {
            return false;
        };
        let known = link.path().and_then(|page| anchors.get(page.as_str()));
        known.is_some_and(|known| !known.contains(heading))
    };
    let what = |link: &Link| {
        format!(
            "`{}` names a heading that is not there; correct the link",
            link.target
        )
    };
    links
        .iter()
        .filter(is_lost)
        .map(|link| Problem::new(link.from, link.line, what(link)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    #[test]
    fn links_that_resolve_are_fine() {
        let text = "# A\n[x](docs/x.md#part) [y](https://example.org/z.md) [d](docs \"all\") [s](#a)\n[r]: docs/x.md\n";
        let files = [
            ("README.md", text),
            ("docs/x.md", "# X\n[up](../README.md)\n## Part\n"),
        ];
        assert_eq!(printed(super::check, &files), [""; 0]);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let files = [(
            "a/README.md",
            "# A\n\n[x](../b.md) and `[y](c.md)`\n```\n[z](d.md)\n```\n",
        )];
        assert_eq!(
            printed(super::check, &files),
            ["a/README.md:3: `../b.md` does not exist; correct the link"]
        );
    }

    #[test]
    fn links_to_headings_that_are_not_there_are_found() {
        let files = [
            ("README.md", "# A\n[x](docs/x.md#part)\n[y](#b)\n"),
            ("docs/x.md", "# X\n## Parts\n"),
        ];
        let what = "names a heading that is not there; correct the link";
        assert_eq!(
            printed(super::check, &files),
            [
                format!("README.md:2: `docs/x.md#part` {what}"),
                format!("README.md:3: `#b` {what}")
            ]
        );
    }

    #[test]
    fn a_document_nobody_links_is_found() {
        let files = [
            ("README.md", "# A\n[docs](docs)\n"),
            ("docs/x.md", "# X\n[self](x.md)\n"),
        ];
        let found = printed(super::check, &files);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("docs/x.md:1: no Markdown file links to this"),
            "{found:?}"
        );
    }

    #[test]
    fn a_linked_folder_carries_its_files() {
        let files = [
            ("README.md", "# A\n[completions](docs/completions/)\n"),
            ("docs/completions/iodyno.zsh", ""),
        ];
        assert_eq!(printed(super::check, &files), [""; 0]);
    }
}
