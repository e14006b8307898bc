//! Documents are read from texts, by the one kind of reader that `model::json` has.
//!
//! Serde compiles the reader of a record once more for each kind of input. Bytes and values were 1.7 MB of 21 MB of code.

use super::modules::{reachable, test_ranges};
use crate::problem::Problem;
use crate::text::line_of;
use crate::tree::Tree;

/// Where the product is.
const PRODUCT: &str = "crates/";
/// Readers of another kind, and what to call in place of each.
const OTHERS: &[(&str, &str)] = &[
    ("serde_json::from_slice", "read_bytes"),
    ("serde_json::from_reader", "read_bytes"),
    ("serde_json::from_value", "read_value"),
];

/// Calls of them outside tests.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let product = tree.rust().filter(|(path, _)| path.starts_with(PRODUCT));
    let problems = product.flat_map(|(path, source)| {
        let tests = test_ranges(path, source, &reached);
        OTHERS.iter().flat_map(move |(call, instead)| {
            let found: Vec<Problem> = source
                .code
                .match_indices(call)
                .filter(|(at, _)| !tests.iter().any(|range| range.contains(at)))
                .map(|(at, _)| {
                    Problem::new(path, line_of(&source.text, at), complaint(call, instead))
                })
                .collect();
            found
        })
    });
    problems.collect()
}

fn complaint(call: &str, instead: &str) -> String {
    format!("`{call}` compiles a second reader of every type in it; use `model::json::{instead}`")
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    #[test]
    fn a_second_kind_of_reader_is_found() {
        let text = "//! A.\nfn a(b: &[u8]) {\n    serde_json::from_slice::<C>(b);\n    serde_json::from_value(d);\n}";
        let files = [("crates/a/src/lib.rs", text)];
        let wanted = [
            "crates/a/src/lib.rs:3: `serde_json::from_slice` compiles a second reader of every type in it; use `model::json::read_bytes`",
            "crates/a/src/lib.rs:4: `serde_json::from_value` compiles a second reader of every type in it; use `model::json::read_value`",
        ];
        assert_eq!(printed(super::check, &files), wanted);
    }

    #[test]
    fn tests_and_texts_are_left_alone() {
        let text = "fn a(b: &str) { serde_json::from_str::<C>(b); }\n\
                    #[cfg(test)]\nmod tests { fn a() { serde_json::from_slice::<C>(b); } }";
        let files = [
            ("crates/a/src/lib.rs", text),
            (
                "crates/a/tests/cli.rs",
                "fn a() { serde_json::from_slice::<C>(b); }",
            ),
            (
                "bench/src/main.rs",
                "fn a() { serde_json::from_slice::<C>(b); }",
            ),
        ];
        assert!(printed(super::check, &files).is_empty());
    }
}
