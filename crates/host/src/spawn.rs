//! Running other programs: the few that the machine's own tools must do for us.

use crate::{Error, Result};
use std::process::Command;

/// What a finished program left.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Exit status; none when a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// Runs a program to its end and gives back what it printed.
pub fn run(program: &str, arguments: &[&str]) -> Result<Finished> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| Error::Program { program: program.into(), why: error.to_string() })?;
    Ok(Finished {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}
