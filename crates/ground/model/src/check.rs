//! What `check` did and saw: short loads, each with its role, and the fields of every sensor meanwhile.

use crate::frame::Frame;
use crate::guard::GuardVisit;
use crate::job::Job;
use crate::layers::{LayerSide, LayerTimes, Span};
use crate::record::LoadResult;
use crate::target::{Machine, TargetFacts};
use crate::time_account::{TaskTimes, TimeAccount};
use crate::units;
use serde::{Deserialize, Serialize};

/// What a short load is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// No load of ours: what others do meanwhile.
    Idle,
    /// One random read of 4 KiB at a time, direct: the latency of one I/O.
    Latency,
    /// Random reads of 4 KiB, direct, at a depth; several of them with rising depths make the response curve.
    Depth,
    /// One sequential direct stream of large reads.
    Stream,
    /// Several sequential direct streams of large reads.
    Streams,
    /// Random buffered reads of small blocks in a range that is not cached.
    BufferedRandom,
    /// One sequential buffered stream.
    BufferedStream,
    /// Random direct writes on scratch.
    Write,
    /// Sequential direct writes on scratch.
    WriteStream,
    /// Buffered writes on scratch.
    BufferedWrite,
    /// Small writes, each followed by fsync, on scratch.
    Fsync,
    /// Random reads beside a stream of writes.
    Mixed,
}

/// One short load and what was seen meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// What it is for.
    pub role: Role,
    /// The load; of [`Role::Idle`] the job says nothing.
    pub job: Job,
    /// What came of it.
    pub load: LoadResult,
    /// Every field over the time of the load.
    pub frame: Frame,
    /// Times by layer; none where they were not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<LayerTimes>,
    /// What its threads did; none where they were not watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskTimes>,
    /// Start, ms after the start of the check.
    #[serde(default)]
    pub start_ms: u64,
}

impl Probe {
    /// A load of which nothing was seen yet.
    pub fn of(role: Role, job: Job) -> Probe {
        Probe {
            role,
            job,
            load: LoadResult::default(),
            frame: Frame::default(),
            layers: None,
            tasks: None,
            start_ms: 0,
        }
    }

    /// The load in a few words: `depth 32`, `one stream`.
    pub fn phrase(&self) -> String {
        match self.role {
            Role::Idle => "no load of ours".into(),
            Role::Latency => "one read at a time".into(),
            Role::Depth => format!("depth {}", self.load.depth.max(1)),
            Role::Stream => "one stream".into(),
            Role::Streams => format!("{} streams", self.job.numjobs.max(1)),
            Role::BufferedRandom => "buffered random reads".into(),
            Role::BufferedStream => "buffered stream".into(),
            Role::Write => "random writes".into(),
            Role::WriteStream => "write stream".into(),
            Role::BufferedWrite => "buffered writes".into(),
            Role::Fsync => "writes with fsync".into(),
            Role::Mixed => "reads beside writes".into(),
        }
    }

    /// Completed I/Os a second.
    pub fn iops(&self) -> f64 {
        self.load.iops()
    }

    /// Completed bytes a second.
    pub fn bytes_per_s(&self) -> f64 {
        self.load.bytes_per_s()
    }

    /// Mean latency, us; none without I/O.
    pub fn mean_us(&self) -> Option<f64> {
        self.load.latency().mean_ns().map(|ns| ns / 1e3)
    }

    /// A percentile of the latency (0.99), us; none without I/O.
    pub fn percentile_us(&self, share: f64) -> Option<f64> {
        self.load
            .latency()
            .quantile_ns(share)
            .map(|ns| ns as f64 / 1e3)
    }

