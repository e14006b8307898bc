//! What is started: a verb with its words, its rights and its surroundings.

use host::Privileges;
use std::path::{Path, PathBuf};

/// A verb to start.
#[derive(Clone, Debug)]
pub struct Verb {
    words: Vec<String>,
    pub(crate) privileges: Privileges,
    pub(crate) directory: Option<PathBuf>,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Verb {
    /// The verb and its words, and what it needs its rights for.
    pub fn new<W: AsRef<str>>(privileges: Privileges, words: impl IntoIterator<Item = W>) -> Verb {
        Verb {
            words: words
                .into_iter()
                .map(|word| word.as_ref().to_string())
                .collect(),
            privileges,
            directory: None,
            variables: Vec::new(),
        }
    }

    /// The same in a working directory of its own.
    pub fn in_directory(self, directory: &Path) -> Verb {
        Verb {
            directory: Some(directory.into()),
            ..self
        }
    }

    /// The same with a variable of the environment besides ours.
    pub fn with_variable(mut self, name: &'static str, value: impl Into<PathBuf>) -> Verb {
        self.variables.push((name, value.into()));
        self
    }

    /// `--json` stands first: behind `--` every word belongs to somebody else.
    pub(crate) fn all_words(&self) -> Vec<String> {
        std::iter::once("--json".to_string())
            .chain(self.words.iter().cloned())
            .collect()
    }

    pub(crate) fn variables(&self) -> Vec<(&'static str, &Path)> {
        self.variables
            .iter()
            .map(|(name, value)| (*name, value.as_path()))
            .collect()
    }
}
