//! How a control group's limit acts on a job: on every I/O, on what the page cache lets through, or not at all.
//!
//! Seen on Linux 6.18 (version 1, ext4, a limit of 10 MiB/s on writes): direct writes, `O_SYNC` writes and writes that are
//! synced by who wrote them get 10 MiB/s, also through a mapping, since the process submits that I/O itself. Buffered
//! writes that nobody syncs went at 9 GiB/s, and the kernel's flusher, which is in the root group, wrote them uncharged.
//! Version 2 charges write-back to the group that made the pages dirty, on file systems that take part
//! (Documentation/admin-guide/cgroup-v2.rst, Writeback).

use crate::job::{Job, SyncMode};
use crate::target::CgroupLimit;

/// File systems that charge write-back to the group that made the pages dirty, under version 2.
pub const CHARGED: &[&str] = &["ext2", "ext4", "btrfs", "f2fs", "xfs"];

/// How a limit acts on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// On every I/O.
    Every,
    /// On what reaches the device: the page cache takes or gives the rest.
    BehindCache,
    /// Not at all: the kernel writes in the name of the root group.
    PassedBy,
}

/// How a limit acts on a job that reads or writes what the limit is on, through a file system where that is known.
pub fn hold(limit: &CgroupLimit, job: &Job, fstype: Option<&str>) -> Hold {
    let is_synced = job.sync != SyncMode::None || job.fsync > 0 || job.fdatasync > 0;
    let is_charged = limit.version == 2 && fstype.is_none_or(|kind| CHARGED.contains(&kind));
    match (job.direct, limit.is_on_reads()) {
        (true, _) => Hold::Every,
        (false, true) => Hold::BehindCache,
        (false, false) if is_synced => Hold::Every,
        (false, false) if job.end_fsync || is_charged || limit.version == 0 => Hold::BehindCache,
        (false, false) => Hold::PassedBy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(version: u8) -> CgroupLimit {
        CgroupLimit {
            what: "wbps".into(),
            version,
            ..CgroupLimit::default()
        }
    }

    #[test]
    fn version_1_holds_what_the_process_submits() {
        let limit = writes(1);
        let of = |job: Job| hold(&limit, &job, Some("ext4"));
        let buffered = Job {
            direct: false,
            ..Job::default()
        };
        assert_eq!(of(Job::default()), Hold::Every);
        assert_eq!(of(buffered.clone()), Hold::PassedBy);
        let synced = Job {
            fsync: 8,
            ..buffered.clone()
        };
        assert_eq!(of(synced), Hold::Every);
        let ended = Job {
            end_fsync: true,
            ..buffered
        };
        assert_eq!(of(ended), Hold::BehindCache);
    }

    #[test]
    fn version_2_holds_write_back_where_it_is_charged() {
        let limit = writes(2);
        let job = Job {
            direct: false,
            ..Job::default()
        };
        assert_eq!(hold(&limit, &job, Some("xfs")), Hold::BehindCache);
        assert_eq!(hold(&limit, &job, Some("vfat")), Hold::PassedBy);
        assert_eq!(hold(&limit, &job, None), Hold::BehindCache, "a raw device");
    }
}
