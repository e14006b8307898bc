//! What a command found wrong, and how it ends because of it.

use std::fmt;

/// One thing to put right, at a place an editor can jump to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, relative to the workspace root.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

impl Problem {
    /// A problem at a line of a file.
    pub fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The command line was not understood.
    Usage(String),
    /// The command could not do its work.
    Broken(String),
    /// The command did its work and found problems; the text sums them up.
    Found(Vec<Problem>, String),
}

impl Failure {
    /// A failed operation on a file or a program, with the system's own words.
    pub fn io(what: impl fmt::Display, error: &std::io::Error) -> Self {
        Self::Broken(format!("{what}: {error}"))
    }

    /// 2 for a wrong command line, as with iodyno itself, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Broken(_) | Self::Found(..) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => f.write_str(text),
            Self::Broken(text) => write!(f, "xtask: {text}"),
            Self::Found(problems, summary) => {
                problems
                    .iter()
                    .try_for_each(|problem| writeln!(f, "{problem}"))?;
                f.write_str(summary)
            }
        }
    }
}
