//! What a rule found: the claim, what it rests on, and what to do.

use crate::job::Position;
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Worth knowing; nothing is wrong.
    Note,
    /// The result needs this beside it to be read rightly.
    Warning,
    /// The test does not measure what it says.
    Wrong,
}

impl Level {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Wrong => "wrong",
        }
    }
}

/// A value that a finding rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What: `iodepth`, `disk.written`.
    pub name: String,
    /// How much, with its unit.
    pub value: String,
}

/// A change of the job that makes it measure what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// fio's name of the option.
    pub option: String,
    /// Its new value; none takes the option away.
    pub value: Option<String>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Id of the rule: `iodepth_with_sync_engine`.
    pub rule: String,
    /// How much it matters.
    pub level: Level,
    /// The section it is about; empty when about all.
    pub section: String,
    /// What is the case and what the run would really measure, one or two sentences.
    pub claim: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What would show it to be mistaken; empty where it follows from the job alone.
    pub refuted_by: String,
    /// What to try, a sentence.
    pub advice: String,
    /// The corrected job's changes, where a change of the job helps.
    pub fixes: Vec<Fix>,
    /// Where the option that causes it was given.
    pub position: Option<Position>,
}
