//! The machine beside a named set of kernel parameters, for a job that is not run.

use crate::exit::Failure;
use diagnose::{Profile, profiles};
use host::Host;
use load::language;
use model::check::ProfileComparison;
use model::iopath::IoPath;
use model::job::Job;

/// clap's parser for the name of a profile.
pub fn parse(name: &str) -> Result<&'static Profile, String> {
    Profile::find(name).ok_or_else(|| {
        let names: Vec<String> = profiles::ALL.iter().map(|one| one.name()).collect();
        format!("no profile is called so. There are: {}", names.join(", "))
    })
}

/// The jobs of the words after `--`; without words none.
pub fn jobs(words: &[String]) -> Result<Vec<Job>, Failure> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let parsed = language::from_words(words).map_err(|error| Failure::usage(error.to_string()))?;
    let sections = parsed.sections.into_iter();
    Ok(sections.map(|section| section.job).collect())
}

/// What differs on this machine, captured or live.
pub fn compared(profile: &Profile, host: &Host, path: &IoPath, jobs: &[Job]) -> ProfileComparison {
    let memory = path.machine_fact("memory_bytes");
    let memory = memory.and_then(|bytes| bytes.parse().ok());
    profile.compare(&|setting| host.text(&setting.path()), memory, jobs)
}
