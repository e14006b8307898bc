//! Documents can be found from other documents, and what they point at exists.

use super::tree::Tree;
use crate::problem::Problem;
use crate::text::{fenced_lines, parent, resolve};
use std::collections::BTreeSet;

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
    broken.chain(unlinked(tree, &relative)).collect()
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

fn is_relative(target: &str) -> bool {
    !target.contains("://")
        && !target.starts_with(['#', '/'])
        && !target.starts_with("mailto:")
        && !target.is_empty()
}

impl Link<'_> {
    fn path(&self) -> Option<String> {
        let path = self.target.split('#').next().unwrap_or("");
        resolve(parent(self.from), path)
    }
}

fn links<'a>(path: &'a str, text: &'a str) -> Vec<Link<'a>> {
    let fenced = fenced_lines(text.lines());
    let prose = text
        .lines()
        .enumerate()
        .filter(|(index, _)| !fenced[*index]);
    let found = prose.flat_map(|(index, line)| {
        targets(line)
            .into_iter()
            .map(move |target| (index + 1, target))
    });
    found
        .map(|(line, target)| Link {
            from: path,
            line,
            target,
        })
        .collect()
}

/// The targets of `[text](target "title")` and of `[name]: target` on one line; not those inside code.
fn targets(line: &str) -> Vec<&str> {
    let inline = line
        .match_indices("](")
        .filter(|(at, _)| !is_in_code(line, *at));
    let inline = inline.filter_map(|(at, _)| line[at + 2..].split(')').next());
    let definition = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "))
        .map(|(_, target)| target);
    let all = inline
        .chain(definition)
        .filter_map(|target| target.split_whitespace().next());
    all.map(|target| target.trim_matches(['<', '>'])).collect()
}

fn is_in_code(line: &str, at: usize) -> bool {
    line[..at].matches('`').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    #[test]
    fn links_that_resolve_are_fine() {
        let text = "# A\n[x](docs/x.md#part) [y](https://example.org/z.md) [d](docs \"all\") [s](#a)\n[r]: docs/x.md\n";
        let files = [
            ("README.md", text),
            ("docs/x.md", "# X\n[up](../README.md)"),
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
