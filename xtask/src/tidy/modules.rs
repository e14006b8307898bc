//! Which Rust files the compiler reaches, and which of them only when it builds tests.

use crate::manifest::Package;
use crate::rust_source::{RustSource, block_end};
use crate::text::{find_word, leading_name, parent, resolve};
use crate::tree::Tree;
use std::collections::BTreeMap;
use std::ops::Range;

/// For every file that a `mod` line leads to: true when only test builds take it.
pub fn reachable(tree: &Tree) -> BTreeMap<String, bool> {
    let roots: BTreeMap<String, bool> = tree
        .packages()
        .iter()
        .flat_map(|package| roots(tree, package))
        .collect();
    let mut queue: Vec<(String, bool)> = roots.clone().into_iter().collect();
    let mut reached = BTreeMap::new();
    while let Some((path, test)) = queue.pop() {
        let Some(source) = tree.rust_file(&path) else {
            continue;
        };
        // A file that a test build reached is walked again when the product reaches it too.
        if reached.get(&path).is_some_and(|known| *known <= test) {
            continue;
        }
        let is_root = roots.contains_key(&path) || path.ends_with("/mod.rs");
        for module in declarations(source) {
            let test = test || module.test;
            queue.extend(
                module
                    .candidates(&path, is_root)
                    .into_iter()
                    .map(|candidate| (candidate, test)),
            );
        }
        reached.insert(path, test);
    }
    reached
}

/// The parts of a file that do not reach the product: all of a file that is tests only.
pub fn test_ranges(
    path: &str,
    source: &RustSource,
    reached: &BTreeMap<String, bool>,
) -> Vec<Range<usize>> {
    let is_test = is_test_path(path) || reached.get(path) == Some(&true);
    if is_test {
        std::iter::once(0..source.code.len()).collect()
    } else {
        source.test_ranges()
    }
}

fn is_test_path(path: &str) -> bool {
    parent(path)
        .split('/')
        .any(|folder| folder == "tests" || folder == "benches")
}

/// The files at which the compiler starts, with what cargo finds without being told.
fn roots(tree: &Tree, package: &Package) -> Vec<(String, bool)> {
    let here = |path: &str| resolve(package.folder(), path);
    let named = package.target_paths.iter().filter_map(|path| here(path));
    let usual = ["src/lib.rs", "src/main.rs", "build.rs"]
        .into_iter()
        .filter_map(here);
    let found = tree
        .rust()
        .map(|(path, _)| path.to_string())
        .filter(|path| {
            let inside = path
                .strip_prefix(package.folder())
                .unwrap_or("")
                .trim_start_matches('/');
            is_found_by_cargo(inside)
        });
    named
        .chain(usual)
        .chain(found)
        .map(|path| (path.clone(), is_test_path(&path)))
        .collect()
}

/// `tests/x.rs` and `tests/x/main.rs`, likewise for the other kinds of targets.
fn is_found_by_cargo(path: &str) -> bool {
    let folders = ["src/bin/", "tests/", "benches/", "examples/"];
    let rest = folders.iter().find_map(|folder| path.strip_prefix(folder));
    rest.is_some_and(|rest| match rest.split_once('/') {
        None => true,
        Some((_, file)) => file == "main.rs",
    })
}

/// A `mod name;` line.
struct Declaration {
    name: String,
    /// The modules with a body around it, outermost first.
    inside: Vec<String>,
    /// The value of a `#[path]` attribute.
    path: Option<String>,
    test: bool,
}

impl Declaration {
    /// Where the file may lie. The modules of a root lie beside it, those of other files in a folder of their name.
    fn candidates(&self, declaring: &str, is_root: bool) -> Vec<String> {
        let beside = parent(declaring);
        if let Some(path) = &self.path {
            return resolve(beside, path).into_iter().collect();
        }
        let own = if is_root {
            beside
        } else {
            declaring.trim_end_matches(".rs")
        };
        let folder = std::iter::once(own)
            .chain(self.inside.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("/");
        [format!("{}.rs", self.name), format!("{}/mod.rs", self.name)]
            .iter()
            .filter_map(|file| resolve(&folder, file))
            .collect()
    }
}

fn declarations(source: &RustSource) -> Vec<Declaration> {
    let code = &source.code;
    let test_ranges = source.test_ranges();
    let mut bodies: Vec<(String, Range<usize>)> = Vec::new();
    let mut declarations = Vec::new();
    for at in find_word(code, "mod") {
        let after = code[at + 3..].trim_start();
        let name = leading_name(after.trim_start_matches("r#"));
        let rest = after.trim_start_matches("r#")[name.len()..].trim_start();
        let open = code.len() - rest.len();
        if rest.starts_with('{') {
            bodies.push((
                name.into(),
                open..block_end(code, open).unwrap_or(code.len()),
            ));
        } else if rest.starts_with(';') && !name.is_empty() {
            let inside = bodies
                .iter()
                .filter(|(_, body)| body.contains(&at))
                .map(|(name, _)| name.clone());
            declarations.push(Declaration {
                name: name.into(),
                inside: inside.collect(),
                path: path_attribute(source, at),
                test: test_ranges.iter().any(|range| range.contains(&at)),
            });
        }
    }
    declarations
}

fn path_attribute(source: &RustSource, at: usize) -> Option<String> {
    let start = source.code[..at]
        .rfind([';', '{', '}'])
        .map_or(0, |end| end + 1);
    let attribute = find_word(&source.code[start..at], "path").next()? + start;
    source.text[attribute..at]
        .split('"')
        .nth(1)
        .map(String::from)
}
