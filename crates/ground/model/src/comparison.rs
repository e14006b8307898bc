//! What records can be compared by, and what a comparison, a ranking and a history say. Every interval is of 95 %.

use crate::curve::{CurveSetting, Spread};
use crate::difference::Difference;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Schema of a comparison.
pub const COMPARE_SCHEMA: &str = "iodyno.compare/1";
/// Schema of a ranking.
pub const RANK_SCHEMA: &str = "iodyno.rank/1";
/// Schema of a history.
pub const HISTORY_SCHEMA: &str = "iodyno.history/1";

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Rates.
    More,
    /// Times and costs.
    Less,
}

/// What an interval rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Stretches of one run, long enough that neighbours hardly depend on each other.
    Batches,
    /// The counts of a latency histogram, thinned by what neighbouring I/Os share.
    Counts,
    /// Mean and deviation of samples as another tool summed them up; it does not tell how neighbours depend.
    Samples,
    /// Visits of one point of a sweep or windows of a search.
    Visits,
    /// Several runs.
    Runs,
    /// Nothing: the source gives one figure.
    OneFigure,
}

/// One number of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measure {
    /// `read.iops`, `write.p99`, `iops`, `cpu_per_io`, `read.d2c`.
    pub name: String,
    /// `/s`, `bytes/s`, `ns`, or what the source says.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// The number.
    pub value: f64,
    /// Lower bound of what chance inside this run leaves open; none where nothing tells.
    pub low: Option<f64>,
    /// Upper bound; none as well where a percentile rests on too few I/Os.
    pub high: Option<f64>,
    /// What the bounds rest on.
    pub basis: Basis,
    /// I/Os, stretches, samples, visits or runs behind it; 0 where the source does not say.
    pub n: u64,
}

/// What decides whether two loads can be compared, in fio's words; what a source does not tell is missing.
pub type JobFacts = BTreeMap<String, String>;

/// What one load of a record gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// The section's or the short load's name; empty where the record has only one.
    pub name: String,
    /// The job for people.
    pub phrase: String,
    /// What must be alike.
    pub job: JobFacts,
    /// What may differ and is told: engine, size, run time.
    pub beside: JobFacts,
    /// The numbers.
    pub measures: Vec<Measure>,
    /// What a reader of the numbers has to know.
    pub notes: Vec<String>,
}

/// A measure of one load at several places that were loaded in turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnsRow {
    /// The load's name; empty where there is only one.
    pub part: String,
    /// `read.iops`, `read.p99`.
    pub measure: String,
    /// Its unit, as [`Measure::unit`].
    pub unit: String,
    /// Mean over the rounds at each place; none of a place without one.
    pub values: Vec<Option<Spread>>,
    /// Each place against the first: mean of the ratios within rounds; none of the first.
    pub ratios: Vec<Option<Spread>>,
}

/// A reason not to take a number at its word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Caveat {
    /// For a table: `page cache?`, `throttled`, `1 run`.
    pub mark: String,
    /// The sentence.
    pub why: String,
}

/// What a tune proved about one knob.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proof {
    /// Knob.
    pub knob: String,
    /// Kernel name of the device.
    pub device: String,
    /// The sentence of the tune.
    pub summary: String,
    /// Effect of the compared value, ratio minus one.
    pub effect: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
}

/// One record as it is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ComparedRecord")
)]
pub struct ComparisonSubject {
    /// As the user named it: `7`, `old.txt`, `old.txt:12`.
    pub name: String,
    /// Number in the store.
    pub record: Option<i64>,
    /// What made it.
    pub verb: String,
    /// What was loaded.
    pub target: String,
    /// Kernel name of the device, or what the source calls it.
    pub device: String,
    /// What tells the device from others of its kind: its serial number; empty where nothing does.
    pub identity: String,
    /// The device for people: its model, or what the source calls it.
    pub label: String,
    /// Machine.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Layers from the target down to the disk, by kind: `target/ext4/disk`.
    pub stack: String,
    /// Start, ms since 1970; of an import, when it was measured.
    pub unix_ms: Option<i64>,
    /// `iodyno 0.1.0`, `fio-3.33`.
    pub source: String,
    /// Its loads.
    pub parts: Vec<Part>,
    /// What a tune proved.
    pub proofs: Vec<Proof>,
    /// What speaks against its numbers.
    pub caveats: Vec<Caveat>,
}

