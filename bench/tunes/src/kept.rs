//! Runs that were measured, of this call and of those before.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One run of a tune.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Day, in UTC.
    pub date: String,
    /// Table that it belongs to.
    pub table: String,
    /// Row of the table.
    pub row: String,
    /// What the change does in truth, ratio minus one.
    pub truth: f64,
    /// What was concluded: `better`, `equal` and so on.
    pub outcome: String,
    /// Why, as a stable code.
    pub reason: String,
    /// Effect, ratio minus one, where there is one.
    pub effect: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Device time, s.
    pub device_s: f64,
    /// From start to end, s.
    pub elapsed_s: f64,
}

/// A line of a file, which belongs to a row of a table.
pub trait Kept: Serialize + DeserializeOwned {
    /// Name of the file.
    const FILE: &'static str;
    /// Table and row.
    fn place(&self) -> (&str, &str);
    /// What is said of it when it was measured.
    fn words(&self) -> String;
}

impl Kept for Run {
    const FILE: &'static str = "kept.csv";

    fn place(&self) -> (&str, &str) {
        (&self.table, &self.row)
    }

    fn words(&self) -> String {
        format!("{}: {}, {}", self.row, self.outcome, self.reason)
    }
}

fn path<T: Kept>() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(T::FILE)
}

fn failed<T: Kept>(error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path::<T>().display())
}

/// The lines of a table, in their order; none where nothing was measured yet.
fn all<T: Kept>(table: &str) -> Result<Vec<T>, String> {
    if !path::<T>().exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(path::<T>()).map_err(failed::<T>)?;
    let all: Result<Vec<T>, csv::Error> = reader.deserialize().collect();
    let mut all = all.map_err(failed::<T>)?;
    all.retain(|one| one.place().0 == table);
    Ok(all)
}

/// Measures `count` more runs, one after the other, the row of which there are fewest first, and keeps each. Gives all runs of
/// the table.
///
/// # Errors
/// A run could not be measured, or the file cannot be read or written.
pub fn more<'a, T: Kept>(
    table: &str,
    rows: &[&'a str],
    count: usize,
    mut measure: impl FnMut(&'a str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    for done in 1..=count {
        let run = measure(next_row(rows, &all::<T>(table)?))?;
        eprintln!("{done} of {count}: {}", run.words());
        add(&run)?;
    }
    all(table)
}

fn add<T: Kept>(run: &T) -> Result<(), String> {
    let is_new = !path::<T>().exists();
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path::<T>())
        .map_err(failed::<T>)?;
    let mut writer = csv::WriterBuilder::new()
        .has_headers(is_new)
        .from_writer(file);
    writer.serialize(run).map_err(failed::<T>)?;
    writer.flush().map_err(failed::<T>)
}

/// The row of which there are fewest runs, of several one by chance: so all are measured in turns, in random order.
fn next_row<'a, T: Kept>(rows: &[&'a str], runs: &[T]) -> &'a str {
    let count = |row: &str| runs.iter().filter(|run| run.place().1 == row).count();
    let least = rows.iter().map(|row| count(row)).min().unwrap_or(0);
    let fewest: Vec<&&str> = rows.iter().filter(|row| count(row) == least).collect();
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |age| age.subsec_nanos());
    fewest[nanos as usize / 7 % fewest.len()]
}
