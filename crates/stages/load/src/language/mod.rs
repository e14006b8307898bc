//! fio's language as ours: command lines and job files become sections, and sections command lines.
//!
//! [`options`] is a table of all options of fio 3.33. [`words`] reads command lines, [`file`] job files, [`pasted`]
//! takes prompts and wrappers off a pasted line, [`dd`] reads lines of dd and cp. A [`draft`] has fio's fields and
//! defaults while options are applied to it; [`finish`] makes a job of it, and [`out`] goes the other way.

mod arithmetic;
mod build;
mod dd;
mod draft;
mod error;
mod expand;
mod file;
mod finish;
mod options;
mod out;
mod pasted;
mod units;
mod value;
mod words;

pub use error::{LanguageError, Mistake};
pub use options::similar;
pub use out::{handed_on, to_words};

use model::job::{Position, Section};

/// What was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The sections in their order.
    pub sections: Vec<Section>,
    /// What fio can do and the native engines cannot: with anything in here, the job is one for the engine `fio`.
    pub unsupported: Vec<Unsupported>,
    /// What somebody who knows fio may not expect, one sentence each.
    pub notes: Vec<String>,
}

/// An option that fio knows and the native engines do not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// fio's full name.
    pub option: String,
    /// What was given.
    pub value: String,
    /// The section it applies to.
    pub section: String,
    /// Where it was given.
    pub position: Position,
    /// What the native engines lack.
    pub why: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {}={}: {}",
            self.position, self.option, self.value, self.why
        )
    }
}

/// Reads the words of a command line, such as stand after `--`: fio's options, names of job files, a whole pasted line
/// with its prompt, or a line of dd or cp. Job files are read from the disk, from where fio would read them.
///
/// # Errors
///
/// A word that fio would not understand, or would understand as something else than it says; its place is the number
/// of the word, from 1.
pub fn from_words(words: &[String]) -> Result<Parsed, LanguageError> {
    let mut env = host::environment::variable;
    let mut read = |path: &str| {
        host::files::read_text(std::path::Path::new(path)).map_err(|error| error.to_string())
    };
    let line = pasted::read(words)?;
    match line.program {
        pasted::Program::Fio => words::read(line, &mut env, &mut read),
        pasted::Program::Dd => dd::dd(line),
        pasted::Program::Cp => dd::cp(line, &mut |path| {
            let file = host::files::DataFile::open(std::path::Path::new(path), Default::default());
            file.ok().map(|file| file.bytes())
        }),
    }
}

/// Reads a job file. `name` is what messages call it, and where relative `include` lines begin. `env` is asked for the
/// variables of `${NAME}`, and first for fio's `$pagesize`, `$mb_memory` and `$ncpus` with their `$`; what it does not
/// know of those is asked of the machine. `include` gives the text of a file that is included.
///
/// # Errors
///
/// A line that fio would not understand, or would understand as something else than it says, with its number.
pub fn from_file(
    text: &str,
    name: &str,
    env: &mut dyn FnMut(&str) -> Option<String>,
    include: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<Parsed, LanguageError> {
    let mut builder = build::Builder::new();
    builder.file(text, name, &[], false, env, include)?;
    builder.finish()
}

#[cfg(test)]
mod tests;
