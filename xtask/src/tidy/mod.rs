//! `cargo xtask tidy`: the rules of the layout that neither the compiler nor clippy can check.
//!
//! Each rule is one file: a function from the tree of files to what is wrong in it, and tests that show it firing
//! and staying silent.

mod dead;
mod facts;
mod header;
mod json;
mod kernel_text;
mod kinds;
mod layers;
mod links;
mod markdown;
mod marks;
mod markup;
mod modules;
mod numbers;
mod size;
mod unsafe_code;
mod unwrap;

use crate::problem::{Failure, Problem};
use crate::tree::Tree;
use std::path::Path;

type Check = fn(&Tree) -> Vec<Problem>;

const RULES: &[Check] = &[
    layers::check,
    header::check,
    size::check,
    dead::check,
    marks::check,
    unsafe_code::check,
    unwrap::check,
    kernel_text::check,
    kinds::check,
    facts::check,
    json::check,
    numbers::check,
    markup::check,
    markdown::check,
    links::check,
];

/// Runs every rule on the files that git would take.
pub fn run(root: &Path) -> Result<String, Failure> {
    let tree = Tree::read(root)?;
    let mut problems: Vec<Problem> = RULES.iter().flat_map(|check| check(&tree)).collect();
    problems.sort();
    problems.dedup();
    match problems.len() {
        0 => Ok(format!("tidy: {} files keep every rule", tree.len())),
        count => Err(Failure::Found(
            problems,
            format!("tidy: {count} to put right"),
        )),
    }
}

/// The problems of a rule on files given in a test, as they are printed.
#[cfg(test)]
fn printed(check: Check, files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files))
        .iter()
        .map(Problem::to_string)
        .collect()
}
