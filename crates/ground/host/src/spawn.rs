//! Running other programs: the few that the machine's own tools must do for us.

use crate::privileges::{Privileges, prepare};
use crate::{Error, Result};
use rustix::process::Signal;
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

/// Runs a program that helps a load to its end, and gives back what it printed.
///
/// # Errors
/// When it cannot be started.
pub fn run(program: &str, arguments: &[&str]) -> Result<Finished> {
    let mut command = Command::new(program);
    prepare(&mut command, Signal::KILL, Privileges::Generate);
    let output = command
        .args(arguments)
        .output()
        .map_err(|error| Error::Program {
            program: program.into(),
            why: error.to_string(),
        })?;
    Ok(Finished {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}
