//! Markup comes from templates (`maud::html!`), which escape every text; no string of the product holds a tag.
//!
//! A tag in a format string takes text from somewhere, and one forgotten call lets a disk's name run as a script in
//! somebody's browser. What is put into a document unescaped has its place in this file, with the reason.

use super::modules::{reachable, test_ranges};
use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::{find_word, line_of};
use crate::tree::Tree;

/// Where the product is.
const PRODUCT: &str = "crates/";

/// Elements of HTML and SVG that somebody could write by hand; `</` finds all others.
const ELEMENTS: &str = "a article b body br button caption circle code dd defs desc details div dl dt em figcaption figure \
    footer form g h1 h2 h3 h4 head header hr html i iframe img input label li line link main meta nav ol \
    p path pattern pre rect script section span strong style sub summary sup svg table tbody td text th \
    thead title tr u ul use";

/// What puts text into a document without escaping it.
const UNESCAPED: &[&str] = &["PreEscaped", "Escaper", "Render"];

/// Where that is right: file, what, and why.
const ALLOWED: &[(&str, &str)] = &[
    // The line that every XML file begins with.
    ("crates/ground/view/src/markup.rs", "PreEscaped"),
    // Style and script of the report: constants of this repository, which no browser would read escaped.
    ("crates/around/page/src/report/mod.rs", "PreEscaped"),
    // Pictures, which are markup that templates made.
    ("crates/around/page/src/svg.rs", "PreEscaped"),
    ("crates/around/page/src/svg.rs", "Render"),
    // Markdown inside of a fold, which is escaped as Markdown.
    ("crates/around/compare/src/view/markdown.rs", "PreEscaped"),
    // Markdown has no other line break inside of a table.
    ("crates/around/compare/src/view/markdown.rs", "<br>"),
];

/// Tags in literals, and ways around the templates, outside tests.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let product = tree.rust().filter(|(path, _)| path.starts_with(PRODUCT));
    let problems = product.flat_map(|(path, source)| {
        let tests = test_ranges(path, source, &reached);
        let found = tags(source)
            .chain(unescaped(source))
            .filter(|(at, what, _)| {
                !tests.iter().any(|range| range.contains(at)) && !ALLOWED.contains(&(path, what))
            });
        found
            .map(|(at, what, complaint)| {
                Problem::new(
                    path,
                    line_of(&source.text, at),
                    format!("`{what}` {complaint}"),
                )
            })
            .collect::<Vec<_>>()
    });
    problems.collect()
}

/// Tags in literals: where, the tag, what is wrong with it.
fn tags(source: &RustSource) -> impl Iterator<Item = (usize, &str, &'static str)> {
    let places = source.text.match_indices('<').map(|(at, _)| at);
    let places = places.filter(|at| source.is_literal(*at));
    places.filter_map(|at| {
        let tag = tag(&source.text[at..])?;
        Some((
            at,
            tag,
            "is markup in a string; write it in `maud::html!`, which escapes what is put into it",
        ))
    })
}

/// The tag at the beginning of a text, up to its name or, where that follows at once, its end.
fn tag(text: &str) -> Option<&str> {
    let after = text[1..].trim_start_matches(['/', '!']);
    let start = text.len() - after.len();
    let name = after
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(after.len());
    let (name, rest) = after.split_at(name);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_known = ELEMENTS
        .split(' ')
        .any(|known| known.eq_ignore_ascii_case(name))
        && rest.starts_with([' ', '>', '/', '"', '\\', '\n']);
    let is_closing_or_declaration = start > 1;
    let end = start + name.len() + usize::from(rest.starts_with('>'));
    (begins && (is_closing_or_declaration || is_known)).then(|| &text[..end])
}

/// Ways around the templates.
fn unescaped(source: &RustSource) -> impl Iterator<Item = (usize, &str, &'static str)> {
    let uses_templates = find_word(&source.code, "maud").next().is_some();
    let words = UNESCAPED.iter().filter(move |_| uses_templates);
    words.flat_map(|word| {
        let places = find_word(&source.code, word);
        places.map(move |at| {
            (
                at,
                *word,
                "puts text into a document as it is; let `maud::html!` escape it, or give the reason in this rule",
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(path: &str, line: &str) -> Vec<String> {
        let text = format!("//! A file.\n\nfn written(name: &str) {{\n    {line}\n}}\n");
        let folder = path.split("/src/").next().unwrap();
        let manifest = format!("{folder}/Cargo.toml");
        printed(
            super::check,
            &[(path, &text), (&manifest, "[package]\nname = \"a\"\n")],
        )
    }

    const PAGE: &str = "crates/around/page/src/lib.rs";

    #[test]
    fn tags_in_strings_are_found() {
        assert_eq!(
            found(PAGE, "out.push_str(&format!(\"<td>{name}</td>\"));"),
            ["<td>", "</td>"].map(|tag| format!(
                "crates/around/page/src/lib.rs:4: `{tag}` is markup in a string; write it in `maud::html!`, which escapes \
                 what is put into it"
            ))
        );
        for line in [
            "let out = \"<div\";",
            "let out = format!(\"<rect x=\\\"{x}\\\"/>\");",
            "let out = r#\"<g class=\"plot\">\"#;",
            "out.push_str(\"</g>\");",
            "out.push_str(\"<!doctype html>\");",
            "out.push_str(\"<IMG src=x>\");",
            "let out = format!(\"{name}</own>\");",
            "let out = \"a\\\n<p>b\";",
        ] {
            assert_eq!(found(PAGE, line).len(), 1, "{line}");
        }
    }

    #[test]
    fn ways_around_the_templates_are_found() {
        assert_eq!(
            found(PAGE, "maud::html! { (maud::PreEscaped(name)) }"),
            [
                "crates/around/page/src/lib.rs:4: `PreEscaped` puts text into a document as it is; let `maud::html!` escape \
              it, or give the reason in this rule"
            ]
        );
        for line in [
            "impl maud::Render for Name {}",
            "let out = maud::Escaper::new(&mut out);",
        ] {
            assert_eq!(found(PAGE, line).len(), 1, "{line}");
        }
        let allowed = "crates/around/page/src/svg.rs";
        assert!(found(allowed, "maud::html! { (maud::PreEscaped(name)) }").is_empty());
        assert_eq!(found(allowed, "out.push_str(\"<rect \");").len(), 1);
    }

    #[test]
    fn templates_placeholders_shapes_of_names_and_tests_are_fine() {
        for line in [
            "maud::html! { table { @for row in rows { tr { td { (row) } } } } }",
            "// <td>{name}</td>",
            "let out = format!(\"{name:<width$}{text:<path$}\");",
            "let reads = \"/dev/<disk>\";",
            "let wrong = a <b && c < d;",
            "let claim = \"p99 < 5 ms, x<y\";",
            "let out: Vec<text> = render(&Render);",
            "}\n#[test]\nfn reads() {\nassert!(page.contains(\"<td>\"));",
        ] {
            assert!(found(PAGE, line).is_empty(), "{line}");
        }
        assert!(found("xtask/src/svg.rs", "out.push_str(\"<g>\");").is_empty());
    }
}