    /// Mean time of a span on a device, both directions together, us; none where there is none.
    pub fn span_us(&self, device: &str, span: Span) -> Option<f64> {
        let layers = self.layers.as_ref()?;
        let device = layers.devices.iter().find(|one| one.device == device)?;
        let times = [LayerSide::Read, LayerSide::Write]
            .into_iter()
            .filter_map(|side| device.times(side, span));
        let (count, sum) = times.fold((0.0, 0.0), |(count, sum), times| {
            let total = times.total() as f64;
            (count + total, sum + total * times.mean_ns().unwrap_or(0.0))
        });
        (count > 0.0).then(|| sum / count / 1e3)
    }
}

/// What a disk of the cloud promises, or any other figure that storage is sold with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Promise {
    /// Who: `aws`, `azure`, `gcp`, `alibaba`; empty where the user said figures alone.
    pub provider: String,
    /// Type, as the provider calls it.
    pub kind: String,
    /// I/Os a second that it holds for ever.
    pub iops: Option<f64>,
    /// Bytes a second that it holds for ever.
    pub bytes_per_s: Option<f64>,
    /// I/Os a second while credits last.
    pub burst_iops: Option<f64>,
    /// Bytes a second while credits last.
    pub burst_bytes_per_s: Option<f64>,
    /// How long full credits last at the burst rate, s.
    pub burst_s: Option<f64>,
    /// I/Os larger than this are counted as several, bytes.
    pub io_unit_bytes: Option<u64>,
    /// Limits of the whole instance, which all of its disks share.
    pub instance_iops: Option<f64>,
    /// The same in bytes a second.
    pub instance_bytes_per_s: Option<f64>,
    /// Where the figures come from, with the date.
    pub source: String,
}

impl Promise {
    /// Whose and which type: `aws gp3`; none where the user said figures alone.
    pub fn name(&self) -> Option<String> {
        let name = format!("{} {}", self.provider, self.kind);
        let name = name.trim();
        (!name.is_empty()).then(|| name.into())
    }
}

/// One figure of what storage gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedWhat {
    /// Mean time of one random read of 4 KiB at a time, us.
    ReadLatency,
    /// Random reads of 4 KiB a second, at the depth that gives most.
    RandomReads,
    /// Bytes a second of one sequential stream of reads.
    SequentialRead,
    /// Bytes a second of several sequential streams of reads together.
    SequentialReads,
    /// Random writes of 4 KiB a second.
    RandomWrites,
    /// Bytes a second of a sequential stream of writes.
    SequentialWrite,
    /// fsyncs a second, each after a small write.
    Fsyncs,
}

impl ExpectedWhat {
    /// In the order of a table.
    pub const ALL: [ExpectedWhat; 7] = [
        ExpectedWhat::ReadLatency,
        ExpectedWhat::RandomReads,
        ExpectedWhat::SequentialRead,
        ExpectedWhat::SequentialReads,
        ExpectedWhat::RandomWrites,
        ExpectedWhat::SequentialWrite,
        ExpectedWhat::Fsyncs,
    ];

    /// For people.
    pub fn phrase(self) -> &'static str {
        match self {
            ExpectedWhat::ReadLatency => "one 4k read",
            ExpectedWhat::RandomReads => "random 4k reads",
            ExpectedWhat::SequentialRead => "sequential read",
            ExpectedWhat::SequentialReads => "sequential reads, several streams",
            ExpectedWhat::RandomWrites => "random 4k writes",
            ExpectedWhat::SequentialWrite => "sequential write",
            ExpectedWhat::Fsyncs => "fsyncs",
        }
    }

    /// `us`, `/s` or `bytes/s`.
    pub fn unit(self) -> &'static str {
        match self {
            ExpectedWhat::ReadLatency => "us",
            ExpectedWhat::RandomReads | ExpectedWhat::RandomWrites | ExpectedWhat::Fsyncs => "/s",
            ExpectedWhat::SequentialRead
            | ExpectedWhat::SequentialReads
            | ExpectedWhat::SequentialWrite => "bytes/s",
        }
    }

    /// Whether more of it is better; of a time less is.
    pub fn more_is_better(self) -> bool {
        self != ExpectedWhat::ReadLatency
    }

    /// A value with its unit, for people.
    pub fn words(self, value: f64) -> String {
        match self.unit() {
            "us" => units::duration_ns(value * 1e3),
            "/s" => format!("{}/s", units::count(value)),
            _ => units::bytes_per_s(value),
        }
    }
}

