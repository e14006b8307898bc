//! Everything that one command measured: what every record has, and a body by kind. Once written it is never changed.

mod document;
#[cfg(test)]
mod tests;
mod winners;

pub use document::{RecordDocument, RecordFault};
pub use winners::{Apart, SetMember, Winners};

use crate::check::CheckResult;
use crate::curve::Little;
use crate::figures::ArmFigures;
use crate::finding::Finding;
use crate::histogram::Histogram;
use crate::imported::{Imported, SideFigures};
use crate::iopath::IoPath;
use crate::job::Job;
use crate::kube::KubePlace;
use crate::latency_map::LatencyMap;
use crate::layers::{ArmSpan, LayerTimes};
use crate::moved::Moved;
use crate::sample::SensorLog;
use crate::studies::Studies;
use crate::subject::Subject;
use crate::verdict::{Outcome, Reason, Verdict, VerdictStage};
use serde::{Deserialize, Serialize};

/// Schema of the document.
pub const RECORD_SCHEMA: &str = "iodyno.record/1";

/// Where and with what a record was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Provenance {
    /// iodyno's version.
    pub iodyno: String,
    /// The commit that it was built from, with `-dirty` where files were changed; empty where the build did not note it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// Host name.
    pub hostname: String,
    /// Kernel release.
    pub kernel: String,
    /// CPU model and count.
    pub cpu: String,
    /// Clock used for latencies: `tsc` or `clock_gettime`.
    pub clock: String,
    /// Wall clock at the start, ms since 1970.
    pub started_unix_ms: u64,
    /// The command line.
    pub command: Vec<String>,
    /// Where in a Kubernetes cluster it ran; none outside of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kube: Option<KubePlace>,
    /// The simulated disk on which it was rehearsed; none where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsed: Option<RehearsedOn>,
}

/// A simulated disk. Nothing in a record of it was measured, so no store takes one and nothing is compared with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RehearsedOn {
    /// Its kind, as `--rehearse` takes it.
    pub disk: String,
    /// Seed of its noise and of every random choice.
    pub seed: u64,
}

/// What one direction of a load did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Direction {
    /// Completed I/Os.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// Completion latency, ns, from just before submission to reaping.
    pub latency: Histogram,
}

/// Another kind of operation than reading, writing, trimming and syncing: what a load of small files does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operation {
    /// `create`, `stat`, `rename`, `delete` …
    pub name: String,
    /// How long it went on, ms: such operations have the load to themselves, one kind after the other.
    #[serde(default)]
    pub busy_ms: f64,
    /// How often and how long.
    #[serde(flatten)]
    pub done: Direction,
}

/// One span of a load: what happened between two looks at its counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Start, ms after the load's origin.
    pub start_ms: u64,
    /// Length, ms.
    pub length_ms: u64,
    /// Reads.
    pub read: IntervalSide,
    /// Writes (with trims).
    pub write: IntervalSide,
    /// I/Os in flight at its end.
    pub inflight: u32,
}

/// One direction of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntervalSide {
    /// Completed I/Os.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// Median latency, ns; 0 without I/O.
    pub p50_ns: u64,
    /// 99th percentile, ns; 0 without I/O.
    pub p99_ns: u64,
}

/// What reading back what was written found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verified {
    /// Blocks checked.
    pub blocks: u64,
    /// Blocks that were not what was written.
    pub bad: u64,
    /// The first of them, each a sentence with the offset.
    pub first_bad: Vec<String>,
}

