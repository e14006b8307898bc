//! What a rule found: the claim, what it rests on, and what to do.

use crate::change::Risk;
use crate::job::Position;
use crate::proposal::TuneProposal;
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

/// What became of a suspicion when the experiment was made that decides about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProofOutcome {
    /// Another value was better.
    Confirmed,
    /// No other value was better.
    Refuted,
    /// The experiment ended without a verdict, or could not be made.
    Undecided,
}

impl ProofOutcome {
    /// The word for people and for the store.
    pub fn word(self) -> &'static str {
        match self {
            ProofOutcome::Confirmed => "confirmed",
            ProofOutcome::Refuted => "refuted",
            ProofOutcome::Undecided => "undecided",
        }
    }
}

/// The experiment that decided about a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingProof {
    /// What came of it.
    pub outcome: ProofOutcome,
    /// What it showed, or why it was not made, a sentence.
    pub words: String,
    /// What the better value gives, ratio minus one; none where nothing is claimed.
    pub effect: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Record of the experiment in the same store.
    pub record: Option<i64>,
}

/// How often the suspicions of a rule were right, of those that experiments decided about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProofCount {
    /// The rule or cause.
    pub rule: String,
    /// Suspicions that were right.
    pub confirmed: u32,
    /// Suspicions that were wrong.
    pub refuted: u32,
    /// Experiments without a verdict.
    pub undecided: u32,
}

impl ProofCount {
    /// For people: `right 3 of 4, undecided 1`.
    pub fn words(&self) -> String {
        let decided = self.confirmed + self.refuted;
        let right = format!("right {} of {decided}", self.confirmed);
        match (decided, self.undecided) {
            (_, 0) => right,
            (0, open) => format!("undecided {open}"),
            (_, open) => format!("{right}, undecided {open}"),
        }
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
    /// What to try: a sentence, or a command with words about it behind a `#`.
    pub advice: String,
    /// The corrected job's changes, where a change of the job helps.
    pub fixes: Vec<Fix>,
    /// Where the option that causes it was given.
    pub position: Option<Position>,
    /// What else would look the same, each with how to tell it apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub competing: Vec<String>,
    /// The cheapest experiment that would decide, as a line for a shell: a command, and words about it behind a `#`
    /// ([`crate::shell_line`]).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub experiment: String,
    /// The same as a value, where it is a tune: what a check that proves makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneProposal>,
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
    /// The experiment that decided about it, where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<FindingProof>,
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
