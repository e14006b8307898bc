//! Where a verb runs: how a command line of iodyno becomes one of a program that is started on this machine.
//!
//! A place is one file that makes a command line of the words, and a variant here. One that reaches another machine has to
//! pass the request to stop on as well, which [`host::Piped`] sends to the program that it started.

mod here;

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnerPlace {
    /// This machine, as this user.
    Here,
}

/// A program with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program.
    pub program: String,
    /// Its words, without its name.
    pub words: Vec<String>,
}

impl RunnerPlace {
    /// What has to be started here for the executable to run there with these words.
    pub fn command_line(self, executable: &str, words: Vec<String>) -> CommandLine {
        match self {
            RunnerPlace::Here => here::command_line(executable, words),
        }
    }
}
