//! # Waiting for others before a commit
//!
//! ## What it does
//! The most microseconds for which an fsync waits before it commits ext4's journal, so that what others sync meanwhile goes
//! along in one commit. It waits as long as commits took lately, and no longer than this; 0 does not wait.
//!
//! ## Who should change it
//! Databases and mail servers whose many threads call fsync at once gain by waiting on slow disks. One writer alone, or a fast disk
//! whose flush takes less than a wake-up, may gain by 0.
//!
//! ## Risk and how it is undone
//! None for data: what fsync promised is kept. It is an option of the file system: all of its mounts have it. iodyno remounts
//! with this one option and leaves the others as they are; the old value is in the journal, and `iodyno undo` remounts with it. A
//! file system that was mounted anew has its own options and is left alone. To keep it, put `max_batch_time=0` among the
//! options in /etc/fstab.
//!
//! ## Kernel versions
//! 5.2 and newer, with `fsconfig`, for ext4 with a journal; the option itself is of 2.6.29. The default is 15000.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --iodepth 1 --numjobs 8 --fsync 1 --knob max_batch_time=0
//! ```
//!
//! ## Sources
//! - ext4(5), `max_batch_time`; Linux `fs/jbd2/transaction.c`, `jbd2_journal_stop`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "max_batch_time",
    since: "0.1.0",
    summary: "how long an fsync on ext4 waits for others to join its commit, µs",
    on: SubjectKind::FileSystem,
    attribute: "max_batch_time",
    class: Class::Fast,
    // The journal goes by a running average of its commits.
    memory_ms: 5_000,
    risk: Risk::CostsLatency,
    refusals: &values::NO_REMOUNT,
    load: "--rw randwrite --numjobs 8 --fsync 1",
    pointless,
    choices: |file_system| values::choices(&KNOB, file_system, &["0", "15000"]),
    rejects: |file_system, value| {
        values::outside(value, 0..=1_000_000, "µs").or_else(|| values::read_only(file_system))
    },
    ..Knob::PLAIN
};

fn pointless(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let syncs = job.fsync > 0 || job.fdatasync > 0;
    match (syncs, job.numjobs) {
        (false, _) => Some("it acts on fsync".into()),
        (true, 1) => Some("one job alone has nobody to wait for".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::file_system;

    #[test]
    fn tries_not_to_wait() {
        let ext4 = |options| file_system("ext4", "rw", options);
        let journal = ext4("max_batch_time=15000\ndata=ordered\n");
        assert_eq!((KNOB.choices)(&journal), ["15000", "0"]);
        assert!(
            (KNOB.choices)(&ext4("max_batch_time=15000\n")).is_empty(),
            "without a journal"
        );
        assert!((KNOB.rejects)(&journal, "1000001").is_some());
    }

    #[test]
    fn acts_where_several_sync() {
        let files = file_system("ext4", "rw", "");
        let why = |fsync, numjobs| {
            pointless(
                &files,
                &Job {
                    fsync,
                    numjobs,
                    ..Job::default()
                },
                &[],
            )
        };
        assert!(why(0, 8).unwrap().contains("fsync"));
        assert!(why(1, 1).unwrap().contains("alone"));
        assert_eq!(why(1, 8), None);
    }
}
