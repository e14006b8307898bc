//! The kernel's text is read in one place: `crates/ground/kernel`.
//!
//! A second parser of the mount table or of a CPU list differs from the first sooner or later, and a correction of one
//! does not reach the other. The rule knows second parsers by the expressions that they cannot do without.

use super::modules::{reachable, test_ranges};
use crate::problem::Problem;
use crate::text::line_of;
use crate::tree::Tree;

/// Where the parsers are.
const HOME: &str = "crates/ground/kernel/";
/// Whose text is not the kernel's: what other tools printed.
const OTHERS: &str = "crates/around/imports/";

/// An expression that only a parser of this text needs, and where that parser is.
const PARSERS: &[(&str, &str)] = &[
    ("split_once(\" - \")", "kernel::mounts"),
    ("\\\\040", "kernel::octal"),
    ("\\\\134", "kernel::octal"),
    ("split_once('[')", "kernel::choice"),
    ("trim_matches(['[', ']'])", "kernel::choice"),
    (".split_once('-').unwrap_or((", "kernel::cpulist"),
    ("rsplit_once(')')", "kernel::process_stat"),
    ("rsplit_once(\") \")", "kernel::process_stat"),
    ("<< 20 |", "kernel::devno"),
    ("4_294_967_296", "kernel::counter"),
    ("0x6561_7407", "kernel::blktrace"),
    ("\"MemTotal:\"", "kernel::meminfo"),
    ("\"MemAvailable:\"", "kernel::meminfo"),
];

/// Uses that are no parser of the kernel's text: file, expression, and why.
const ALLOWED: &[(&str, &str)] = &[
    // The brackets of an IPv6 address.
    (
        "crates/around/serve/src/hosts.rs",
        "trim_matches(['[', ']'])",
    ),
    (
        "crates/stages/inventory/src/collectors/network_mount.rs",
        "trim_matches(['[', ']'])",
    ),
    // The kernel declares fields of events as C does: `char comm[16]`.
    (
        "crates/ground/probe/src/events/format.rs",
        "split_once('[')",
    ),
];

/// Every such expression in the product's code outside of the package.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let is_elsewhere = |path: &str| {
        path.starts_with("crates/") && !path.starts_with(HOME) && !path.starts_with(OTHERS)
    };
    let problems = tree.rust().filter(|(path, _)| is_elsewhere(path));
    let problems = problems.flat_map(|(path, source)| {
        let tests = test_ranges(path, source, &reached);
        let found = PARSERS.iter().flat_map(|(expression, home)| {
            let places = source.text.match_indices(expression);
            places.map(move |(at, _)| (at, *expression, *home))
        });
        let is_product = move |at: usize| {
            !tests.iter().any(|range| range.contains(&at))
                && source.comments.as_bytes()[at].is_ascii_whitespace()
        };
        let found = found.filter(move |(at, ..)| is_product(*at));
        let found = found.filter(|(_, expression, _)| !ALLOWED.contains(&(path, expression)));
        found.map(|(at, expression, home)| {
            let what = format!("`{expression}` reads text of the kernel a second time; use {home}");
            Problem::new(path, line_of(&source.text, at), what)
        })
    });
    problems.collect()
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(path: &str, line: &str) -> Vec<String> {
        let text = format!("//! A file.\n\nfn read(text: &str) {{\n    {line}\n}}\n");
        let folder = path.split("/src/").next().unwrap();
        let manifest = format!("{folder}/Cargo.toml");
        printed(
            super::check,
            &[(path, &text), (&manifest, "[package]\nname = \"a\"\n")],
        )
    }

    const GATE: &str = "crates/stages/load/src/lib.rs";

    #[test]
    fn second_parsers_are_found() {
        let line = "let (left, right) = text.split_once(\" - \")?;";
        assert_eq!(
            found(GATE, line),
            [
                "crates/stages/load/src/lib.rs:4: `split_once(\" - \")` reads text of the kernel a second time; \
              use kernel::mounts"
            ]
        );
        for line in [
            "let chosen = text.split_once('[')?.1.split_once(']')?.0;",
            "text.split_whitespace().map(|word| word.trim_matches(['[', ']']));",
            "let (first, last) = part.split_once('-').unwrap_or((part, part));",
            "text.replace(\"\\\\040\", \" \");",
            "let after_name = stat.rsplit_once(')')?.1;",
            "let number = major << 20 | minor;",
            "text.lines().find_map(|line| line.strip_prefix(\"MemTotal:\"));",
        ] {
            assert_eq!(found(GATE, line).len(), 1, "{line}");
        }
    }

    #[test]
    fn the_package_itself_tests_comments_and_other_tools_are_free() {
        let line = "let (left, right) = text.split_once(\" - \")?;";
        assert!(found("crates/ground/kernel/src/lib.rs", line).is_empty());
        assert!(found("crates/around/imports/src/lib.rs", line).is_empty());
        assert!(found("bench/src/lib.rs", line).is_empty());
        assert!(found(GATE, &format!("// {line}")).is_empty());
        let in_test = format!("}}\n#[test]\nfn reads() {{\n{line}");
        assert!(found(GATE, &in_test).is_empty());
        let address = "host.trim_matches(['[', ']']).parse::<IpAddr>();";
        assert!(found("crates/around/serve/src/hosts.rs", address).is_empty());
        assert!(found(GATE, "host.text(\"/proc/self/mountinfo\");").is_empty());
    }
}
