//! On which loads a setting or a fact acts: one answer for whoever asks whether a difference matters for a job.

use model::job::Job;

/// The loads that a thing acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActsOn {
    /// Every load.
    Any,
    /// Loads through the page cache.
    Buffered,
    /// Reads through the page cache.
    BufferedReads,
    /// Writes through the page cache.
    BufferedWrites,
    /// Writes.
    Writes,
    /// Blocks of 64 KiB and more, or what the kernel makes such blocks of.
    LargeBlocks,
    /// More than eight I/Os in flight.
    DeepQueues,
    /// Blocks below 64 KiB.
    SmallBlocks,
    /// Linux AIO: whether its requests are admitted, not how fast they are.
    Libaio,
    /// No I/O of a disk.
    Nothing,
}

impl ActsOn {
    /// Whether it acts on this job.
    pub fn acts(self, job: &Job) -> bool {
        match self {
            ActsOn::Any => true,
            ActsOn::Buffered => !job.direct,
            ActsOn::BufferedReads => !job.direct && job.rw.reads(),
            ActsOn::BufferedWrites => !job.direct && job.rw.writes(),
            ActsOn::Writes => job.rw.writes(),
            ActsOn::LargeBlocks => job.max_bs() >= 64 << 10 || (!job.rw.is_random() && !job.direct),
            ActsOn::DeepQueues => job.iodepth.saturating_mul(job.numjobs) > 8,
            ActsOn::SmallBlocks => job.max_bs() < 64 << 10,
            ActsOn::Libaio => job.effective_engine() == "libaio",
            ActsOn::Nothing => false,
        }
    }

    /// For people: it acts on …; none where it acts on no I/O.
    pub fn phrase(self) -> Option<&'static str> {
        Some(match self {
            ActsOn::Any => "every I/O",
            ActsOn::Buffered => "buffered I/O",
            ActsOn::BufferedReads => "buffered reads",
            ActsOn::BufferedWrites => "buffered writes",
            ActsOn::Writes => "writes",
            ActsOn::LargeBlocks => "large blocks",
            ActsOn::DeepQueues => "deep queues",
            ActsOn::SmallBlocks => "small blocks",
            ActsOn::Libaio => "jobs with ioengine=libaio",
            ActsOn::Nothing => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::Rw;

    #[test]
    fn dirty_pages_are_made_by_buffered_writes_alone() {
        let acts = |direct, rw| {
            ActsOn::BufferedWrites.acts(&Job {
                direct,
                rw,
                ..Job::default()
            })
        };
        assert!(acts(false, Rw::Write) && acts(false, Rw::Randrw));
        assert!(!acts(true, Rw::Write) && !acts(false, Rw::Read));
    }
}
