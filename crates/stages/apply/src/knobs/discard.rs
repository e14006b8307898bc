//! # Discards with each deletion
//!
//! Also: `fstrim`, TRIM, UNMAP.
//!
//! ## What it does
//! Whether a file system tells the disk which blocks it has freed (discard, TRIM) as soon as the deletion is committed.
//! btrfs has two ways: `sync` with the commit, and `async`, which gathers them and sends them later at a bounded rate.
//!
//! ## Who should change it
//! Whoever deletes much on a disk whose discards are slow, as SATA disks without queued TRIM are: everything else waits
//! for them. Without the option let `fstrim.timer` do it once a week. Disks that are thinly provisioned, and SSDs that are
//! nearly full, are better off with it.
//!
//! ## Risk and how it is undone
//! Discarded blocks cannot be read again by tools that bring deleted files back. It is an option of the file system: all of
//! its mounts have it. iodyno remounts with this one option and leaves the others as they are; the old value is in the
//! journal, and `iodyno undo` remounts with it. A file system that was mounted anew has its own options and is left alone.
//! To keep it, put `discard` or `nodiscard` among the options in /etc/fstab.
//!
//! ## Kernel versions
//! 5.2 and newer, with `fsconfig`, for ext4 (`off`, `on`) and btrfs (`off`, `async`, `sync`; `async` since 5.6, and the
//! default for disks that discard since 6.2). xfs takes the option by remount and ignores it (seen on Linux 6.18), so it
//! is not offered there. ext4 has it by default where `tune2fs -o discard` has written so.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command ./make-and-delete.sh --metric-regex '([0-9.]+) files/s' --budget 15m --knob discard=off
//! ```
//!
//! ## Sources
//! - ext4(5), btrfs(5), `discard`; fstrim(8); Linux `fs/ext4/mballoc.c`, `fs/btrfs/discard.c`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "discard",
    since: "0.1.0",
    summary: "whether freed blocks are discarded with each deletion",
    on: SubjectKind::FileSystem,
    attribute: "discard",
    // Discards follow with the commit, up to 5 s after the deletion on ext4.
    class: Class::Learned,
    memory_ms: 20_000,
    risk: Risk::NeedsCare,
    refusals: &values::NO_REMOUNT,
    load: "--command COMMAND",
    pointless,
    choices: |file_system| values::choices(&KNOB, file_system, &["off", "on", "async"]),
    rejects,
    ..Knob::PLAIN
};

/// btrfs writes elsewhere and frees what it replaces; others free blocks only where files are deleted or cut.
fn pointless(file_system: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let fstype = file_system.mount().map(|mount| mount.fstype);
    match (job.ioengine.as_str(), fstype.as_deref()) {
        ("command", _) => None,
        (_, Some("btrfs")) => loads::of_writes(file_system, job, named),
        _ => Some("it acts where files are deleted, and this load deletes none".into()),
    }
}

fn rejects(file_system: &SubjectFiles, value: &str) -> Option<String> {
    let fstype = file_system.mount().map(|mount| mount.fstype);
    let values: &[&str] = match fstype.as_deref() {
        Some("btrfs") => &["off", "async", "sync"],
        _ => &["off", "on"],
    };
    values::not_one_of(value, values).or_else(|| values::read_only(file_system))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::file_system;
    use model::job::Rw;

    #[test]
    fn tries_what_the_file_system_has() {
        let choices = |fstype, options, ext4| (KNOB.choices)(&file_system(fstype, options, ext4));
        assert_eq!(choices("ext4", "rw", "nodiscard\n"), ["off", "on"]);
        assert_eq!(choices("ext4", "rw", "discard\n"), ["on", "off"]);
        assert_eq!(choices("btrfs", "rw,discard=async", ""), ["async", "off"]);
        assert_eq!(choices("btrfs", "rw,discard", ""), ["sync", "off", "async"]);
        assert!(choices("xfs", "rw,discard", "").is_empty());
    }

    #[test]
    fn only_a_load_that_frees_blocks_feels_it() {
        let job = Job {
            rw: Rw::Randwrite,
            ..Job::default()
        };
        let why =
            |fstype, job: &Job| pointless(&file_system(fstype, "rw", "nodiscard\n"), job, &[]);
        assert!(why("ext4", &job).unwrap().contains("deleted"));
        assert_eq!(why("btrfs", &job), None);
        assert!(
            why("btrfs", &Job::default()).is_some(),
            "reads free nothing"
        );
    }
}
