//! A workload, in fio's vocabulary.

pub mod engines;
pub mod identity;
mod parts;
mod rw;
mod section;
mod words;

pub use parts::{
    Arrivals, BlockSize, Buffers, Distribution, Fallocate, FileSet, LatencyTarget, PerDirection,
    Rate, Sharing, SteadyMetric, SteadyRule, SyncMode, Thinktime, Verify, VerifyMethod,
};
pub use rw::Rw;
pub use section::{Position, Section, stages};

use crate::secret;
use crate::text::clean_to;
use serde::{Deserialize, Serialize};

/// Size of a scratch file where the job names none, bytes.
pub const SCRATCH_BYTES: u64 = 1 << 30;

/// Characters of a command that a phrase shows.
const COMMAND_SHOWN_MAX: usize = 60;

/// One workload. Every field has fio's meaning; times are in ms unless the name says otherwise. A field that a record
/// lacks has its default, so that records of earlier versions can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "JobSpec")
)]
#[serde(default)]
pub struct Job {
    /// Engine id: `io_uring`, `libaio`, `psync` …
    pub ioengine: String,
    /// Direction and order.
    pub rw: Rw,
    /// Share of reads in a mix, per cent.
    pub rwmixread: u8,
    /// Sequential: bytes skipped after each I/O (`rw=read:16k`); may be negative. Random: 0.
    pub rw_stride: i64,
    /// Random: I/Os in a row from one random place (`rw=randread:8`); 0 counts as 1. Sequential: 1.
    pub rw_every: u32,
    /// With `rw_every`: the I/Os of a row repeat one offset (`rw_sequencer=identical`).
    pub rw_identical: bool,
    /// Nominal block size, bytes: the smallest of all directions, the grain of offsets.
    pub bs: u64,
    /// Block sizes by direction where they are not all `bs`.
    pub block_sizes: Option<PerDirection<BlockSize>>,
    /// Offsets need not be multiples of the block size (`bs_unaligned`): of `blockalign` bytes, where it is not 0.
    pub blockalign: u64,
    /// Bytes of the target for each job; 0 means all of a file or device, 1 GiB of scratch.
    pub size: u64,
    /// Per cent of the target in place of `size` (`size=50%`); 0 is unused.
    pub size_percent: u8,
    /// Where in the file the range begins, bytes.
    pub offset: u64,
    /// Added to `offset` for each further job (`offset_increment`), bytes.
    pub offset_increment: u64,
    /// Bytes to move in all for each job (`io_size`); 0 is `size`. Without meaning when `time_based`.
    pub io_size: u64,
    /// Passes over the range (`loops`); 0 counts as 1. Without meaning when `time_based`.
    pub loops: u32,
    /// Whether the load ends by time alone. iodyno's own words mean this; fio's do not unless they say so.
    pub time_based: bool,
    /// Which files.
    pub files: FileSet,
    /// I/Os in flight for each job.
    pub iodepth: u32,
    /// I/Os submitted at once, at most (`iodepth_batch_submit`); 0 leaves it to the engine.
    pub iodepth_batch: u32,
    /// Completions waited for at once, at least (`iodepth_batch_complete_min`); 0 leaves it to the engine.
    pub iodepth_batch_complete_min: u32,
    /// Completions taken at once, at most (`iodepth_batch_complete_max`); 0 leaves it to the engine.
    pub iodepth_batch_complete_max: u32,
    /// How far the queue drains before it is filled again (`iodepth_low`); 0 refills at once.
    pub iodepth_low: u32,
    /// Threads that each run the job.
    pub numjobs: u32,
    /// O_DIRECT.
    pub direct: bool,
    /// Durability of each write.
    pub sync: SyncMode,
    /// fsync after so many writes; 0 is never.
    pub fsync: u32,
    /// fdatasync after so many writes; 0 is never.
    pub fdatasync: u32,
    /// fsync when the writing is over, as part of the measured time.
    pub end_fsync: bool,
    /// How long to run, ms; 0 with a job that is not `time_based` runs until all is moved.
    pub runtime_ms: u64,
    /// Time at the start that is not measured, ms (`ramp_time`).
    pub ramp_ms: u64,
    /// Wait before the section begins, ms (`startdelay`).
    pub startdelay_ms: u64,
    /// Speed limits by direction, for each job.
    pub rates: PerDirection<Rate>,
    /// When I/Os of a limited rate arrive.
    pub arrivals: Arrivals,
    /// I/Os arrive by the clock whether or not earlier ones came back, and latency counts from the intended start.
    pub open_loop: bool,
    /// A pause in the I/O.
    pub thinktime: Thinktime,
    /// CPUs to pin the jobs to, one after the other; empty leaves placement to the kernel.
    pub cpus_allowed: Vec<u32>,
    /// NUMA nodes to run on (`numa_cpu_nodes`).
    pub numa_nodes: Vec<u32>,
    /// Offsets may repeat before all blocks were touched (`norandommap`).
    pub norandommap: bool,
    /// Where random I/O goes.
    pub distribution: Distribution,
    /// Share of random I/O in a random job, per cent (`percentage_random`).
    pub percentage_random: u8,
    /// Content of what is written.
    pub buffers: Buffers,
    /// Checking what was written.
    pub verify: Option<Verify>,
    /// Drop the file's cached pages at the start (`invalidate`).
    pub invalidate: bool,
    /// Drop the cached pages of the range before every pass over it, so that a buffered reader keeps reading from the
    /// device; what fio does with `loops` and `invalidate`.
    pub cold_passes: bool,
    /// How files are made.
    pub fallocate: Fallocate,
    /// Find the deepest queue that keeps a latency.
    pub latency_target: Option<LatencyTarget>,
    /// End when the load has settled.
    pub steadystate: Option<SteadyRule>,
    /// Percentiles to report, per cent; empty is the usual list.
    pub percentile_list: Vec<f64>,
    /// Report the jobs of a section as one (`group_reporting`).
    pub group_reporting: bool,
    /// Same offsets in every run (`randrepeat`); otherwise the run's own seed is mixed in.
    pub randrepeat: bool,
    /// Seed of offsets, mix and data.
    pub randseed: u64,
    /// Options of one engine that others do not have, by name: the shape of a tree, the program of `fio`.
    pub engine_options: std::collections::BTreeMap<String, String>,
    /// Options of fio's that the native engines do not have, with their values, in the order in which they were given:
    /// the engine `fio` hands them on. Empty for a native engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handed_on: Vec<(String, String)>,
    /// A command of the user's that runs beside the load, for as long as it does. No job file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            ioengine: "io_uring".into(),
            rw: Rw::Randread,
            rwmixread: 50,
            rw_stride: 0,
            rw_every: 1,
            rw_identical: false,
            bs: 4096,
            block_sizes: None,
            blockalign: 0,
            size: 0,
            size_percent: 0,
            offset: 0,
            offset_increment: 0,
            io_size: 0,
            loops: 1,
            time_based: true,
            files: FileSet::default(),
            iodepth: 32,
            iodepth_batch: 0,
            iodepth_batch_complete_min: 0,
            iodepth_batch_complete_max: 0,
            iodepth_low: 0,
            numjobs: 1,
            direct: true,
            sync: SyncMode::None,
            fsync: 0,
            fdatasync: 0,
            end_fsync: false,
            runtime_ms: 10_000,
            ramp_ms: 0,
            startdelay_ms: 0,
            rates: PerDirection::default(),
            arrivals: Arrivals::Linear,
            open_loop: false,
            thinktime: Thinktime::default(),
            cpus_allowed: Vec::new(),
            numa_nodes: Vec::new(),
            norandommap: false,
            distribution: Distribution::Random,
            percentage_random: 100,
            buffers: Buffers::Random,
            verify: None,
            invalidate: true,
            cold_passes: false,
            fallocate: Fallocate::Written,
            latency_target: None,
            steadystate: None,
            percentile_list: Vec::new(),
            group_reporting: true,
            randrepeat: true,
            randseed: 1,
            engine_options: std::collections::BTreeMap::new(),
            handed_on: Vec::new(),
            beside: None,
        }
    }
}

