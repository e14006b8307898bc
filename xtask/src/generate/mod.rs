//! `cargo xtask gen`: the registries, the catalogue pages and the index are written from the item files.
//!
//! An item is one file in its folder. What it says about itself in its `//!` block becomes its page, what it is
//! called becomes its entry in the folder's `mod.rs`, so adding an item never means editing a list.

mod binary;
mod commands;
mod index;
mod item;
mod kinds;
mod page;
mod registry;

use crate::problem::{Failure, Problem};
use item::Item;
use kinds::{ItemKind, KINDS};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the pages go, relative to the workspace root.
const CATALOGUE: &str = "docs/catalogue";

/// What the command line asked for.
#[derive(Debug, Default)]
pub struct Options {
    /// Compare and report; write nothing.
    pub check: bool,
    /// The built program, whose completions and manual are kept in the repository.
    pub binary: Option<PathBuf>,
}

/// What the files ought to be. Computed whole before the first write, so that a mistake leaves everything as it was.
#[derive(Default)]
struct GeneratedFiles {
    /// Path and text of every generated file.
    files: BTreeMap<String, String>,
    /// Pages whose item is gone.
    stale: Vec<String>,
}

/// Writes what differs, or with `--check` lists it.
pub fn run(root: &Path, options: &Options) -> Result<String, Failure> {
    let mut plan = plan(root)?;
    if let Some(program) = &options.binary {
        let ask = |arguments: &[&str]| binary::output(program, arguments);
        add_program_files(root, &ask, &mut plan)?;
    }
    finish(root, plan, options.check)
}

fn finish(root: &Path, plan: GeneratedFiles, is_check: bool) -> Result<String, Failure> {
    let changes = changes(root, &plan);
    if is_check {
        return report(&changes, plan.files.len());
    }
    apply(root, &plan, &changes)?;
    Ok(format!(
        "gen: {} of {} generated files changed",
        changes.len(),
        plan.files.len() + plan.stale.len()
    ))
}

/// Adds what the program writes, and the pages of its verbs.
fn add_program_files(
    root: &Path,
    ask: binary::Ask,
    plan: &mut GeneratedFiles,
) -> Result<(), Failure> {
    let written = binary::read(ask)?;
    let mut problems = Vec::new();
    plan.files.extend(written.files);
    let pages = commands::pages(root, &written.verbs, &plan.files, &mut problems)?;
    plan.files.extend(pages);
    for folder in [commands::COMMANDS, binary::MANUAL] {
        let names = file_names(&root.join(folder))?;
        let paths = names.iter().map(|name| format!("{folder}/{name}"));
        let stale = paths.filter(|path| !plan.files.contains_key(path));
        plan.stale.extend(stale.collect::<Vec<_>>());
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(found(problems))
    }
}

fn plan(root: &Path) -> Result<GeneratedFiles, Failure> {
    let mut plan = GeneratedFiles::default();
    let mut problems = Vec::new();
    let mut catalogue: Vec<(&ItemKind, Vec<Item>)> = Vec::new();
    for kind in KINDS {
        let items = read_items(root, kind, &mut problems)?;
        plan.stale.extend(stale_pages(root, kind, &items)?);
        if items.is_empty() {
            continue;
        }
        plan.files.insert(
            format!("{}/mod.rs", kind.folder),
            registry::render(kind, &items),
        );
        plan.files.extend(
            items
                .iter()
                .map(|item| (kind.page_path(&item.id), page::render(kind, item))),
        );
        catalogue.push((kind, items));
    }
    plan.files
        .insert(format!("{CATALOGUE}/README.md"), index::render(&catalogue));
    let kinds: Vec<&ItemKind> = catalogue.iter().map(|(kind, _)| *kind).collect();
    plan.files
        .insert(registry::KINDS.into(), registry::kinds(&kinds));
    if problems.is_empty() {
        Ok(plan)
    } else {
        Err(found(problems))
    }
}

fn found(problems: Vec<Problem>) -> Failure {
    let summary = format!("gen: {} to put right; nothing was written", problems.len());
    Failure::Found(problems, summary)
}

/// The items of a folder, ordered by file name. A folder that does not exist has none.
fn read_items(
    root: &Path,
    kind: &ItemKind,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    for name in file_names(&root.join(kind.folder))? {
        let Some(id) = name.strip_suffix(".rs").filter(|id| *id != "mod") else {
            continue;
        };
        let path = kind.item_path(id);
        let text =
            fs::read_to_string(root.join(&path)).map_err(|error| Failure::io(&path, &error))?;
        let item = Item::read(id, &text);
        problems.extend(item.problems(kind));
        items.push(item);
    }
    Ok(items)
}

fn stale_pages(root: &Path, kind: &ItemKind, items: &[Item]) -> Result<Vec<String>, Failure> {
    let pages = file_names(&root.join(CATALOGUE).join(kind.name))?;
    let ids = pages.iter().filter_map(|name| name.strip_suffix(".md"));
    let stale = ids.filter(|id| !items.iter().any(|item| item.id == *id));
    Ok(stale.map(|id| kind.page_path(id)).collect())
}

fn file_names(folder: &Path) -> Result<Vec<String>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let fail = |error| Failure::io(folder.display(), &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.path().is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn changes(root: &Path, plan: &GeneratedFiles) -> Vec<Problem> {
    let differing =
        plan.files
            .iter()
            .filter_map(|(path, text)| match fs::read_to_string(root.join(path)) {
                Ok(present) if present == *text => None,
                Ok(present) => Some(Problem::new(
                    path,
                    first_difference(&present, text),
                    "differs from its source",
                )),
                Err(_) => Some(Problem::new(path, 1, "is missing")),
            });
    let stale = plan
        .stale
        .iter()
        .map(|path| Problem::new(path, 1, "describes something that is gone"));
    differing.chain(stale).collect()
}

fn first_difference(present: &str, wanted: &str) -> usize {
    let same = present
        .lines()
        .zip(wanted.lines())
        .take_while(|(a, b)| a == b)
        .count();
    same + 1
}

fn report(changes: &[Problem], total: usize) -> Result<String, Failure> {
    match changes.len() {
        0 => Ok(format!("gen: {total} generated files are current")),
        count => {
            let summary = format!(
                "gen: {count} of {total} generated files are not current; run `cargo xtask gen`"
            );
            Err(Failure::Found(changes.to_vec(), summary))
        }
    }
}

/// Touches only what differs, so that cargo does not rebuild what includes an unchanged page.
fn apply(root: &Path, plan: &GeneratedFiles, changes: &[Problem]) -> Result<(), Failure> {
    for path in changes.iter().map(|change| &change.path) {
        let target = root.join(path);
        let done = match plan.files.get(path) {
            Some(text) => write(&target, text),
            None => fs::remove_file(&target),
        };
        done.map_err(|error| Failure::io(path, &error))?;
    }
    Ok(())
}

fn write(target: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(target, text)
}

#[cfg(test)]
mod tests;
