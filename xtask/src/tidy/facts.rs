//! Facts of a layer have names that a collector writes, and that its page tells.
//!
//! Facts are text under a name. A cause that reads a name which nobody writes never finds anything, and no example of
//! its own shows that, because examples state facts themselves.

use super::modules::{reachable, test_ranges};
use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::line_of;
use crate::tree::Tree;
use std::collections::BTreeSet;
use std::ops::Range;

/// Where facts are written.
const WRITERS: &str = "crates/stages/inventory/src/";
/// Calls that write one, up to its name.
const WRITES: &[&str] = &["fact(", "fact_from(host, "];
/// Calls that read one of a layer. In causes and rules closures of this name do as well.
const READS: &[&str] = &[".fact(", "machine_fact("];
const JUDGES: &str = "crates/stages/diagnose/";
const JUDGES_READ: &[&str] = &["fact("];

/// Names that are read and not told on any page, and names that are written and not told.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let told = told(tree);
    // Without the inventory there is nothing to compare with.
    if told.is_empty() {
        return Vec::new();
    }
    let reached = reachable(tree);
    let files = tree.rust().filter(|(path, _)| path.starts_with("crates/"));
    let problems = files.flat_map(|(path, source)| {
        let tests = test_ranges(path, source, &reached);
        let is_writer = path.starts_with(WRITERS);
        let calls = match path {
            _ if is_writer => WRITES,
            path if path.starts_with(JUDGES) => JUDGES_READ,
            _ => READS,
        };
        let names = calls.iter().flat_map(|call| names(source, call));
        let names = names.filter(|(at, _)| !tests.iter().any(|range| range.contains(at)));
        let unknown = names.filter(|(_, name)| !told.contains(*name));
        let problem = |(at, name)| {
            let what = match is_writer {
                true => format!(
                    "the fact `{name}` stands under Fields of no collector; tell what it means"
                ),
                false => {
                    format!("the fact `{name}` is written by no collector, as their Fields tell")
                }
            };
            Problem::new(path, line_of(&source.text, at), what)
        };
        unknown.map(problem).collect::<Vec<_>>()
    });
    problems.collect()
}

/// The names under the heading Fields of the pages in the inventory.
fn told(tree: &Tree) -> BTreeSet<&str> {
    let files = tree.rust().filter(|(path, _)| path.starts_with(WRITERS));
    files.flat_map(|(_, source)| fields(&source.text)).collect()
}

fn fields(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .lines()
        .skip_while(|line| *line != "//! ## Fields")
        .skip(1)
        .take_while(|line| line.starts_with("//!") && !line.starts_with("//! ## "));
    // Between backticks is every second part of a line.
    lines.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Where a call is given a name as a literal, and the name.
fn names<'a>(source: &'a RustSource, call: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    source.code.match_indices(call).filter_map(move |(at, _)| {
        let name = literal(&source.text, at + call.len())?;
        Some((at, &source.text[name]))
    })
}

/// The string that begins here, perhaps on the next line.
fn literal(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = &text[from..];
    let start = from + rest.len() - rest.trim_start().len() + 1;
    let name = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    Some(start..start + name.len())
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    const COLLECTOR: &str = "//! # Disk\n//!\n//! ## Fields\n//! - `transport`: how it is attached; `model`: its name\n\
        //!   and `serial_digest`\n//!\n//! ## Example\n//! `nothing`\n\
        fn collect(draft: &mut Draft) {\n    draft.fact(\n        \"model\",\n        text,\n    );\n}\n";

    fn found(collector: &str, cause: &str) -> Vec<String> {
        printed(
            super::check,
            &[
                (
                    "crates/stages/inventory/Cargo.toml",
                    "[package]\nname = \"inventory\"\n",
                ),
                ("crates/stages/inventory/src/lib.rs", collector),
                (
                    "crates/stages/diagnose/Cargo.toml",
                    "[package]\nname = \"diagnose\"\n",
                ),
                ("crates/stages/diagnose/src/lib.rs", cause),
            ],
        )
    }

    #[test]
    fn names_that_a_page_tells_are_fine() {
        let cause = "fn judge() { disk.fact(\"transport\"); path.machine_fact(\n\"serial_digest\"); disk.fact(name); }";
        assert!(found(COLLECTOR, cause).is_empty());
    }

    #[test]
    fn a_name_that_nobody_writes_is_found() {
        let cause = "//! A cause.\nfn judge() {\n    disk.fact(\"transprot\");\n    disk.fact(\"nothing\");\n}";
        assert_eq!(
            found(COLLECTOR, cause),
            [
                "crates/stages/diagnose/src/lib.rs:3: the fact `transprot` is written by no collector, as their \
              Fields tell",
                "crates/stages/diagnose/src/lib.rs:4: the fact `nothing` is written by no collector, as their \
              Fields tell",
            ]
        );
        let test = "#[test]\nfn reads() { disk.fact(\"transprot\"); }";
        assert!(found(COLLECTOR, test).is_empty());
    }

    #[test]
    fn a_name_that_no_page_tells_is_found() {
        let silent = COLLECTOR.replace("\"model\"", "\"vendor\"");
        assert_eq!(
            found(&silent, ""),
            [
                "crates/stages/inventory/src/lib.rs:10: the fact `vendor` stands under Fields of no collector; tell \
              what it means"
            ]
        );
    }
}
