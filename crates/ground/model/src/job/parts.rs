//! The parts of a job that are more than a number: block sizes, random distributions, rates, waits, verification.

use serde::{Deserialize, Serialize};

/// One value for each direction, as fio's comma lists give it (`bs=4k,64k,1m`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "PerDirectionOf{T}")
)]
pub struct PerDirection<T> {
    /// Reads.
    pub read: T,
    /// Writes.
    pub write: T,
    /// Trims.
    pub trim: T,
}

impl<T> PerDirection<T> {
    /// The same value for all.
    pub fn all(value: T) -> Self
    where
        T: Clone,
    {
        PerDirection {
            read: value.clone(),
            write: value.clone(),
            trim: value,
        }
    }
}

/// How large the blocks of one direction are, bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockSize {
    /// All of this size (`bs`).
    Fixed(u64),
    /// Evenly chosen between two sizes, in steps of the smaller (`bsrange`).
    Range(u64, u64),
    /// Sizes with their shares in per cent, which add up to 100 (`bssplit`).
    Split(Vec<(u64, u8)>),
}

impl BlockSize {
    /// Smallest block: the grain of offsets.
    pub fn min(&self) -> u64 {
        match self {
            BlockSize::Fixed(bytes) | BlockSize::Range(bytes, _) => *bytes,
            BlockSize::Split(parts) => parts.iter().map(|part| part.0).min().unwrap_or(0),
        }
    }

    /// Largest block: the size of buffers.
    pub fn max(&self) -> u64 {
        match self {
            BlockSize::Fixed(bytes) | BlockSize::Range(_, bytes) => *bytes,
            BlockSize::Split(parts) => parts.iter().map(|part| part.0).max().unwrap_or(0),
        }
    }
}

/// Where random I/O goes (`random_distribution`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Every block alike.
    #[default]
    Random,
    /// Zipf with this theta (> 0, not 1): few blocks take most of the I/O.
    Zipf(f64),
    /// Pareto with this power (0 < h < 1).
    Pareto(f64),
    /// A bell around the middle of the range; the deviation is in per cent of it.
    Normal(f64),
    /// Zones in order: share of the I/O and share of the range, both in per cent and each adding up to 100.
    Zoned(Vec<(u8, u8)>),
    /// Zones in order: share of the I/O in per cent, and size in bytes.
    ZonedAbs(Vec<(u8, u64)>),
}

/// How fast one direction may go, for each job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// As fast as it goes.
    #[default]
    Free,
    /// I/Os per second (`rate_iops`).
    Iops(u64),
    /// Bytes per second (`rate`).
    Bytes(u64),
}

impl Rate {
    /// Whether there is nothing to keep.
    pub fn is_free(self) -> bool {
        self == Rate::Free
    }
}

/// When I/Os of a limited rate arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Evenly spaced (`rate_process=linear`).
    #[default]
    Linear,
    /// At random, as independent clients do (`rate_process=poisson`).
    Poisson,
}

/// A pause in the I/O, µs (`thinktime`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thinktime {
    /// Length, µs; 0 is none.
    pub us: u64,
    /// How much of it is spent spinning, µs (`thinktime_spin`).
    pub spin_us: u64,
    /// After so many blocks (`thinktime_blocks`); 0 counts as 1.
    pub blocks: u32,
}

/// What written data looks like to something that compresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Buffers {
    /// No two blocks alike, nothing compresses.
    #[default]
    Random,
    /// So many per cent of each block are zeros (`buffer_compress_percentage`).
    Compressible(u8),
    /// All zeros (`zero_buffers`).
    Zeros,
}

/// How files are opened or calls are made so that each write is durable (`sync`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// Not at all.
    #[default]
    None,
    /// O_DSYNC: data.
    Dsync,
    /// O_SYNC: data and metadata.
    Sync,
}

/// How the file is made before the load (`fallocate`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fallocate {
    /// Written in full, with data that does not compress: what iodyno does of its own accord.
    #[default]
    Written,
    /// Left to grow with the writes (`none`).
    None,
    /// Extents are reserved and stay unwritten (`native`, `posix`, `keep`).
    Reserved,
    /// Extended with ftruncate: one hole (`truncate`).
    Truncate,
}

/// When a load has run long enough to have settled (`steadystate`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyRule {
    /// What is looked at.
    pub metric: SteadyMetric,
    /// Whether the slope of a fitted line is judged, not the largest distance from the mean.
    pub slope: bool,
    /// Largest allowed value, per cent of the mean (`ss_limit` with `%`).
    pub limit_percent: f64,
    /// Window, ms (`steadystate_duration`).
    pub window_ms: u64,
    /// Time at the start that is not looked at, ms (`steadystate_ramp_time`).
    pub ramp_ms: u64,
}

/// What a steady-state rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SteadyMetric {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bw,
    /// Mean latency.
    Lat,
}

/// The deepest queue that keeps a latency (`latency_target` and its companions).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyTarget {
    /// Latency, µs.
    pub us: u64,
    /// Window over which it must hold, µs (`latency_window`).
    pub window_us: u64,
    /// Share of I/Os that must keep it, per cent (`latency_percentile`).
    pub percentile: f64,
}

/// Which files a job works on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileSet {
    /// Whose the files are.
    pub sharing: Sharing,
    /// Files of each owner (`nrfiles`); 0 counts as 1.
    pub nrfiles: u32,
    /// Size of each file, bytes (`filesize`); 0 divides `size` among them.
    pub filesize: u64,
    /// The names given with `filename`, split at `:`; the target stands in for them.
    pub names: Vec<String>,
    /// `directory`; the target stands in for it.
    pub directory: Option<String>,
}

impl FileSet {
    /// Files of each owner.
    pub fn count(&self) -> u32 {
        self.nrfiles.max(self.names.len() as u32).max(1)
    }
}

/// Whose a file is, among the jobs of one section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// One file for all; sequential jobs each have a contiguous share of it. iodyno's own words mean this.
    #[default]
    Shares,
    /// One file for all, each job on the same range from `offset` + n × `offset_increment` on: fio with `filename`.
    Same,
    /// Each job has files of its own: fio without `filename`.
    Own,
}

/// Checking what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verify {
    /// How blocks are checked; every block carries its offset and a number besides.
    pub method: VerifyMethod,
    /// Bytes that each have a header of their own (`verify_interval`); 0 is the block size.
    pub interval: u64,
    /// Whether written blocks are read back when the writing is over (`do_verify`).
    pub read_back: bool,
    /// Whether the first bad block ends the load (`verify_fatal`).
    pub fatal: bool,
}

/// How a block is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VerifyMethod {
    /// CRC-32C over the data.
    Crc32c,
}