/// What a load did from its start to its end, or from the end of its ramp on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LoadResult {
    /// How the load was produced, with any fall-back: `io_uring (SINGLE_ISSUER, DEFER_TASKRUN, …)`.
    pub engine: String,
    /// I/Os that all jobs together could have in flight on this engine; 0 where that is not ours to say.
    pub depth: u32,
    /// Fall-backs taken and what they mean, for people.
    pub notes: Vec<String>,
    /// From the first submission to the last completion, ms.
    pub elapsed_ms: f64,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Trims.
    pub trim: Direction,
    /// fsync and fdatasync.
    pub sync: Direction,
    /// Operations of other kinds.
    pub operations: Vec<Operation>,
    /// Open loop only: latencies from the real submission, all directions; the others count from the intended start.
    pub service: Option<Histogram>,
    /// Completions per `bin_ms`.
    pub bins: Vec<u32>,
    /// Width of a bin, ms.
    pub bin_ms: u64,
    /// What happened over time; their number is bounded, and longer loads have longer intervals.
    pub intervals: Vec<Interval>,
    /// Latencies over time; their number of columns is bounded as that of the intervals.
    #[serde(skip_serializing_if = "LatencyMap::is_empty")]
    pub latency_map: LatencyMap,
    /// CPU time of the whole process, kernel I/O workers included, user part, ms.
    pub cpu_user_ms: f64,
    /// The same, system part, ms.
    pub cpu_system_ms: f64,
    /// Failed I/Os by errno.
    pub errors: Vec<(i32, u64)>,
    /// What a verifying job found.
    pub verified: Option<Verified>,
    /// The sums of the program that made the load, where it gives no histogram: its mean, least and greatest latency, and
    /// its rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<SideFigures>,
    /// Why the load ended before its time; what is here was done until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_off: Option<String>,
}

impl Operation {
    /// Operations per second while they went on.
    pub fn per_s(&self) -> f64 {
        if self.busy_ms > 0.0 {
            self.done.ios as f64 / self.busy_ms * 1e3
        } else {
            0.0
        }
    }
}

impl LoadResult {
    /// Completed I/Os per second.
    pub fn iops(&self) -> f64 {
        if self.elapsed_ms > 0.0 {
            self.ios() as f64 / self.elapsed_ms * 1e3
        } else {
            0.0
        }
    }

    /// Completed bytes per second.
    pub fn bytes_per_s(&self) -> f64 {
        if self.elapsed_ms > 0.0 {
            self.bytes() as f64 / self.elapsed_ms * 1e3
        } else {
            0.0
        }
    }

    /// Bytes of all that [`LoadResult::ios`] counts.
    pub fn bytes(&self) -> u64 {
        let others = self.operations.iter();
        let others: u64 = others.map(|operation| operation.done.bytes).sum();
        self.read.bytes + self.write.bytes + self.trim.bytes + others
    }

    /// Completed reads, writes, trims and operations of other kinds; syncs are not counted.
    pub fn ios(&self) -> u64 {
        let others: u64 = self
            .operations
            .iter()
            .map(|operation| operation.done.ios)
            .sum();
        self.read.ios + self.write.ios + self.trim.ios + others
    }

    /// I/Os that were in flight on average, by Little's law. In an open loop the latencies from the real submission count.
    pub fn in_flight(&self) -> Option<f64> {
        let mean_ns = match &self.service {
            Some(service) => service.mean_ns(),
            None => self.latency().mean_ns(),
        };
        mean_ns.map(|mean_ns| Little::in_flight(self.iops(), mean_ns))
    }

    /// Latency of all that [`LoadResult::ios`] counts.
    pub fn latency(&self) -> Histogram {
        let mut all = self.read.latency.clone();
        all.merge(&self.write.latency);
        all.merge(&self.trim.latency);
        self.operations
            .iter()
            .for_each(|operation| all.merge(&operation.done.latency));
        all
    }
}

/// One section of a run of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SectionResult {
    /// Its name.
    pub name: String,
    /// Which sections ran together with it: the stage's number, from 0.
    pub stage: u32,
    /// Start, ms after the start of the run.
    pub start_ms: u64,
    /// Its target and the device below, where that is another device than the record's; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub elsewhere: String,
    /// The workload.
    pub job: Job,
    /// What it did.
    pub load: LoadResult,
}

