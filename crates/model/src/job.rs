//! A workload, in fio's vocabulary.

use serde::{Deserialize, Serialize};

/// Direction and order of the I/O, named as fio's `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rw {
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Random reads.
    Randread,
    /// Random writes.
    Randwrite,
    /// Sequential mix.
    Rw,
    /// Random mix.
    Randrw,
}

impl Rw {
    /// All of them, in fio's order.
    pub const ALL: [Rw; 6] = [Rw::Read, Rw::Write, Rw::Randread, Rw::Randwrite, Rw::Rw, Rw::Randrw];

    /// fio's word.
    pub fn word(self) -> &'static str {
        match self {
            Rw::Read => "read",
            Rw::Write => "write",
            Rw::Randread => "randread",
            Rw::Randwrite => "randwrite",
            Rw::Rw => "rw",
            Rw::Randrw => "randrw",
        }
    }

    /// From fio's word; `readwrite` is `rw`.
    pub fn from_word(word: &str) -> Option<Rw> {
        if word == "readwrite" {
            return Some(Rw::Rw);
        }
        Rw::ALL.into_iter().find(|rw| rw.word() == word)
    }

    /// Whether offsets are random.
    pub fn is_random(self) -> bool {
        matches!(self, Rw::Randread | Rw::Randwrite | Rw::Randrw)
    }

    /// Whether any of the I/O writes.
    pub fn writes(self) -> bool {
        !matches!(self, Rw::Read | Rw::Randread)
    }

    /// Whether any of the I/O reads.
    pub fn reads(self) -> bool {
        !matches!(self, Rw::Write | Rw::Randwrite)
    }

    /// For people: `random read`.
    pub fn phrase(self) -> &'static str {
        match self {
            Rw::Read => "sequential read",
            Rw::Write => "sequential write",
            Rw::Randread => "random read",
            Rw::Randwrite => "random write",
            Rw::Rw => "sequential read/write mix",
            Rw::Randrw => "random read/write mix",
        }
    }
}

/// One workload. Every field has fio's meaning; times are in ms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Engine id: `io_uring` or `psync`.
    pub ioengine: String,
    /// Direction and order.
    pub rw: Rw,
    /// Share of reads in a mix, per cent.
    pub rwmixread: u8,
    /// Block size, bytes.
    pub bs: u64,
    /// Bytes of the target to use; 0 means all of a file or device, 1 GiB of scratch.
    pub size: u64,
    /// I/Os in flight for each job.
    pub iodepth: u32,
    /// Threads that each run the job.
    pub numjobs: u32,
    /// O_DIRECT.
    pub direct: bool,
    /// How long to run, ms.
    pub runtime_ms: u64,
    /// I/Os per second for each job, 0 for as fast as it goes.
    pub rate_iops: u64,
    /// CPUs to pin the jobs to, one after the other; empty leaves placement to the kernel.
    pub cpus_allowed: Vec<u32>,
    /// Drop the cached pages of the range before every pass over it, so that a buffered reader keeps reading from the
    /// device; what fio does with `loops` and `invalidate`.
    #[serde(default)]
    pub cold_passes: bool,
    /// Seed of offsets, mix and data.
    pub randseed: u64,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            ioengine: "io_uring".into(),
            rw: Rw::Randread,
            rwmixread: 50,
            bs: 4096,
            size: 0,
            iodepth: 32,
            numjobs: 1,
            direct: true,
            runtime_ms: 10_000,
            rate_iops: 0,
            cpus_allowed: Vec::new(),
            cold_passes: false,
            randseed: 1,
        }
    }
}

impl Job {
    /// For people: `4K random read, depth 32, direct`.
    pub fn phrase(&self) -> String {
        let size = match self.bs {
            bs if bs.is_multiple_of(1 << 20) => format!("{}M", bs >> 20),
            bs if bs.is_multiple_of(1 << 10) => format!("{}K", bs >> 10),
            bs => format!("{bs} B"),
        };
        let jobs = if self.numjobs == 1 { String::new() } else { format!("{} jobs, ", self.numjobs) };
        let cache = if self.direct { "direct" } else { "buffered" };
        format!("{size} {}, {jobs}depth {}, {cache}", self.rw.phrase(), self.iodepth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_fios() {
        for rw in Rw::ALL {
            assert_eq!(Rw::from_word(rw.word()), Some(rw));
            assert_eq!(serde_json::to_string(&rw).unwrap(), format!("\"{}\"", rw.word()));
        }
        assert_eq!(Rw::from_word("readwrite"), Some(Rw::Rw));
        assert_eq!(Rw::from_word("trim"), None);
    }

    #[test]
    fn phrase_names_what_matters() {
        let job = Job { numjobs: 4, bs: 1 << 20, direct: false, rw: Rw::Write, ..Job::default() };
        assert_eq!(job.phrase(), "1M sequential write, 4 jobs, depth 32, buffered");
    }
}
