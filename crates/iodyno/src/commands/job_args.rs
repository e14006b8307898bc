//! The workload on the command line, shared by `run` and `tune`, in fio's words.

use crate::exit::Failure;
use model::job::{Job, PerDirection, Rate, Rw};
use model::units::{parse_bytes, parse_duration_ms};
use pipeline::load::Consent;
use std::collections::BTreeMap;

/// Options that describe the load.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Load")]
pub struct JobArgs {
    /// read, write, randread, randwrite, rw or randrw; randread, with the engine stream write.
    #[arg(long, value_parser = parse_rw)]
    pub rw: Option<Rw>,
    /// Block size; 4k, with the engine stream 1m.
    #[arg(long, value_parser = parse_bytes)]
    pub bs: Option<u64>,
    /// I/Os in flight for each job; 32, with the engines stream and files 1.
    #[arg(long)]
    pub iodepth: Option<u32>,
    /// Threads that each run the job.
    #[arg(long, default_value_t = 1)]
    pub numjobs: u32,
    /// 1 for O_DIRECT, 0 for the page cache; 1, with the engines stream and files 0.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub direct: Option<u8>,
    /// Bytes of the target to use; the whole of a file or device, 1G of scratch in a directory.
    #[arg(long, value_parser = parse_bytes)]
    pub size: Option<u64>,
    /// How the load is made; `iodyno catalogue` lists the engines.
    #[arg(long, default_value = "io_uring")]
    pub ioengine: String,
    /// An option that only this engine has; `iodyno explain ENGINE` tells them. Repeat for more.
    #[arg(long = "engine-option", value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub engine_options: Vec<(String, String)>,
    /// Share of reads in a mix, per cent.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub rwmixread: u8,
    /// I/Os per second for each job; as fast as it goes without.
    #[arg(long)]
    pub rate_iops: Option<u64>,
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
    Rw::from_word(word).ok_or_else(|| "it is read, write, randread, randwrite, rw or randrw".into())
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it is NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

/// clap's parser for durations.
pub fn duration_ms(text: &str) -> Result<u64, String> {
    parse_duration_ms(text).map_err(|error| error.to_string())
}

impl JobArgs {
    /// The job with this seed, run for `runtime_ms` or as long as is usual for its engine.
    pub fn job(&self, runtime_ms: Option<u64>, randseed: u64) -> Result<Job, Failure> {
        let usual = pipeline::load::defaults::of(&self.ioengine);
        Ok(Job {
            rw: self.rw.unwrap_or(usual.rw),
            rwmixread: self.rwmixread,
            bs: self.bs.unwrap_or(usual.bs),
            size: self.size.unwrap_or(0),
            iodepth: self.iodepth.unwrap_or(usual.iodepth),
            numjobs: self.numjobs,
            direct: self.direct.map_or(usual.direct, |direct| direct == 1),
            runtime_ms: runtime_ms.unwrap_or(usual.runtime_ms),
            time_based: usual.time_based || runtime_ms.is_some(),
            rates: PerDirection::all(self.rate_iops.map_or(Rate::Free, Rate::Iops)),
            cpus_allowed: self.cpus_allowed.clone(),
            engine_options: self.engine_options()?,
            randseed,
            ..usual
        })
    }

    fn engine_options(&self) -> Result<BTreeMap<String, String>, Failure> {
        let mut options = BTreeMap::new();
        for (name, value) in &self.engine_options {
            if options.insert(name.clone(), value.clone()).is_some() {
                return Err(Failure::usage(format!("--engine-option {name} is given twice.")));
            }
        }
        Ok(options)
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