/// What a difference of two runs is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Both have the same settings on the same device: it is what a repeat gives.
    SameSetting,
    /// No larger than what runs of one setting have differed by.
    Within,
    /// Larger than what runs of one setting can be expected to differ by.
    Beyond,
    /// One run each, and nothing says what repeats would give.
    Hint,
}

/// A number against the base's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ratio {
    /// The number divided by the base's.
    pub ratio: f64,
    /// Lower bound of what chance inside the two runs leaves open; none where one of them has no interval.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
    /// What it is worth.
    pub standing: Standing,
}

/// One subject's number in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonCell {
    /// The number.
    pub measure: Measure,
    /// Against the base; none for the base, for unlike jobs, and where the base has no such number.
    pub ratio: Option<Ratio>,
}

/// What runs of one setting differed by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repeats {
    /// Records of them.
    pub records: Vec<i64>,
    /// Settings of which there are several runs.
    pub settings: u32,
    /// Largest ratio of two runs of one setting, minus one.
    pub largest: f64,
    /// What the ratio of two single runs stays below in 95 of 100 cases, minus one; none below four runs to learn from.
    pub reach: Option<f64>,
}

/// One measure over all subjects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ComparedRow")
)]
pub struct ComparisonRow {
    /// Name of the measure.
    pub measure: String,
    /// By subject; none where it has no such number.
    pub cells: Vec<Option<ComparisonCell>>,
    /// What runs of one setting differed by; none where there are none.
    pub repeats: Option<Repeats>,
}

/// The loads that stand beside one load of the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// Name of the base's load; empty where it has only one.
    pub name: String,
    /// Its job.
    pub phrase: String,
    /// Its numbers, and those of the others.
    pub rows: Vec<ComparisonRow>,
    /// Which subjects' numbers stand there without a ratio, and why: index and sentence.
    pub unlike: Vec<(usize, String)>,
    /// What else differs between the loads, sentences.
    pub remarks: Vec<String>,
}

/// What differs in settings and facts between a subject and the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingsDiffer {
    /// Index of the subject.
    pub subject: usize,
    /// The most likely to matter first.
    pub differences: Vec<Difference>,
    /// How many were compared and are the same.
    pub same: usize,
}

/// One subject at one load of a response curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurveCell {
    /// I/Os per second.
    pub iops: Spread,
    /// 99th percentile, ns.
    pub p99_ns: Spread,
    /// Rate against the base's at the same load.
    pub iops_ratio: Option<Spread>,
    /// 99th percentile against the base's.
    pub p99_ratio: Option<Spread>,
}

/// Response curves over each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Curves {
    /// The option that is the load.
    pub option: String,
    /// The settings that all points share.
    pub settings: Vec<CurveSetting>,
    /// Load, and what each subject gave there.
    pub rows: Vec<(String, Vec<Option<CurveCell>>)>,
    /// The load at which each subject's knee is; none where it has none.
    pub knees: Vec<Option<String>>,
}

/// What became of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Crossed {
    /// No: the whole interval keeps it, or the one figure does.
    No,
    /// The interval reaches over it.
    Perhaps,
    /// The whole interval is beyond it, or the one figure is.
    Certainly,
    /// It cannot be said: there is no such number, or the jobs are not alike.
    NotJudged,
}

/// One bound held against one number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundResult {
    /// As the user wrote it: `p99>+5%`.
    pub bound: String,
    /// Name of the subject.
    pub subject: String,
    /// Name of the load; empty where there is only one.
    pub part: String,
    /// Name of the measure.
    pub measure: String,
    /// What became of it.
    pub crossed: Crossed,
    /// Why, a sentence with the numbers.
    pub sentence: String,
}