/// What one command measured, where, and with what. Its JSON is a [`RecordDocument`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RecordDocument<'static>")]
pub struct Record {
    /// `iodyno.record/1`.
    pub schema: String,
    /// What the user named.
    pub target: String,
    /// The sentence a person needs.
    pub summary: String,
    /// Where and with what it was made.
    pub provenance: Provenance,
    /// The I/O path with every setting as it was at the start.
    pub path: IoPath,
    /// The workload.
    pub job: Job,
    /// What the rules said, before the load and after it.
    pub findings: Vec<Finding>,
    /// What the sensors read.
    pub sensors: Vec<SensorLog>,
    /// What the verb that made it measured.
    pub body: RecordBody,
}

/// What a verb measured, beyond what every record has.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "records are held one by one; a box would stand in the way of everybody who reads one"
)]
pub enum RecordBody {
    /// A load, or several.
    Run(RunBody),
    /// Experiments with settings.
    Tune(TuneBody),
    /// What others did.
    Watch(WatchBody),
    /// What a check did and saw.
    Check(CheckResult),
    /// What another tool had measured.
    Import(Imported),
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunBody {
    /// What the load did; of several sections, the first one's. None of a series that keeps no load of its own.
    pub load: Option<LoadResult>,
    /// The sections, where there are several.
    pub sections: Vec<SectionResult>,
    /// Times by layer of the block devices on the path, over the load; none where they were not traced.
    pub layers: Option<LayerTimes>,
    /// What a series of loads found: a curve, a search, a matrix, the settling.
    pub studies: Studies,
}

/// What a tune tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TuneBody {
    /// The trials.
    pub trials: Vec<Trial>,
}

/// What a watch saw besides its sensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchBody {
    /// Times by layer of the block devices on the path; none where they were not traced.
    pub layers: Option<LayerTimes>,
}

impl RecordBody {
    /// Every verb that makes records, as documents name it.
    pub const VERBS: [&'static str; 5] = ["run", "tune", "watch", "check", "import"];

    /// The verb that makes records of this kind.
    pub fn verb(&self) -> &'static str {
        match self {
            RecordBody::Run(_) => "run",
            RecordBody::Tune(_) => "tune",
            RecordBody::Watch(_) => "watch",
            RecordBody::Check(_) => "check",
            RecordBody::Import(_) => "import",
        }
    }
}

/// What a record that is no run has of studies.
static NO_STUDIES: Studies = Studies {
    precondition: None,
    steady: None,
    sweep: None,
    search: None,
    interference: None,
    dataset: None,
};

impl Record {
    /// What a verb measured on a path; its target is the path's, and nothing else is known of it yet.
    pub fn of(body: RecordBody, provenance: Provenance, path: IoPath) -> Record {
        Record {
            schema: RECORD_SCHEMA.into(),
            target: path.target.clone(),
            summary: String::new(),
            provenance,
            path,
            job: Job::default(),
            findings: Vec::new(),
            sensors: Vec::new(),
            body,
        }
    }

    /// What made it: `run`, `tune`, `watch`, `check` or `import`.
    pub fn verb(&self) -> &'static str {
        self.body.verb()
    }

    /// What the load of a run did; of several sections, the first one's.
    pub fn load(&self) -> Option<&LoadResult> {
        match &self.body {
            RecordBody::Run(run) => run.load.as_ref(),
            _ => None,
        }
    }

    /// The sections of a run of several.
    pub fn sections(&self) -> &[SectionResult] {
        match &self.body {
            RecordBody::Run(run) => &run.sections,
            _ => &[],
        }
    }

    /// Times by layer over a run or a watch, where they were traced.
    pub fn layers(&self) -> Option<&LayerTimes> {
        match &self.body {
            RecordBody::Run(run) => run.layers.as_ref(),
            RecordBody::Watch(watch) => watch.layers.as_ref(),
            _ => None,
        }
    }

    /// The trials of a tune.
    pub fn trials(&self) -> &[Trial] {
        match &self.body {
            RecordBody::Tune(tune) => &tune.trials,
            _ => &[],
        }
    }

    /// The trials of a tune, to change what they hold.
    pub fn trials_mut(&mut self) -> &mut [Trial] {
        match &mut self.body {
            RecordBody::Tune(tune) => &mut tune.trials,
            _ => &mut [],
        }
    }

    /// What a series of loads found; nothing in it for other records.
    pub fn studies(&self) -> &Studies {
        match &self.body {
            RecordBody::Run(run) => &run.studies,
            _ => &NO_STUDIES,
        }
    }

    /// What a check did and saw.
    pub fn check(&self) -> Option<&CheckResult> {
        match &self.body {
            RecordBody::Check(check) => Some(check),
            _ => None,
        }
    }

    /// What another tool had measured.
    pub fn imported(&self) -> Option<&Imported> {
        match &self.body {
            RecordBody::Import(imported) => Some(imported),
            _ => None,
        }
    }
}

