//! What differs between two I/O paths: two machines, two captures, or two moments of one.

use serde::{Deserialize, Serialize};

/// Schema of the document.
pub const DIFF_SCHEMA: &str = "iodyno.diff/1";

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "DifferenceKind")
)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceWhat {
    /// A value that can be set.
    Setting,
    /// Something that is the case: a link's speed, a file system's type.
    Fact,
    /// A layer that one of them has and the other has not.
    Structure,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// Which layer, as the second side names it: `sda`, `/srv`, `machine`.
    pub place: String,
    /// What: `read_ahead_kb`, `link_width`.
    pub name: String,
    /// What it is about.
    pub what: DifferenceWhat,
    /// The first side's value; none where it has no such thing.
    pub a: Option<String>,
    /// The second side's value.
    pub b: Option<String>,
    /// How likely it matters for the job, 0 to 1: a judgement of this project, for the order of a list.
    pub weight: f64,
    /// Why it can matter, a sentence.
    pub why: String,
    /// Where the two values come from, where that is known: a default that moved, files that set them.
    pub origin: String,
    /// The knob that would prove it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knob: Option<String>,
    /// How to prove it on the second side, a command or a sentence.
    pub experiment: String,
    /// In how many members beside the first it is the same.
    pub also_in: usize,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceSide {
    /// As the user named it.
    pub name: String,
    /// The target below which was looked.
    pub target: String,
    /// Release of its kernel, where that is known.
    pub kernel: Option<String>,
}

/// The document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Differences {
    /// [`DIFF_SCHEMA`].
    pub schema: String,
    /// The first side: the good one, where there is a good one.
    pub a: DifferenceSide,
    /// The second side.
    pub b: DifferenceSide,
    /// The job for which the differences are ranked, in words; none where no job was named.
    pub job: Option<String>,
    /// The most likely first.
    pub differences: Vec<Difference>,
    /// How many settings and facts were compared and are the same.
    pub same: usize,
}