/// What storage of this kind should give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expected {
    /// Which figure.
    pub what: ExpectedWhat,
    /// Least that is in order for it, in the unit of `what`.
    pub low: f64,
    /// Most that it can be.
    pub high: f64,
    /// Unit of both: `us`, `/s`, `bytes/s`.
    pub unit: String,
    /// Why, half a sentence: the medium, the array, and the limit that binds.
    pub because: String,
    /// Where the figures come from.
    pub source: String,
}

impl Expected {
    /// The share of what it should be that a measured value is: 1 at the near edge of the range or inside it, 0.5 at half of
    /// the least. Of a time, 0.5 is twice the longest.
    pub fn share(&self, given: f64) -> f64 {
        let (value, edge) = if self.what.more_is_better() {
            (given, self.low)
        } else {
            (self.high, given)
        };
        if edge > 0.0 {
            (value / edge).min(1.0)
        } else {
            1.0
        }
    }
}

/// What a load of the check found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GivenSetting {
    /// Which figure.
    pub what: ExpectedWhat,
    /// How much, in the unit of `what`.
    pub value: f64,
    /// Unit: `us`, `/s`, `bytes/s`.
    pub unit: String,
    /// How it was measured: `depth 32`, `4 streams of 1 MiB reads`.
    pub how: String,
}

/// How a setting stands to what a profile wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProfileState {
    /// It is not what the profile wants.
    Differs,
    /// It is what the profile wants.
    Equal,
    /// It could not be read here, or what the profile wants depends on what is not known.
    Unread,
    /// The profile's source names it and gives no value.
    NoValue,
}

/// One setting beside what a profile wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileSetting {
    /// Its name as sysctl(8) has it.
    pub name: String,
    /// Its value here; none where it could not be read.
    pub here: Option<String>,
    /// Of a limit that reads 0, its other half that holds in its place, with its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
    /// What the profile wants, for people.
    pub wants: String,
    /// How the two stand to each other.
    pub state: ProfileState,
    /// Whether it differs and acts on one of the jobs; without jobs, on any load.
    pub matters: bool,
    /// On which loads it acts: `buffered writes`; none where it acts on no I/O of a disk.
    pub acts_on: Option<String>,
    /// What it decides, half a sentence.
    pub why: String,
}

/// The kernel parameters of a machine beside a named set of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileComparison {
    /// The set.
    pub name: String,
    /// Where its values come from.
    pub from: String,
    /// The jobs for which it was asked what matters; empty for any load.
    pub jobs: Vec<String>,
    /// Every setting of the set, those that matter first.
    pub settings: Vec<ProfileSetting>,
}

/// What a check did and saw: enough to judge it again elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CheckResult {
    /// How thorough: `quick`, `default`, `deep`, or `no load`.
    pub mode: String,
    /// The target, as the rules are told.
    pub target: TargetFacts,
    /// The machine, as the rules are told.
    pub machine: Machine,
    /// What the storage is sold as, where that is known.
    pub promise: Option<Promise>,
    /// The loads in their order, idle time first.
    pub probes: Vec<Probe>,
    /// What the storage gives.
    pub given: Vec<GivenSetting>,
    /// What it should give.
    pub expected: Vec<Expected>,
    /// Where the time of an I/O went, load by load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<TimeAccount>,
    /// The kernel parameters beside a named set, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileComparison>,
    /// What it did as a visit of `guard`; none where it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardVisit>,
    /// What could not be seen or done, and why, each a sentence.
    pub unseen: Vec<String>,
    /// The command to run next.
    pub next: String,
}
