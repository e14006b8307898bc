//! `cargo xtask kept`: what the runs of the tests on this machine left behind, counted.
//!
//! `tools/parts` appends a line for each part of a run, `tools/test-live` and `tools/lab` those of each test:
//! `kind,date,commit,name,outcome,seconds`, with the figures behind it where the test noted an outcome. A test that measures is
//! right or wrong by chance, too: how often is what counts.

mod bound;
mod ends;
mod line;
mod table;

use crate::problem::Failure;
use line::Line;
use std::collections::BTreeMap;
use std::path::Path;

/// What is worth keeping beyond this checkout, and where runs append.
const FILES: [&str; 2] = ["bench/kept.csv", "target/kept.csv"];

/// The lines of one part or test, by its kind and name, in the order in which they were kept.
type Runs<'a> = BTreeMap<(&'a str, &'a str), Vec<Line<'a>>>;

/// Counts the outcomes of the files that are there.
///
/// # Errors
/// Where a file cannot be read, or a line is none.
pub fn run(root: &Path) -> Result<String, Failure> {
    let text = kept(root)?;
    let runs = read(&text).map_err(Failure::Broken)?;
    Ok(table::table(&runs))
}

/// Moves the lines of this checkout to those that are worth keeping.
///
/// # Errors
/// Where a file cannot be read or written.
pub fn keep(root: &Path) -> Result<String, Failure> {
    let [kept, ours] = FILES.map(|file| root.join(file));
    let lines = text_if_any(&ours)?;
    read(&lines).map_err(Failure::Broken)?;
    skip::append(&kept, &lines).map_err(|error| Failure::io(kept.display(), &error))?;
    match std::fs::remove_file(&ours) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io(ours.display(), &error))
        }
        _ => Ok(format!(
            "{} lines went to {}.",
            lines.lines().count(),
            FILES[0]
        )),
    }
}

/// Keeps lines that begin with `head` (kind, date, commit) for each test whose end `said`, a file of test programs' words, has,
/// with the outcomes that it noted. Says what was undecided and wrong.
///
/// # Errors
/// Where a file cannot be read or written, and where the outcomes of all that is kept are beyond chance.
pub fn add(root: &Path, said: &Path, head: &str) -> Result<String, Failure> {
    let words =
        std::fs::read_to_string(said).map_err(|error| Failure::io(said.display(), &error))?;
    let noted = text_if_any(&skip::outcomes())?;
    let lines = ends::lines(&words, &noted, head);
    let file = root.join(FILES[1]);
    skip::append(&file, &lines).map_err(|error| Failure::io(file.display(), &error))?;
    let said = ends::summary(&read(&lines).map_err(Failure::Broken)?);
    let text = kept(root)?;
    let beyond = bound::beyond(&read(&text).map_err(Failure::Broken)?);
    match beyond.is_empty() {
        true => Ok(said),
        false => Err(Failure::Broken(format!("{said}\n{}", beyond.join("\n")))),
    }
}

fn kept(root: &Path) -> Result<String, Failure> {
    let texts = FILES.map(|file| text_if_any(&root.join(file)));
    texts.into_iter().collect()
}

fn text_if_any(file: &Path) -> Result<String, Failure> {
    match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        found => found.map_err(|error| Failure::io(file.display(), &error)),
    }
}

fn read(text: &str) -> Result<Runs<'_>, String> {
    let mut runs = Runs::new();
    for (at, text) in text.lines().enumerate() {
        let line =
            Line::parse(text).ok_or_else(|| format!("line {}: no outcome: {text}", at + 1))?;
        runs.entry((line.kind, line.name)).or_default().push(line);
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_outcome_is_named_with_its_line() {
        let error = read("part,x,y,z,0,1\nnonsense\n").unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
    }
}
