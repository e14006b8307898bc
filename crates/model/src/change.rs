//! The words of safe change: what a setting was, what it was made, and whether it came back.

use serde::{Deserialize, Serialize};

/// What reading a kernel attribute gave. A refusal is a value too: `wbt_lat_usec` answers EINVAL where
/// writeback throttling is not set up (Linux `blk-sysfs.c`, `queue_wb_lat_show`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribute {
    /// The text, without its final newline.
    Value(String),
    /// The kernel has no such attribute.
    Absent,
    /// The kernel refused the read with this errno.
    Refused(i32),
}

impl Attribute {
    /// The text, where there is one.
    pub fn value(&self) -> Option<&str> {
        match self {
            Attribute::Value(text) => Some(text),
            _ => None,
        }
    }
}

impl std::fmt::Display for Attribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Attribute::Value(text) => f.write_str(text),
            Attribute::Absent => f.write_str("absent"),
            Attribute::Refused(22) => f.write_str("not set up (EINVAL)"),
            Attribute::Refused(errno) => write!(f, "unreadable (errno {errno})"),
        }
    }
}

/// One attribute as it was before iodyno touched it, and where it stands in the order of restoring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Absolute path of the attribute.
    pub path: String,
    /// Its value before the first write.
    pub old: Attribute,
    /// Restored from the lowest to the highest: a scheduler switch resets others, read-ahead is reset by limits.
    pub order: u8,
}

/// One file as it was before iodyno wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Absolute path.
    pub path: String,
    /// Its content; none where there was no file.
    pub old: Option<String>,
}

/// A directory of iodyno's own below a user's, full of files that a load makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTree {
    /// Absolute path.
    pub path: String,
    /// What its marker file must say before anything in it is removed.
    pub id: String,
}

/// What became of one attribute or file when it was put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// Absolute path of the attribute.
    pub path: String,
    /// The value wanted.
    pub wanted: Attribute,
    /// The value read back afterwards.
    pub found: Attribute,
    /// Whether it had to be written.
    pub written: bool,
    /// The error of the write, where there was one.
    pub error: Option<String>,
}

impl Restored {
    /// Whether it is as it was. An attribute that refused to be read at first cannot be compared and counts as whole.
    pub fn is_whole(&self) -> bool {
        self.wanted == self.found || matches!(self.wanted, Attribute::Refused(_))
    }
}

/// How long a switch of a knob keeps acting on what is measured afterwards: the experiment's design follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Memoryless once the queue has drained: windows of a fraction of a second.
    Fast,
    /// Cached or learned state: files are opened anew and windows last seconds.
    Learned,
    /// Debt that is paid back later, such as dirty pages: windows close their books.
    Slow,
}

/// What a knob can cost, told before it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Performance only, and back at once.
    Safe,
    /// May raise somebody's latency while it is set.
    CostsLatency,
    /// Safe when its documentation has been read.
    NeedsCare,
    /// Can lose data: never applied by `tune`.
    Danger,
}

impl Risk {
    /// For people.
    pub fn phrase(self) -> &'static str {
        match self {
            Risk::Safe => "safe",
            Risk::CostsLatency => "may cost latency",
            Risk::NeedsCare => "needs care",
            Risk::Danger => "can lose data",
        }
    }
}
