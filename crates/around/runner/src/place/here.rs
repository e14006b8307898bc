//! On this machine: the executable itself.

use super::CommandLine;

pub fn command_line(executable: &str, words: Vec<String>) -> CommandLine {
    CommandLine {
        program: executable.into(),
        words,
    }
}
