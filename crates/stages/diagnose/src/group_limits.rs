//! What a control group's limit does to a job: hold it, hold it once the page cache is full, or be passed by.
//!
//! Seen on Linux 6.18 (version 1, ext4, a limit of 10 MiB/s on writes): direct writes, `O_SYNC` writes and writes that are
//! synced by who wrote them get 10 MiB/s, also through a mapping, since the process submits that I/O itself. Buffered
//! writes that nobody syncs went at 9 GiB/s, and the kernel's flusher, which is in the root group, wrote them uncharged.
//! Version 2 charges write-back to the group that made the pages dirty, on file systems that take part
//! (Documentation/admin-guide/cgroup-v2.rst, Writeback).

use super::facts::{CgroupLimit, RuleFacts, is_block_io};
use super::measured::MeasuredStage;
use model::iopath::LayerKind;
use model::job::{Job, SyncMode};
use model::record::LoadResult;

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

/// How a limit acts on a job that reads or writes what the limit is on.
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

/// How a limit acts on the jobs of these facts that it is on, the loosest first; none where it is on none of them.
pub fn hold_of(facts: &RuleFacts<'_>, limit: &CgroupLimit) -> Option<Hold> {
    let layers = facts.layers();
    let of_files = layers
        .iter()
        .rfind(|layer| layer.kind == LayerKind::FileSystem);
    let fstype = of_files.and_then(|layer| layer.fact("fstype"));
    let is_on = |job: &&Job| match limit.is_on_reads() {
        true => job.rw.reads(),
        false => job.rw.writes(),
    };
    let jobs = facts.sections.iter().map(|section| &section.job);
    let holds = jobs
        .filter(|job| is_block_io(job))
        .filter(is_on)
        .map(|job| hold(limit, job, fstype));
    holds.max_by_key(|hold| *hold as u8)
}

/// So far from the limit is no measuring error.
const NEAR: f64 = 0.03;
/// What the kernel may give in advance: it counts by slices of 100 ms, and lets through what the next one has
/// (`block/blk-throttle.c`; 10.6 MiB/s of 10 in 3 s on Linux 6.18).
const AHEAD_S: f64 = 0.2;

/// The limits that the rate of a stage is.
pub fn reached<'f>(facts: &'f RuleFacts<'_>, stage: &MeasuredStage<'_>) -> Vec<&'f CgroupLimit> {
    let mut limits = facts.limits();
    let holds = |limit: &CgroupLimit| !matches!(hold_of(facts, limit), None | Some(Hold::PassedBy));
    limits.retain(|limit| holds(limit) && is_reached(limit, stage));
    limits
}

fn is_reached(limit: &CgroupLimit, stage: &MeasuredStage<'_>) -> bool {
    let seconds = stage.window.length_ms().max(1.0) / 1e3;
    let sections = || stage.sections.iter();
    let of = |load: &LoadResult| match limit.is_on_reads() {
        true => load.read.ios,
        false => load.write.ios,
    };
    let (done, one) = match (limit.is_in_bytes(), limit.is_on_reads()) {
        (false, _) => (sections().map(|section| of(&section.load)).sum(), 1),
        (true, is_on_reads) => {
            let bytes = if is_on_reads {
                stage.read_bytes
            } else {
                stage.write_bytes
            };
            let largest = sections().map(|section| section.job.max_bs()).max();
            (bytes as u64, largest.unwrap_or(0))
        }
    };
    let most = limit.limit.max(1) as f64;
    let ahead = AHEAD_S * most + one as f64;
    let allowed = most * seconds;
    (allowed * (1.0 - NEAR)..=allowed * (1.0 + NEAR) + ahead).contains(&(done as f64))
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
