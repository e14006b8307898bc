//! How much writing disturbs reading: a grid of write bandwidth and read rate with the latency of the reads.

use serde::{Deserialize, Serialize};

/// One cell of the matrix; all its visits together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "MatrixCell")
)]
pub struct InterferenceCell {
    /// Index of its write step.
    pub write: usize,
    /// Index of its read step.
    pub read: usize,
    /// Visits that went into it; 0 when the run ended before.
    pub visits: u32,
    /// Completed reads per second.
    pub read_iops: f64,
    /// Written bytes per second.
    pub write_bytes_per_s: f64,
    /// Median latency of the reads, ns.
    pub p50_ns: u64,
    /// 95th percentile, ns.
    pub p95_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
    /// p99 of each visit, ns, in the order they were made.
    pub visits_p99_ns: Vec<u64>,
    /// Whether both sides got at least 97 % of the rate they asked for.
    pub reached: bool,
}

/// The matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Matrix {
    /// Reads per second that the target gives without writes, at the job's depth.
    pub max_read_iops: f64,
    /// Bytes per second that it takes without reads.
    pub max_write_bytes_per_s: f64,
    /// Block size of the writes, bytes.
    pub write_bs: u64,
    /// Whether reads arrived at random moments that wait for nobody; if not, waits for a free slot are not counted.
    pub open_loop: bool,
    /// Offered reads per second, ascending.
    pub read_steps: Vec<f64>,
    /// Offered written bytes per second, ascending from 0.
    pub write_steps: Vec<f64>,
    /// Seed of the order of visits.
    pub seed: u64,
    /// Time at the start of each visit that is not measured, ms.
    pub warmup_ms: u64,
    /// Length of the measured window of each visit, ms.
    pub window_ms: u64,
    /// All cells: those of the first write step first.
    pub cells: Vec<InterferenceCell>,
    /// For each read step the first write step from which on p99 is at least twice what it is without writes.
    pub doubles_from: Vec<Option<usize>>,
    /// What the loads noted: fall-backs, doubts.
    pub notes: Vec<String>,
}

impl Matrix {
    /// The cell of two steps.
    pub fn cell(&self, write: usize, read: usize) -> Option<&InterferenceCell> {
        self.cells
            .iter()
            .find(|cell| cell.write == write && cell.read == read)
    }
}
