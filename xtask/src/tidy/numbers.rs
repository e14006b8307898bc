//! Numbers become words in one place: no format string of the product says how many decimals a number has.
//!
//! Two places that round in their own way print two numbers for one thing. `model::units` has a function for each way.

use super::modules::{reachable, test_ranges};
use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::line_of;
use crate::tree::Tree;

/// Where the product is.
const PRODUCT: &str = "crates/";
/// The one place.
const UNITS: &str = "crates/ground/model/src/units.rs";

/// Placeholders with decimals (`{:.1}`, `{share:.0}`, `{:.*}`) outside tests.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let problems = tree
        .rust()
        .filter(|(path, _)| path.starts_with(PRODUCT) && *path != UNITS)
        .flat_map(|(path, source)| {
            let tests = test_ranges(path, source, &reached);
            let found = placeholders(source)
                .filter(move |(at, _)| !tests.iter().any(|range| range.contains(at)));
            found.map(move |(at, placeholder)| {
                Problem::new(path, line_of(&source.text, at), complaint(placeholder))
            })
        });
    problems.collect()
}

fn complaint(placeholder: &str) -> String {
    format!(
        "`{placeholder}` rounds a number here; `model::units` does that, with `whole`, `decimals`, `share`, `times` and more"
    )
}

/// Placeholders with decimals in literals, and where they stand.
fn placeholders(source: &RustSource) -> impl Iterator<Item = (usize, &str)> {
    source.text.match_indices('{').filter_map(|(at, _)| {
        let rest = source.text.get(at..)?;
        let placeholder = rest.get(..=rest.find('}')?)?;
        (source.is_literal(at) && has_decimals(placeholder)).then_some((at, placeholder))
    })
}

/// Whether it is `{NAME:SPEC}` with a point in SPEC that digits, a star or a width's name follow.
fn has_decimals(placeholder: &str) -> bool {
    let inner = placeholder.trim_matches(['{', '}']);
    let Some((name, spec)) = inner.split_once(':') else {
        return false;
    };
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let decimals = spec.split_once('.').map_or("", |(_, decimals)| decimals);
    is_name
        && (decimals.starts_with(|c: char| c.is_ascii_digit() || c == '*')
            || decimals.contains('$'))
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(path: &str, text: &str) -> Vec<String> {
        printed(super::check, &[(path, text)])
    }

    #[test]
    fn a_number_that_is_rounded_elsewhere_is_found() {
        let text = "//! A.\nfn a(b: f64) -> String {\n    format!(\"{b:.1} ms\")\n}";
        let wanted = "crates/a/src/lib.rs:3: `{b:.1}` rounds a number here; `model::units` does that, \
                      with `whole`, `decimals`, `share`, `times` and more";
        assert_eq!(found("crates/a/src/lib.rs", text), [wanted]);
        for placeholder in ["{:.0}", "{:>8.2}", "{:.*}", "{b:.digits$}", "{0:+.1e}"] {
            let text = format!("fn a() {{ format!(\"{placeholder} %\", b) }}");
            assert_eq!(
                found("crates/a/src/lib.rs", &text).len(),
                1,
                "{placeholder}"
            );
        }
    }

    #[test]
    fn other_placeholders_json_and_comments_are_fine() {
        for text in [
            "fn a() { format!(\"{b:>8} {} {c:?}. {d:width$}\") }",
            "fn a() { let b = r#\"{\"share\": 0.5}\"#; }",
            "// {:.1}\nfn a() { b(c::D {e: 1.0}) }",
        ] {
            assert!(found("crates/a/src/lib.rs", text).is_empty(), "{text}");
        }
    }

    #[test]
    fn units_tests_and_what_is_no_product_may() {
        let text = "fn a(b: f64) -> String { format!(\"{b:.1}\") }";
        assert!(found("crates/ground/model/src/units.rs", text).is_empty());
        assert!(found("crates/a/tests/cli.rs", text).is_empty());
        assert!(found("bench/src/main.rs", text).is_empty());
        let tests = format!("#[cfg(test)]\nmod tests {{ {text} }}");
        assert!(found("crates/a/src/lib.rs", &tests).is_empty());
    }
}
