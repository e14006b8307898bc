//! # A journal whose commit is slow
//!
//! Also: `jbd2`, journal commit.
//!
//! ## What it finds
//! Synced writes that spend a fifth of their time and more waiting for the commit of the file system's journal while the disk below
//! has nothing to do.
//!
//! ## Why it matters
//! Each fsync waits for a commit, and a commit for the journal: where that is slower than the disk, as on a device of its own, in a
//! batch that waits for others, or behind locks, no faster disk helps.
//!
//! ## What to try
//! See where the journal lies (`dumpe2fs -h`, `xfs_info`): an external one has to be the fastest device of all. `max_batch_time=0`
//! of ext4 ends the waiting for other syncs. Fewer files that are synced, or `fdatasync`, need fewer commits.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@20ms elapsed=2s depth=1
//! tasks: run=40ms
//! sleep: 30 160 jbd2_log_wait_commit ext4_sync_file do_fsync
//! span: sda write Q2C 200@1ms
//! span: sda write D2C 200@1ms
//! expect: warning says "jbd2_log_wait_commit" says "write and its fsync" about /srv
//! ```
//!
//! Others use the CPUs, but the load's own thread hardly waits for one:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@20ms elapsed=2s depth=1
//! tasks: run=40ms delay=20ms
//! user: stress-ng 1.9
//! sleep: 30 160 jbd2_log_wait_commit ext4_sync_file do_fsync
//! span: sda write Q2C 200@1ms
//! span: sda write D2C 200@1ms
//! expect: warning says "jbd2_log_wait_commit" about /srv
//! ```
//!
//! ## Stays silent
//! The disk takes the time:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@20ms elapsed=2s depth=1
//! tasks: run=40ms
//! sleep: 30 160 jbd2_log_wait_commit ext4_sync_file do_fsync
//! span: sda write Q2C 200@4500us
//! span: sda write D2C 200@4500us
//! span: sda flush Q2C 100@9ms
//! span: sda flush D2C 100@9ms
//! ```
//! Others use the CPUs. The load's own thread waits for one a fifth of its time, so the thread that commits may wait at each of its
//! steps:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@20ms elapsed=2s depth=1
//! tasks: run=40ms delay=400ms
//! user: stress-ng 1.9
//! sleep: 30 120 jbd2_log_wait_commit ext4_sync_file do_fsync
//! span: sda write Q2C 200@1ms
//! span: sda write D2C 200@1ms
//! ```
//! Without times by layer a flush cannot be told from a wait for nothing:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@20ms elapsed=2s depth=1
//! tasks: run=40ms
//! sleep: 30 160 jbd2_log_wait_commit ext4_sync_file do_fsync
//! ```
//!
//! ## Seen
//! On a live kernel: an ext4 whose journal lies on a loop device over two file systems that write everything at once (`sync`), where
//! 95 % of each write and its fsync were the commit's (Linux 6.18).
//!
//! ## Sources
//! - Linux `Documentation/filesystems/ext4/journal.rst`, external journal; ext4(5), `min_batch_time`, `max_batch_time`
//! - Linux `fs/jbd2/journal.c`, `jbd2_log_wait_commit`
//! - The fifth, and four waits for a CPU in each commit, are proposals of this project.

use crate::finding::{With, warning};
use crate::{Cause, Contrast, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "journal_commit_slow",
    since: "0.1.0",
    summary: "synced writes that wait for the journal's commit while the disk has nothing to do",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the journal lies on another device, and that one is slow: `dumpe2fs -h` or `xfs_info` names it",
        "others sync on the same file system, and commits queue up: then disk.flushes_per_s is above this load's own",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -fsync=1 -overwrite=1 -size=64m # again with -fdatasync=1 in place of -fsync=1: a sync of data in blocks that are not new needs no commit",
    ),
    contrast: Some(Contrast {
        with: "-rw=write -bs=4k -fsync=1 -overwrite=1 -size=64m",
        without: "-rw=write -bs=4k -fdatasync=1 -overwrite=1 -size=64m",
        words: "whose syncs need no commit (fdatasync of blocks that are not new)",
    }),
    knob: None,
    explains: &[TimePlace::Journal],
    yields_to: &[],
    judge,
};

/// Waiting for the commit from this share on counts.
const WAITED: f64 = 0.2;
/// The thread that commits is woken about so often for each sync: at the start, after the data, after the journal's blocks and
/// after the commit block (Linux `fs/jbd2/commit.c`). It may wait for a CPU each time; the load's own thread is woken once. The number
/// is a proposal of this project. Seen once each on Linux 6.18, beside up to eight busy loops on two CPUs: own wait 7 % and journal
/// 18 % of an fsync, or 14 % and 8 %, where the journal was sound; 2 % at the most and 95 to 97 % where it was slow.
const STEPS: f64 = 4.0;

/// What is left without the wait is hardly known, so that no more is promised than three times the rate.
const GAIN_MOST: f64 = 2.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let account = scene.account(Role::Fsync);
    let Some((layer, account)) = scene.file_system().zip(account) else {
        return Vec::new();
    };
    let part = account.part(TimePlace::Journal);
    let for_cpus = STEPS * account.share(TimePlace::CpuWait);
    let found = part
        .filter(|part| part.share - part.uncertainty - for_cpus >= WAITED)
        .map(|part| {
            let function = part.function.as_deref().unwrap_or("the commit");
            let mount = &layer.name;
            let claim = format!(
                "{} of each {} on {mount} is spent waiting for the journal's commit ({function}) while the disk has nothing to do.",
                units::share(part.share),
                account.io
            );
            warning(mount, claim)
                .shows("waiting for the commit", units::share(part.share))
                .shows("time of a write and its fsync", units::duration_ns(account.mean_us * 1e3))
                .shows("of it in the device", units::share(account.share(TimePlace::Device)))
                .refuted_by("writes without metadata take as long")
                .advise("Look where the journal lies and what else syncs there; put it on a device that is as fast as this one.")
                .gains((part.share / (1.0 - part.share).max(0.05)).min(GAIN_MOST))
        });
    found.into_iter().collect()
}
