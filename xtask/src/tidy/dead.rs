//! Every file under a package's `src` is a part of it. A file that no `mod` line names still looks like code that runs.

use super::modules::reachable;
use crate::problem::Problem;
use crate::text::resolve;
use crate::tree::Tree;

/// Source files that no `mod` line leads to.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let packages = tree.packages();
    let folders: Vec<String> = packages
        .iter()
        .filter_map(|package| resolve(package.folder(), "src"))
        .collect();
    let is_source = |path: &&str| {
        folders
            .iter()
            .any(|folder| path.starts_with(&format!("{folder}/")))
    };
    let sources = tree.rust().map(|(path, _)| path).filter(is_source);
    let dead = sources.filter(|path| !reached.contains_key(*path));
    dead.map(|path| {
        Problem::new(
            path,
            1,
            "no `mod` line leads to this file; declare it or remove it",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    const MANIFEST: (&str, &str) = (
        "a/Cargo.toml",
        "[package]\nname = \"a\"\n[[bin]]\npath = \"src/other/start.rs\"\n",
    );

    fn dead(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(&str, &str)> = files.iter().copied().chain([MANIFEST]).collect();
        printed(super::check, &files)
    }

    #[test]
    fn modules_are_followed_through_every_form() {
        let files = [
            (
                "a/src/lib.rs",
                "mod b; mod c { mod d; } #[path = \"odd.rs\"] mod e; #[cfg(test)] mod tests;",
            ),
            ("a/src/b.rs", "pub(crate) mod inner;"),
            ("a/src/b/inner/mod.rs", "mod r#loop;"),
            ("a/src/b/inner/loop.rs", ""),
            ("a/src/c/d.rs", ""),
            ("a/src/odd.rs", ""),
            ("a/src/tests.rs", ""),
            ("a/src/bin/tool.rs", ""),
            ("a/src/other/start.rs", "mod beside;"),
            ("a/src/other/beside.rs", ""),
            ("a/examples/x.rs", ""),
        ];
        assert_eq!(dead(&files), [""; 0]);
    }

    #[test]
    fn a_file_that_is_only_mentioned_is_dead() {
        let files = [
            ("a/src/lib.rs", "// mod b;\nconst X: &str = \"mod b;\";"),
            ("a/src/b.rs", ""),
        ];
        assert_eq!(
            dead(&files),
            ["a/src/b.rs:1: no `mod` line leads to this file; declare it or remove it"]
        );
    }
}