/// Two or more records side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// [`COMPARE_SCHEMA`].
    pub schema: String,
    /// What a person needs, one sentence or two.
    pub sentence: String,
    /// Index of the base.
    pub base: usize,
    /// The records.
    pub subjects: Vec<ComparisonSubject>,
    /// Load by load of the base.
    pub compared: Vec<Compared>,
    /// Response curves, where several subjects have them.
    pub curves: Vec<Curves>,
    /// What differs in settings and facts, by subject.
    pub settings: Vec<SettingsDiffer>,
    /// The bounds.
    pub bounds: Vec<BoundResult>,
}

/// One device in a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RankedDevice")
)]
pub struct ComparisonEntry {
    /// 1 and one more for each device that is certainly better; those whose intervals overlap share it.
    pub rank: u32,
    /// The device for people.
    pub label: String,
    /// Records it rests on; empty for files.
    pub records: Vec<i64>,
    /// What the results are called: numbers of records, files with lines.
    pub names: Vec<String>,
    /// Tools that measured.
    pub source: String,
    /// Runs.
    pub runs: u32,
    /// The measure that ranks.
    pub by: Measure,
    /// How many times worse than the best; 1 for the best.
    pub times: f64,
    /// I/Os per second of all directions.
    pub iops: Option<f64>,
    /// Bytes per second of all directions.
    pub bytes_per_s: Option<f64>,
    /// Mean latency, ns.
    pub mean_ns: Option<f64>,
    /// 99th percentile, ns.
    pub p99_ns: Option<f64>,
    /// What speaks against it.
    pub caveats: Vec<Caveat>,
}

/// Devices under one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankedJob {
    /// The job.
    pub phrase: String,
    /// What is alike.
    pub job: JobFacts,
    /// Name of the measure that ranks.
    pub by: String,
    /// The best first.
    pub entries: Vec<ComparisonEntry>,
    /// `1 : 3.1 : 15`.
    pub ratios: String,
    /// What else a reader has to know.
    pub remarks: Vec<String>,
}

/// Devices ranked, one table a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ranking {
    /// [`RANK_SCHEMA`].
    pub schema: String,
    /// What a person needs.
    pub sentence: String,
    /// The tables, the one with most devices first.
    pub jobs: Vec<RankedJob>,
    /// Results that stand alone: no other device had their job. Name and job.
    pub alone: Vec<(String, String)>,
    /// Results whose job another device had too, but of too few devices the number to rank by is told. Name and job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<(String, String)>,
}

/// One record in a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryPoint {
    /// Number of the record.
    pub record: i64,
    /// When, ms since 1970.
    pub unix_ms: i64,
    /// The number.
    pub measure: Measure,
    /// Whether another tool measured it.
    pub imported: bool,
}

/// A lasting change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangePoint {
    /// Index of the first point after it.
    pub at: usize,
    /// First and last index at which it may as well be.
    pub between: (usize, usize),
    /// Level after it against the level before, minus one.
    pub effect: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Probability that a series without any change shows one as large.
    pub p: f64,
    /// What differs between the record before it and the first one after it.
    pub changed: Vec<Difference>,
}

/// A measure over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistorySeries {
    /// The job.
    pub phrase: String,
    /// Machine, device and layers that all records share.
    pub place: String,
    /// Name of the load in its records; empty where they have only one.
    pub part: String,
    /// Name of the measure.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// Oldest first.
    pub points: Vec<HistoryPoint>,
    /// First and last index of each stretch without a change, and its level.
    pub levels: Vec<(usize, usize, f64)>,
    /// Changes between them.
    pub changes: Vec<ChangePoint>,
    /// Correlation of neighbouring records that the search allowed for.
    pub correlation: f64,
    /// Why no change was looked for; none where it was.
    pub not_searched: Option<String>,
}

/// One device, or one job, over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// [`HISTORY_SCHEMA`].
    pub schema: String,
    /// What a person needs: the last change.
    pub sentence: String,
    /// Chance of a false change anywhere in this history.
    pub alpha: f64,
    /// Series that were searched; each had its share of `alpha`.
    pub searched: usize,
    /// Seed of the draws behind the probabilities.
    pub seed: u64,
    /// The series, the ones that changed first.
    pub series: Vec<HistorySeries>,
}
