//! The workload on the command line, shared by `run` and `tune`, in fio's words.

use crate::exit::Failure;
use model::job::{Arrivals, Job, PerDirection, Rate, Rw};
use model::units::{parse_bytes, parse_duration_ms};
use pipeline::load::Consent;

/// Options that describe the load.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Load")]
pub struct JobArgs {
    /// read, write, randread, randwrite, rw, randrw, trim or randtrim.
    #[arg(long, default_value = "randread", value_parser = parse_rw)]
    pub rw: Rw,
    /// Block size.
    #[arg(long, default_value = "4k", value_parser = parse_bytes)]
    pub bs: u64,
    /// I/Os in flight for each job.
    #[arg(long, default_value_t = 32)]
    pub iodepth: u32,
    /// Threads that each run the job.
    #[arg(long, default_value_t = 1)]
    pub numjobs: u32,
    /// 1 for O_DIRECT, 0 for the page cache.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub direct: u8,
    /// Bytes of the target to use; the whole of a file or device, 1G of scratch in a directory.
    #[arg(long, value_parser = parse_bytes)]
    pub size: Option<u64>,
    /// io_uring, libaio, psync, sync, pvsync2 or mmap.
    #[arg(long, default_value = "io_uring")]
    pub ioengine: String,
    /// Share of reads in a mix, per cent.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub rwmixread: u8,
    /// I/Os per second for each job; as fast as it goes without.
    #[arg(long)]
    pub rate_iops: Option<u64>,
    /// Submit I/Os by the clock whether or not earlier ones came back, and count latency from when they were due. Needs
    /// --rate-iops and an engine with a depth.
    #[arg(long)]
    pub open_loop: bool,
    /// How the I/Os of a limited rate arrive: evenly (linear) or at random, as independent clients do (poisson).
    #[arg(long, default_value = "linear", value_parser = parse_arrivals)]
    pub arrivals: Arrivals,
    /// CPUs to pin the jobs to, such as 1 or 0,2.
    #[arg(long, value_delimiter = ',')]
    pub cpus_allowed: Vec<u32>,
    /// Allow writes to a block device: everything on it is lost.
    #[arg(long)]
    pub destroy_data: bool,
    /// Allow writes to an existing file: its content is lost.
    #[arg(long)]
    pub overwrite: bool,
    /// With --destroy-data: also when a file system or RAID signature is on the device.
    #[arg(long)]
    pub force_signature: bool,
}

fn parse_rw(word: &str) -> Result<Rw, String> {
    Rw::from_word(word)
        .ok_or_else(|| "it is read, write, randread, randwrite, rw, randrw, trim or randtrim".into())
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
    /// The job, run for `runtime_ms` with this seed.
    pub fn job(&self, runtime_ms: u64, randseed: u64) -> Job {
        Job {
            ioengine: self.ioengine.clone(),
            rw: self.rw,
            rwmixread: self.rwmixread,
            bs: self.bs,
            size: self.size.unwrap_or(0),
            iodepth: self.iodepth,
            numjobs: self.numjobs,
            direct: self.direct == 1,
            runtime_ms,
            arrivals: self.arrivals,
            open_loop: self.open_loop,
            rates: PerDirection::all(self.rate_iops.map_or(Rate::Free, Rate::Iops)),
            cpus_allowed: self.cpus_allowed.clone(),
            randseed,
            ..Job::default()
        }
    }

    /// What the user allows to be destroyed.
    pub fn consent(&self) -> Consent {
        Consent {
            destroy_data: self.destroy_data,
            overwrite: self.overwrite,
            force_signature: self.force_signature,
        }
    }
}

/// A seed nobody chose: from the clock, so that no two runs share it; it is printed and kept in the record.
pub fn fresh_seed() -> u64 {
    let mixed =
        host::clock::monotonic_ns() ^ host::clock::unix_ms().rotate_left(32) ^ u64::from(host::process::id());
    // Six digits can be typed again.
    mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44
}

impl From<pipeline::load::LoadError> for Failure {
    fn from(error: pipeline::load::LoadError) -> Self {
        use crate::exit::Exit;
        use pipeline::load::ExitClass;
        let exit = match error.exit_class() {
            ExitClass::Usage => Exit::Usage,
            ExitClass::Rights => Exit::Rights,
            ExitClass::Refused => Exit::Refused,
            ExitClass::Failed => Exit::Failed,
            ExitClass::Interrupted => Exit::Interrupted,
        };
        Failure::new(exit, error.to_string())
    }
}