impl Job {
    /// The block sizes of each direction.
    pub fn sizes(&self) -> PerDirection<BlockSize> {
        self.block_sizes
            .clone()
            .unwrap_or_else(|| PerDirection::all(BlockSize::Fixed(self.bs)))
    }

    /// The largest block of the directions that the job has, bytes.
    pub fn max_bs(&self) -> u64 {
        let sizes = self.sizes();
        let used = [
            (self.rw.reads(), sizes.read),
            (self.rw.writes() || self.verify.is_some(), sizes.write),
            (self.rw.trims(), sizes.trim),
        ];
        used.iter()
            .filter(|(used, _)| *used)
            .map(|(_, size)| size.max())
            .max()
            .unwrap_or(self.bs)
    }

    /// The engine that issues the I/O: where fio makes the load, fio's own one (`--engine-option ioengine=`; by default
    /// libaio for direct I/O and psync for buffered).
    pub fn effective_engine(&self) -> &str {
        let usual = if self.direct { "libaio" } else { "psync" };
        match self.ioengine.as_str() {
            "fio" => self
                .engine_options
                .get("ioengine")
                .map_or(usual, |name| name.trim()),
            name => name,
        }
    }

    /// Changes the engine that issues the I/O, and leaves the load to fio where fio makes it.
    pub fn set_effective_engine(&mut self, name: &str) {
        match self.ioengine.as_str() {
            "fio" => drop(self.engine_options.insert("ioengine".into(), name.into())),
            _ => self.ioengine = name.into(),
        }
    }

