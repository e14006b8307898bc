//! What `guard` finds on its visits: levels that are not as usual, settings that are not as they were, and what changed with them.

use crate::difference::Difference;
use crate::finding::FindingProof;
use serde::{Deserialize, Serialize};

/// Schema of the document.
pub const GUARD_SCHEMA: &str = "iodyno.guard/1";

/// What a visit did, beside the loads of its check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct GuardVisit {
    /// The most device time that it was given for its loads and its proofs, ms.
    pub budget_ms: u64,
    /// Device time that it took, ms.
    pub device_ms: u64,
    /// What it wrote, scratch and loads, bytes.
    pub written_bytes: u64,
    /// Why nothing was loaded; none where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// The experiments that it made on settings that had changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<SettingProof>,
    /// What stood when it ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<GuardAlarm>,
}

/// The experiment on a setting that had changed: the value from before against the one that is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingProof {
    /// The setting.
    pub setting: SettingId,
    /// The value that it had.
    pub before: String,
    /// The value that it has.
    pub now: String,
    /// What came of it.
    pub proof: FindingProof,
}

/// A setting, as a path names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingId {
    /// Which layer: `sda`, `/srv`, `machine`.
    pub place: String,
    /// Which setting: `scheduler`.
    pub name: String,
}

impl SettingId {
    /// That of a difference.
    pub fn of_difference(difference: &Difference) -> SettingId {
        SettingId {
            place: difference.place.clone(),
            name: difference.name.clone(),
        }
    }
}

/// What is measured of a load at each visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LevelMeasure {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
    /// 99th percentile of the latency, ns.
    P99,
}

impl LevelMeasure {
    /// For people.
    pub fn phrase(self) -> &'static str {
        match self {
            LevelMeasure::Iops => "IOPS",
            LevelMeasure::Bandwidth => "bandwidth",
            LevelMeasure::P99 => "p99",
        }
    }

    /// A value with its unit, for people.
    pub fn words(self, value: f64) -> String {
        match self {
            LevelMeasure::Iops => format!("{}/s", crate::units::count(value)),
            LevelMeasure::Bandwidth => crate::units::bytes_per_s(value),
            LevelMeasure::P99 => crate::units::duration_ns(value),
        }
    }

    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        self != LevelMeasure::P99
    }
}

/// Something that is not as it was, and stays an alarm until it is, or until somebody accepts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GuardAlarm {
    /// A load gets less than usual.
    Level {
        /// The load: `depth 32`.
        load: String,
        /// What is measured of it.
        measure: LevelMeasure,
    },
    /// A setting is not what it was, and iodyno did not put it there.
    Setting {
        /// Which layer: `sda`.
        place: String,
        /// Which setting: `scheduler`.
        name: String,
        /// The value that it has; one that changes again is news.
        is: String,
    },
}

/// How a level stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LevelState {
    /// Too few visits know it.
    Learning,
    /// As usual.
    Usual,
    /// Out of the usual range on the bad side, once: the next visit decides.
    Suspected,
    /// Out of it on the bad side twice or more in a row.
    Worse,
    /// Out of it on the good side twice or more in a row.
    Better,
}

/// A level at this visit, and what is usual.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardLevel {
    /// The load: `depth 32`.
    pub load: String,
    /// What is measured of it.
    pub measure: LevelMeasure,
    /// How it stands.
    pub state: LevelState,
    /// At this visit, in the unit of the measure: I/Os or bytes a second, ns.
    pub value: f64,
    /// The middle of what is usual; none while it is learnt.
    pub usual: Option<f64>,
    /// The usual value that is worst.
    pub worst_usual: Option<f64>,
    /// How many visits know it.
    pub visits: usize,
    /// The first visit that was out of the usual range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<VisitId>,
    /// What else differs between that visit and the one before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Difference>,
}

impl GuardLevel {
    /// The level as a part of the usual one, minus one, so that less is worse also of times; none while it is learnt.
    pub fn effect(&self) -> Option<f64> {
        let usual = self
            .usual
            .filter(|usual| *usual > 0.0 && self.value > 0.0)?;
        Some(match self.measure.more_is_better() {
            true => self.value / usual - 1.0,
            false => usual / self.value - 1.0,
        })
    }
}

/// A visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VisitId {
    /// Number of its record; none where it was not stored.
    pub record: Option<i64>,
    /// When it was, ms since 1970.
    pub unix_ms: i64,
}

/// A setting or a fact that is not what it was at the visit that is held against.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardChange {
    /// What differs, from then to now.
    pub difference: Difference,
    /// The first visit that saw it as it is.
    pub since: VisitId,
    /// The change of iodyno's that put it there, as `status` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_by: Option<String>,
    /// The experiment of the two values, where one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<FindingProof>,
    /// Whether it is an alarm.
    pub is_alarm: bool,
}

/// How a target stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GuardState {
    /// Its levels are not known yet.
    Learning,
    /// Nothing is other than it was.
    Quiet,
    /// Something is.
    Alarm,
}

/// The document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardAnswer {
    /// [`GUARD_SCHEMA`].
    pub schema: String,
    /// What is guarded, as the user named it.
    pub target: String,
    /// Host that it is on.
    pub host: String,
    /// How it stands.
    pub state: GuardState,
    /// The sentence a person needs.
    pub sentence: String,
    /// This visit.
    pub visit: VisitId,
    /// The visit that settings are held against: the first one, or the last that was accepted.
    pub reference: VisitId,
    /// Visits since then.
    pub visits: usize,
    /// What this one did.
    pub done: GuardVisit,
    /// Alarms that the visit before did not raise.
    pub raised: Vec<GuardAlarm>,
    /// Alarms of the visit before that are none any more.
    pub cleared: Vec<GuardAlarm>,
    /// The levels, the worst first.
    pub levels: Vec<GuardLevel>,
    /// What differs from the reference, alarms first.
    pub changes: Vec<GuardChange>,
    /// The command that takes all of it as it is for what is usual from now on; none where nothing is to be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
}
