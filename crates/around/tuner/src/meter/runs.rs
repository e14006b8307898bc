//! What is common to the meters of a command that is run again for each window.

use load::engines::command;
use model::job::Job;

/// Refuses a job whose command does not end by itself.
pub fn needs_runs(job: &Job) -> Option<String> {
    match command::is_run_again(job) {
        true => command::options(job).err().map(|error| error.to_string()),
        false => Some("there is no --command with --run-again".into()),
    }
}

/// Refuses a job whose command is run again: what it does is told by its runs alone.
pub fn needs_no_runs(job: &Job) -> Option<String> {
    command::is_run_again(job).then(|| {
        "a command that is run again for each window is judged by result or duration".into()
    })
}
