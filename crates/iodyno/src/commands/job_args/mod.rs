//! The workload on the command line, shared by `run` and `tune`: in iodyno's own words, in fio's, from a job file, or
//! by the name of a preset.

mod ceph;
pub mod given;
mod own;
mod sections;

pub use sections::{Workload, preset};

use crate::exit::Failure;
use load::Consent;
use model::job::{Arrivals, Rw};
use model::units::{parse_bytes, parse_duration_ms};
use std::path::PathBuf;

/// Options that describe the load.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Load")]
pub struct JobArgs {
    /// A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them.
    #[arg(long)]
    pub preset: Option<String>,
    /// A fio job file.
    #[arg(long = "job", value_name = "FILE.fio", conflicts_with = "preset")]
    pub job_file: Option<PathBuf>,
    /// Only these sections of the job file.
    #[arg(long, value_name = "NAME", requires = "job_file")]
    pub section: Vec<String>,
    /// native, or fio: the fio that is installed here runs the same job.
    #[arg(long, value_name = "ENGINE", default_value = "native", value_parser = ["native", "fio"])]
    pub engine: String,
    /// read, write, randread, randwrite, rw, randrw, trim or randtrim [default: randread].
    #[arg(long, value_parser = parse_rw)]
    pub rw: Option<Rw>,
    /// Block size [default: 4k].
    #[arg(long, value_parser = parse_bytes)]
    pub bs: Option<u64>,
    /// I/Os in flight for each job [default: 32].
    #[arg(long)]
    pub iodepth: Option<u32>,
    /// Threads that each run the job [default: 1].
    #[arg(long)]
    pub numjobs: Option<u32>,
    /// 1 for O_DIRECT, 0 for the page cache [default: 1].
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub direct: Option<u8>,
    /// Bytes of the target to use [default: the whole of a file or device, 1G of scratch in a directory].
    #[arg(long, value_parser = parse_bytes)]
    pub size: Option<u64>,
    /// What produces the load: io_uring, libaio, psync and more; `iodyno catalogue` lists them [default: io_uring].
    #[arg(long)]
    pub ioengine: Option<String>,
    /// A shell command that makes the load, all its words in one: 'pgbench -P 1 -c 8 -T 3600 bench'. It does what you
    /// could do yourself.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["preset", "job_file", "words", "engine", "rw", "bs", "iodepth",
        "numjobs", "direct", "size", "ioengine", "engine_option", "rwmixread", "rate_iops", "open_loop", "fsync", "cpus_allowed"])]
    pub command: Option<String>,
    /// Which lines of the command tell its rate: the numbers in the groups are added up [default: those of pgbench -P 1
    /// and sysbench --report-interval=1].
    #[arg(long, value_name = "REGEX", requires = "command")]
    pub metric_regex: Option<String>,
    /// Which way the printed rate is better: higher or lower [default: higher].
    #[arg(long, value_name = "WAY", requires = "command", value_parser = ["higher", "lower"])]
    pub metric_better: Option<String>,
    /// An option of that engine alone: `iodyno explain ENGINE` lists them.
    #[arg(long, value_name = "NAME=VALUE")]
    pub engine_option: Vec<String>,
    /// Share of reads in a mix, per cent [default: 50].
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub rwmixread: Option<u8>,
    /// I/Os per second for each job; as fast as it goes without.
    #[arg(long)]
    pub rate_iops: Option<u64>,
    /// With a rate: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival.
    #[arg(long)]
    pub open_loop: bool,
    /// With a rate: linear or poisson [default: linear].
    #[arg(long, value_parser = parse_arrivals)]
    pub arrivals: Option<Arrivals>,
    /// fsync after so many writes.
    #[arg(long)]
    pub fsync: Option<u32>,
    /// CPUs to pin the jobs to, such as 1 or 0,2.
    #[arg(long, value_delimiter = ',')]
    pub cpus_allowed: Vec<u32>,
    /// Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that.
    #[arg(long, value_parser = parse_bytes)]
    pub max_size: Option<u64>,
    /// Run each job at most so long, whatever it says.
    #[arg(long, value_parser = duration_ms)]
    pub max_runtime: Option<u64>,
    /// Allow writes to a block device: everything on it is lost.
    #[arg(long)]
    pub destroy_data: bool,
    /// Allow writes to an existing file: its content is lost.
    #[arg(long)]
    pub overwrite: bool,
    /// With --container and --overwrite or --destroy-data: the target once more, as it is named on this machine.
    #[arg(long, value_name = "PATH")]
    pub here: Option<PathBuf>,
    /// With --destroy-data: also when a file system or RAID signature is on the device.
    #[arg(long)]
    pub force_signature: bool,
    /// The job in fio's words: `-- -rw=randread -bs=4k -iodepth=32`, a whole fio line, or a dd or cp line.
    #[arg(last = true, allow_hyphen_values = true, value_name = "FIO", conflicts_with_all = ["preset", "job_file"])]
    pub words: Vec<String>,
}

fn parse_rw(word: &str) -> Result<Rw, String> {
    Rw::from_word(word).ok_or_else(|| {
        "it is read, write, randread, randwrite, rw, randrw, trim or randtrim".into()
    })
}

fn parse_arrivals(word: &str) -> Result<Arrivals, String> {
    match word {
        "linear" => Ok(Arrivals::Linear),
        "poisson" => Ok(Arrivals::Poisson),
        _ => Err("it is linear or poisson".into()),
    }
}

/// clap's parser for durations.
pub fn duration_ms(text: &str) -> Result<u64, String> {
    parse_duration_ms(text).map_err(|error| error.to_string())
}

impl JobArgs {
    /// The engine that was asked for.
    fn asked_engine(&self) -> Option<&str> {
        match self.command {
            Some(_) => Some(load::engines::command::ENGINE.id),
            None => self.ioengine.as_deref(),
        }
    }

    /// What the user allows to be destroyed.
    pub fn consent(&self) -> Consent {
        Consent {
            destroy_data: self.destroy_data,
            overwrite: self.overwrite,
            force_signature: self.force_signature,
            run_command: self.command.is_some(),
        }
    }
}

/// A seed nobody chose: from the clock, so that no two runs share it; it is printed and kept in the record.
pub fn fresh_seed() -> u64 {
    let mixed = host::clock::monotonic_ns()
        ^ host::clock::unix_ms().rotate_left(32)
        ^ u64::from(host::process::id());
    // Six digits can be typed again.
    stats::dice::mix64(mixed) >> 44
}

impl From<load::LoadError> for Failure {
    fn from(error: load::LoadError) -> Self {
        Failure::with(error.exit(), error.to_string(), error.parts())
    }
}