/// One knob's experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trial {
    /// Knob id.
    pub knob: String,
    /// Kernel name of the device that was measured.
    pub device: String,
    /// Whose setting it is; none in records of earlier versions, and where it is the device's queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// What tells the subject from another that has its name later: of an interrupt, whom it served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The values that were in place together, in a trial of several knobs; empty in that of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<SetMember>,
    /// What was in place meanwhile, ahead by then in knobs that were tried before this one; empty where it was tried on
    /// what was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base: Vec<SetMember>,
    /// The values tried; the first is the one found.
    pub arms: Vec<String>,
    /// Whether the writes were replaced by no-ops (`--aa`).
    pub aa: bool,
    /// Why it was not tried; then there is no verdict.
    pub skipped: Option<String>,
    /// The sentence a person needs.
    pub summary: String,
    /// The verdict with its pairs.
    pub verdict: Option<Verdict>,
    /// Times by layer and arm, over the traced windows: those run after the decision, or every compared one where
    /// tracing was on throughout. Empty where they were not traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<ArmSpan>,
    /// Figures of device, CPUs and interrupts by arm, over the compared windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<ArmFigures>,
    /// What differs between the arm that was found and the one that the verdict compares with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// Every window that was measured, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowRun>,
}

impl Trial {
    /// Whose setting it is.
    pub fn subject(&self) -> Subject {
        let queue = || Subject::Queue {
            device: self.device.clone(),
        };
        self.subject.clone().unwrap_or_else(queue)
    }

    /// The knob for people: with its subject where the device has several of the kind.
    pub fn label(&self) -> String {
        knob_label(&self.knob, &self.subject())
    }

    /// The verdict, where it proved that another value than the one found is better. Without writes (`--aa`) nothing can
    /// be proved, whatever the figures say.
    pub fn win(&self) -> Option<&Verdict> {
        self.verdict.as_ref().filter(|verdict| {
            verdict.outcome == Outcome::Better
                && !self.aa
                && self.arms.first() != Some(&verdict.arm)
        })
    }

    /// The verdict, where another value than the one found was ahead when nothing but a selection was asked for.
    pub fn selection(&self) -> Option<&Verdict> {
        self.verdict.as_ref().filter(|verdict| {
            verdict.reason == Reason::Selected
                && !self.aa
                && self.arms.first() != Some(&verdict.arm)
        })
    }
}

/// A knob for people: with its subject where a device has several of the kind.
pub fn knob_label(knob: &str, subject: &Subject) -> String {
    match subject.key() {
        Some(_) => format!("{knob} of {subject}"),
        None => knob.to_string(),
    }
}

/// One window of an experiment: when it was, and what the load did in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WindowRun {
    /// Index into the trial's arms.
    pub arm: usize,
    /// The stage it belongs to.
    pub stage: VerdictStage,
    /// Start, ms after the start of the sensors; with the switch, where there is one.
    pub start_ms: u64,
    /// Length, ms, the discarded part included.
    pub length_ms: u64,
    /// Part at its start that does not count, ms.
    pub discard_ms: u64,
    /// Mean of what counts, in the unit of the verdict's metric.
    pub rate: f64,
    /// Whether the load ran at half its depth.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub half_depth: bool,
}

impl WindowRun {
    /// Whether any of it counts. A window that only warms up has no value, and 0 as its rate.
    pub fn has_value(&self) -> bool {
        self.discard_ms < self.length_ms
    }
}
