//! Every Rust file begins by saying what it is for.

use crate::problem::Problem;
use crate::tree::Tree;

/// Files whose first line is not `//!`.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let bare = tree
        .rust()
        .filter(|(_, source)| !source.text.starts_with("//! "));
    bare.map(|(path, _)| {
        Problem::new(
            path,
            1,
            "the first line is not `//! `; say what the file is for",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    #[test]
    fn a_file_without_a_purpose_is_found() {
        let files = [
            ("a.rs", "//! Sorts.\n"),
            ("b.rs", "use x;\n//! Late.\n"),
            ("c.md", "# C\n"),
        ];
        assert_eq!(
            printed(super::check, &files),
            ["b.rs:1: the first line is not `//! `; say what the file is for"]
        );
    }
}
