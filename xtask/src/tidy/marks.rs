//! Work is finished or not in the tree: no marks for later.

use crate::problem::Problem;
use crate::text::find_word;
use crate::tree::Tree;

/// Words that stand alone, and calls that are recognised by their bracket.
const MARKS: &[&str] = &["TODO", "FIXME", "XXX", "todo!(", "unimplemented!(", "dbg!("];

/// Where a mark is not a mark: this table, and what other programs and people wrote, kept as it was found.
const EXEMPT: &[&str] = &["xtask/src/tidy/marks.rs", "testdata/"];

/// Marks in any text file.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let ours = tree
        .texts()
        .filter(|(path, _)| !EXEMPT.iter().any(|exempt| path.starts_with(exempt)));
    ours.flat_map(|(path, text)| marks(path, text)).collect()
}

fn marks(path: &str, text: &str) -> Vec<Problem> {
    let lines = text
        .lines()
        .enumerate()
        .flat_map(|(index, line)| MARKS.iter().map(move |mark| (index + 1, line, mark)));
    let marked = lines.filter(|(_, line, mark)| contains(line, mark));
    marked
        .map(|(line, _, mark)| {
            Problem::new(path, line, format!("`{mark}` is left; do it, or drop it"))
        })
        .collect()
}

fn contains(line: &str, mark: &str) -> bool {
    match mark.strip_suffix("!(") {
        Some(name) => find_word(line, name).any(|at| line[at + name.len()..].starts_with("!(")),
        None => find_word(line, mark).next().is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    #[test]
    fn marks_are_found_in_every_kind_of_text() {
        let files = [
            ("a.rs", "fn a() {\n    todo!()\n}"),
            ("Makefile", "# FIXME: later"),
            ("b.md", "XXX"),
        ];
        let found = printed(super::check, &files);
        assert_eq!(found.len(), 3);
        assert_eq!(found[1], "a.rs:2: `todo!(` is left; do it, or drop it");
    }

    #[test]
    fn words_that_contain_a_mark_are_not_marks() {
        let files = [
            ("a.sh", "mktemp -d lab.XXXXXX; TODOS=1"),
            ("testdata/x.txt", "FIXME"),
            ("a.rs", "to_dbg!(1)"),
        ];
        assert!(printed(super::check, &files).is_empty());
    }
}
