//! Everything of one run, as one versioned document. Once written it is never changed.

use crate::histogram::Histogram;
use crate::iopath::IoPath;
use crate::job::Job;
use crate::sample::SensorLog;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// Schema of the document.
pub const RECORD_SCHEMA: &str = "iodyno.record/1";

/// Where and with what a record was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// iodyno's version.
    pub iodyno: String,
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
}

/// What one direction of a load did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// Completed I/Os.
    pub ios: u64,
    /// Completed bytes.
    pub bytes: u64,
    /// Completion latency, ns, from just before submission to reaping.
    pub latency: Histogram,
}

/// What a load did from its start to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadResult {
    /// How the load was produced, with any fall-back: `io_uring (SINGLE_ISSUER, DEFER_TASKRUN, …)`.
    pub engine: String,
    /// Fall-backs taken and what they mean, for people.
    pub notes: Vec<String>,
    /// From the first submission to the last completion, ms.
    pub elapsed_ms: f64,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Completions per `bin_ms`.
    pub bins: Vec<u32>,
    /// Width of a bin, ms.
    pub bin_ms: u64,
    /// CPU time of the whole process, kernel I/O workers included, user part, ms.
    pub cpu_user_ms: f64,
    /// The same, system part, ms.
    pub cpu_system_ms: f64,
    /// Failed I/Os by errno.
    pub errors: Vec<(i32, u64)>,
}

impl LoadResult {
    /// Completed I/Os per second.
    pub fn iops(&self) -> f64 {
        if self.elapsed_ms > 0.0 {
            (self.read.ios + self.write.ios) as f64 / self.elapsed_ms * 1e3
        } else {
            0.0
        }
    }

    /// Completed bytes per second.
    pub fn bytes_per_s(&self) -> f64 {
        let bytes = (self.read.bytes + self.write.bytes) as f64;
        if self.elapsed_ms > 0.0 { bytes / self.elapsed_ms * 1e3 } else { 0.0 }
    }

    /// Latency of both directions together.
    pub fn latency(&self) -> Histogram {
        let mut all = self.read.latency.clone();
        all.merge(&self.write.latency);
        all
    }
}

/// The document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `iodyno.record/1`.
    pub schema: String,
    /// What made it: `run` or `tune`.
    pub verb: String,
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
    /// What the load did, for a run.
    pub load: Option<LoadResult>,
    /// What the sensors read.
    pub sensors: Vec<SensorLog>,
    /// The trials, for a tune.
    pub trials: Vec<Trial>,
}

/// One knob's experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Knob id.
    pub knob: String,
    /// Kernel name of the device.
    pub device: String,
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
}