    /// Whether any direction has a speed limit.
    pub fn is_paced(&self) -> bool {
        let PerDirection { read, write, trim } = self.rates;
        !(read.is_free() && write.is_free() && trim.is_free())
    }

    /// Bytes that each job moves before it ends, where it ends by itself and its range has `range_bytes`.
    pub fn bytes_to_move(&self, range_bytes: u64) -> Option<u64> {
        let once = if self.io_size > 0 {
            self.io_size
        } else {
            range_bytes
        };
        (!self.time_based).then(|| once.saturating_mul(u64::from(self.loops.max(1))))
    }

    /// The command of the engine of that name, short.
    fn command_phrase(&self) -> String {
        let shown = command_shown(
            self.engine_options
                .get("command")
                .map_or("", String::as_str),
        );
        let again = match self.engine_options.contains_key("again") {
            true => ", run again for each window",
            false => "",
        };
        format!("the command `{shown}`{again}")
    }

    /// For people: `4K random read, depth 32, direct`, and what runs beside it.
    pub fn phrase(&self) -> String {
        let own = self.own_phrase();
        match &self.beside {
            Some(command) => format!("{own}, beside `{}`", command_shown(command)),
            None => own,
        }
    }

    fn own_phrase(&self) -> String {
        let jobs = |word: &str| {
            if self.numjobs == 1 {
                String::new()
            } else {
                format!(", {} {word}", self.numjobs)
            }
        };
        match self.ioengine.as_str() {
            "none" => return "the load that is there".into(),
            "command" => return self.command_phrase(),
            "files" => return format!("small files{}", jobs("jobs")),
            "dataset" => {
                let cache = self
                    .engine_options
                    .get("cache")
                    .map(|word| format!(", {word}"));
                let cache = cache.unwrap_or_default();
                return format!("data set of files{cache}{}", jobs("readers"));
            }
            _ => {}
        }
        let size = match self.bs {
            bs if bs.is_multiple_of(1 << 20) => format!("{}M", bs >> 20),
            bs if bs.is_multiple_of(1 << 10) => format!("{}K", bs >> 10),
            bs => format!("{bs} B"),
        };
        let jobs = if self.numjobs == 1 {
            String::new()
        } else {
            format!("{} jobs, ", self.numjobs)
        };
        let cache = if self.direct { "direct" } else { "buffered" };
        format!(
            "{size} {}, {jobs}depth {}, {cache}",
            self.rw.phrase(),
            self.iodepth
        )
    }
}

/// A command as a phrase has it: short, on one line, without its secrets.
pub fn command_shown(command: &str) -> String {
    clean_to(&secret::shell_command(command), COMMAND_SHOWN_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrase_names_what_matters() {
        let job = Job {
            numjobs: 4,
            bs: 1 << 20,
            direct: false,
            rw: Rw::Write,
            ..Job::default()
        };
        assert_eq!(
            job.phrase(),
            "1M sequential write, 4 jobs, depth 32, buffered"
        );
    }

    #[test]
    fn the_engine_behind_fio_is_fios_own() {
        let mut job = Job {
            ioengine: "fio".into(),
            ..Job::default()
        };
        assert_eq!(job.effective_engine(), "libaio");
        job.direct = false;
        assert_eq!(job.effective_engine(), "psync");
        job.set_effective_engine("io_uring");
        assert_eq!(
            (job.effective_engine(), job.ioengine.as_str()),
            ("io_uring", "fio")
        );
        let mut native = Job::default();
        native.set_effective_engine("psync");
        assert_eq!(
            (native.effective_engine(), native.engine_options.len()),
            ("psync", 0)
        );
    }

    #[test]
    fn what_is_handed_on_is_in_a_record_and_old_records_have_none() {
        let mut job = Job::default();
        let plain = serde_json::to_string(&job).unwrap();
        assert!(!plain.contains("handed_on"), "{plain}");
        assert_eq!(serde_json::from_str::<Job>(&plain).unwrap(), job);
        job.handed_on = vec![("zonemode".into(), "strided".into())];
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), job);
    }
}
