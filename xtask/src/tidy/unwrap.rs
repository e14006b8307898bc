//! Outside tests, code that may panic says why it does not.

use super::modules::{reachable, test_ranges};
use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::line_of;
use crate::tree::Tree;

const CALLS: &[&str] = &[".unwrap()", ".expect("];

/// Calls without a comment, or an attribute with a reason, on their line or the line before.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let problems = tree.rust().flat_map(|(path, source)| {
        let tests = test_ranges(path, source, &reached);
        let calls = CALLS
            .iter()
            .flat_map(|call| source.code.match_indices(call));
        let product = calls.filter(move |(at, _)| !tests.iter().any(|range| range.contains(at)));
        let lines = product.map(|(at, call)| (line_of(&source.text, at), call));
        let bare = lines.filter(|(line, _)| !has_reason(source, *line));
        bare.map(move |(line, call)| Problem::new(path, line, complaint(call)))
    });
    problems.collect()
}

fn complaint(call: &str) -> String {
    let call = call.trim_matches(['.', '(', ')']);
    format!("`{call}` without a reason; say in a comment why it cannot fail, or return an error")
}

fn has_reason(source: &RustSource, line: usize) -> bool {
    let first = line.saturating_sub(2);
    let lines = source
        .comments
        .lines()
        .zip(source.code.lines())
        .skip(first)
        .take(line - first);
    lines
        .into_iter()
        .any(|(comment, code)| is_plain_comment(comment.trim()) || code.contains("reason ="))
}

fn is_plain_comment(comment: &str) -> bool {
    !comment.is_empty() && !comment.starts_with("///") && !comment.starts_with("//!")
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(text: &str) -> Vec<String> {
        printed(
            super::check,
            &[
                ("src/lib.rs", text),
                ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ],
        )
    }

    #[test]
    fn a_bare_unwrap_is_found() {
        let wanted = "src/lib.rs:3: `unwrap` without a reason; say in a comment why it cannot fail, or return an error";
        assert_eq!(found("// Far.\nfn a() {\n    b().unwrap();\n}"), [wanted]);
        assert_eq!(
            found("/// Documents.\nfn a() { b().expect(\"c\"); }").len(),
            1
        );
    }

    #[test]
    fn a_reason_is_enough() {
        assert!(
            found("fn a() {\n    // The list is never empty.\n    b().unwrap();\n}").is_empty()
        );
        assert!(found("fn a() {\n    b().expect(\"c\"); // Checked above.\n}").is_empty());
        assert!(
            found("#[expect(clippy::unwrap_used, reason = \"x\")]\nfn a() { b().unwrap() }")
                .is_empty()
        );
    }

    #[test]
    fn tests_may_panic() {
        assert!(found("#[cfg(test)]\nmod tests { fn a() {\n\n\n b().unwrap(); } }").is_empty());
        assert!(
            printed(
                super::check,
                &[("a/tests/cli.rs", "fn a() { b().unwrap(); }")]
            )
            .is_empty()
        );
        let files = [
            ("src/lib.rs", "#[cfg(test)]\nmod checks;"),
            ("src/checks.rs", "fn a() { b().unwrap(); }"),
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ];
        assert!(printed(super::check, &files).is_empty());
    }

    #[test]
    fn similar_names_are_other_calls() {
        assert!(found("fn a() { b().unwrap_or(1); c.expected(); \".unwrap()\"; }").is_empty());
    }
}
