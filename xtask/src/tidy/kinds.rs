//! Tests of the gate and those that measure are kept apart: by folder in the binary's tests, by a word on each elsewhere.
//!
//! `make test` runs what has no `#[ignore]`. What has one says for whom it is: `live` measures, `lab` needs a guest or a
//! cluster, `soak` gets better the longer it goes on.

use crate::problem::Problem;
use crate::tree::Tree;

/// Where the tests of the binary stand.
const BINARY: &str = "crates/iodyno/tests/";

/// The kinds that the gate leaves out; each has a folder in [`BINARY`].
const KINDS: [&str; 3] = ["live", "lab", "soak"];

/// What a test of the gate depends on the machine's speed with, and what it does in its place.
const LUCK: [(&str, &str); 2] = [
    (
        "with_more_time(",
        "wait for an event with `until`, or move the test to live/",
    ),
    (
        "elapsed()",
        "assert what happened, not how long it took, or move the test to live/",
    ),
];

/// Tests in the wrong folder or without their word, and tests of the gate that measure a time.
pub fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .flat_map(|(path, source)| match path.strip_prefix(BINARY) {
            Some(place) => binary(path, place, &source.text),
            None => elsewhere(path, &source.text),
        })
        .collect()
}

fn binary(path: &str, place: &str, text: &str) -> Vec<Problem> {
    let kind = KINDS.into_iter().find(|kind| {
        place
            .strip_prefix(kind)
            .is_some_and(|rest| rest.starts_with('/'))
    });
    let mut problems = words(path, text, |word| match kind {
        Some(kind) if word == Some(kind) => None,
        Some(kind) => Some(format!(
            "a test in {BINARY}{kind}/ has `#[ignore = \"{kind}\"]`"
        )),
        None if word.is_some() => Some(format!(
            "a test that the gate leaves out stands in {BINARY}live/, lab/ or soak/"
        )),
        None => None,
    });
    if kind.is_none() && place != "support.rs" {
        problems.extend(luck(path, text));
    }
    problems
}

fn elsewhere(path: &str, text: &str) -> Vec<Problem> {
    words(path, text, |word| {
        match word {
        None => None,
        Some("live") => None,
        Some("lab" | "soak") if path.contains("/tests/") => None,
        Some(_) => Some(
            "a test is ignored as \"live\"; in a test program of its own also as \"lab\" or \"soak\"".into(),
        ),
    }
    })
}

/// What is wrong with the word behind each `#[test]`.
fn words(path: &str, text: &str, wrong: impl Fn(Option<&str>) -> Option<String>) -> Vec<Problem> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let tests = (0..lines.len()).filter(|at| lines[*at] == "#[test]");
    tests
        .filter_map(|at| {
            let attributes = lines[at + 1..]
                .iter()
                .take_while(|line| line.starts_with("#["));
            let ignored = attributes
                .copied()
                .find(|line| line.starts_with("#[ignore"));
            let word = ignored.map(|line| line.split('"').nth(1).unwrap_or_default());
            wrong(word).map(|complaint| Problem::new(path, at + 1, complaint))
        })
        .collect()
}

/// Comparisons of how long something took, but with the patience that only a defect reaches.
fn luck(path: &str, text: &str) -> Vec<Problem> {
    let found = text.lines().enumerate().filter_map(|(at, line)| {
        let (word, cure) = LUCK.into_iter().find(|(word, _)| line.contains(word))?;
        let compares = line.contains(" < ") || line.contains(" > ") || word != "elapsed()";
        (compares && !line.contains("PATIENCE")).then(|| {
            Problem::new(
                path,
                at + 1,
                format!("`{word}` in a test of the gate: {cure}"),
            )
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(path: &str, text: &str) -> Vec<String> {
        printed(super::check, &[(path, text)])
    }

    #[test]
    fn folder_and_word_agree() {
        let plain = "#[test]\nfn a() {}\n";
        let live = "#[test]\n#[ignore = \"live\"]\nfn a() {}\n";
        assert_eq!(found("crates/iodyno/tests/run.rs", plain).len(), 0);
        assert_eq!(found("crates/iodyno/tests/live/run.rs", live).len(), 0);
        assert_eq!(
            found("crates/iodyno/tests/live/run.rs", plain),
            [
                "crates/iodyno/tests/live/run.rs:1: a test in crates/iodyno/tests/live/ has `#[ignore = \"live\"]`"
            ]
        );
        assert_eq!(found("crates/iodyno/tests/lab/run.rs", live).len(), 1);
        assert_eq!(found("crates/iodyno/tests/run.rs", live).len(), 1);
    }

    #[test]
    fn elsewhere_the_word_alone_tells_the_kind() {
        let ignored = |word: &str| format!("#[test]\n#[ignore = \"{word}\"]\nfn a() {{}}\n");
        assert_eq!(found("crates/a/src/lib.rs", &ignored("live")).len(), 0);
        assert_eq!(found("crates/a/src/lib.rs", &ignored("soak")).len(), 1);
        assert_eq!(found("crates/a/tests/kill.rs", &ignored("soak")).len(), 0);
        assert_eq!(found("crates/a/src/lib.rs", &ignored("slow")).len(), 1);
        assert_eq!(
            found("crates/a/src/lib.rs", "#[test]\n#[ignore]\nfn a() {}\n").len(),
            1
        );
    }

    #[test]
    fn the_gate_compares_no_time() {
        let took = "fn a() {\n    assert!(begun.elapsed().as_secs() < 20);\n}\n";
        assert_eq!(found("crates/iodyno/tests/run.rs", took).len(), 1);
        assert_eq!(found("crates/iodyno/tests/live/run.rs", took).len(), 0);
        let waits = "fn a() {\n    assert!(begun.elapsed() < PATIENCE);\n}\n";
        assert_eq!(found("crates/iodyno/tests/run.rs", waits).len(), 0);
        let more = "fn a() {\n    with_more_time(1, f);\n}\n";
        assert_eq!(found("crates/iodyno/tests/run.rs", more).len(), 1);
    }
}
