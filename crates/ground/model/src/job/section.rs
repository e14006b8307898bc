//! The sections of a job file: named jobs, and which of them run together.

use super::Job;
use serde::{Deserialize, Serialize};

/// Where an option was given, for messages: `db.fio:12`, or the n-th word of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Position {
    /// The job file; `the command line` where there is none.
    pub source: String,
    /// Line in the file, or word of the command line, from 1.
    pub line: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.source.is_empty() {
            true => write!(f, "word {} of the command line", self.line),
            false => write!(f, "{} line {}", self.source, self.line),
        }
    }
}

/// One section of a job file, or all of a command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section {
    /// Its name.
    pub name: String,
    /// The workload.
    pub job: Job,
    /// Wait until every earlier section is done (`stonewall`).
    pub stonewall: bool,
    /// Begins a new reporting group (`new_group`; `stonewall` does as well).
    pub new_group: bool,
    /// Wait until the section of this name is done (`wait_for`).
    pub wait_for: Option<String>,
    /// The options as they were given, name (fio's full one), value and place, later ones last: what a lint points at
    /// and what another engine is handed. Empty for a job in iodyno's own words.
    pub given: Vec<(String, String, Position)>,
}

impl Section {
    /// A job in iodyno's own words.
    pub fn of(job: Job) -> Section {
        Section {
            name: job.rw.word().into(),
            job,
            ..Section::default()
        }
    }

    /// The last value given for an option, and where.
    pub fn option(&self, name: &str) -> Option<(&str, &Position)> {
        let found = self.given.iter().rev().find(|(given, ..)| given == name)?;
        Some((&found.1, &found.2))
    }
}

/// The sections in the order in which they run: those of one inner list run together, the lists one after the other.
/// `wait_for` begins a list of its own too: sections before the one waited for have begun by then.
pub fn stages(sections: &[Section]) -> Vec<Vec<&Section>> {
    let mut stages: Vec<Vec<&Section>> = Vec::new();
    for section in sections {
        match stages.last_mut() {
            Some(stage) if !section.stonewall && section.wait_for.is_none() => stage.push(section),
            _ => stages.push(vec![section]),
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stonewall_begins_a_stage() {
        let named = |name: &str, stonewall| Section {
            name: name.into(),
            stonewall,
            ..Section::default()
        };
        let sections = [
            named("a", false),
            named("b", false),
            named("c", true),
            named("d", false),
        ];
        let stages = stages(&sections);
        let names: Vec<Vec<&str>> = stages
            .iter()
            .map(|stage| stage.iter().map(|one| one.name.as_str()).collect())
            .collect();
        assert_eq!(names, [["a", "b"], ["c", "d"]]);
    }
}
