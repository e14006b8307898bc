//! Where a verb runs: how a command line of iodyno becomes one of a program that is started on this machine.
//!
//! A place is one file that makes a command line of the words, and a variant here. One that reaches another machine has to
//! pass the request to stop on as well: what runs there reads its standard input, which ends with the connection.

mod here;
mod ssh;
mod template;

pub use ssh::SshPlace;
pub use template::TemplatePlace;

use model::text::shell_word;

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunnerPlace {
    /// This machine, as this user.
    Here,
    /// Another machine, by OpenSSH.
    Ssh(SshPlace),
    /// Whatever a command of the user reaches.
    Template(TemplatePlace),
}

/// Why something is no place, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlaceError(pub(crate) String);

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
    pub fn command_line(&self, executable: &str, words: Vec<String>) -> CommandLine {
        match self {
            RunnerPlace::Here => here::command_line(executable, words),
            RunnerPlace::Ssh(place) => ssh::command_line(place, executable, &words),
            RunnerPlace::Template(place) => template::command_line(place, executable, &words),
        }
    }

    /// A command line by which a person can try whether the place is reached: it runs `true` there.
    pub fn trial(&self) -> String {
        match self {
            RunnerPlace::Here => "true".into(),
            RunnerPlace::Ssh(place) => format!("{} true", ssh::phrase(place)),
            RunnerPlace::Template(place) => template::trial(place),
        }
    }
}

/// A command as one line for a shell.
fn shell_text(executable: &str, words: &[String]) -> String {
    let words = words.iter().map(|word| shell_word(word).into_owned());
    let all: Vec<String> = std::iter::once(shell_word(executable).into_owned())
        .chain(words)
        .collect();
    all.join(" ")
}
