//! What a rule found: the claim, what it rests on, and what to do.

use crate::change::Risk;
use crate::job::Position;
use crate::time_account::TimePlace;
use crate::units;
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Worth knowing; nothing is wrong.
    #[default]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// What: `iodepth`, `disk.written`.
    pub name: String,
    /// How much, with its unit.
    pub value: String,
}

/// A change of the job that makes it measure what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fix {
    /// fio's name of the option.
    pub option: String,
    /// Its new value; none takes the option away.
    pub value: Option<String>,
}

/// The evidence of a finding that names what set a rate: `the limit of control group /db, 500 reads per second on vda`.
pub const LIMIT: &str = "limit";

/// What a finding takes from a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// The load, in a few words: `depth 32`, `buffered random reads`.
    pub load: String,
    /// The part that is lost of what the load could do, 0 to 1: 0.95 leaves a twentieth of the rate.
    pub share: f64,
}

impl Cost {
    /// For people: `95 % of depth 32`.
    pub fn words(&self) -> String {
        format!("{} of {}", units::share(self.share), self.load)
    }
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// What else would look the same, each with how to tell it apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub competing: Vec<String>,
    /// The cheapest experiment that would decide, as a command or a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub experiment: String,
    /// What the cure can cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The knob that the experiment turns, where it is one of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knob: Option<String>,
    /// By how much the cure is likely to help: 0.3 is 30 % more or faster; 0 where it changes nothing by itself.
    #[serde(default)]
    pub gain: f64,
    /// What it takes from which loads, as they were measured, the largest part first; empty where no load showed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Cost>,
    /// The place of an I/O's time that it names without a cause; it yields to a finding that explains the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<TimePlace>,
    /// Why it was taken back: the measurement that contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<String>,
}

impl Finding {
    /// The largest part that it takes from a load, 0 to 1; none where no load showed it.
    pub fn loss(&self) -> Option<f64> {
        let shares = self.costs.iter().map(|cost| cost.share);
        shares.max_by(f64::total_cmp)
    }
}
