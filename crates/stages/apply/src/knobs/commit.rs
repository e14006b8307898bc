//! # Seconds between commits
//!
//! ## What it does
//! How often a file system writes out what has changed in it while nobody asks: ext4 ends a transaction of its journal
//! after this many seconds and flushes the disk's cache, btrfs writes its tree. What is synced by a program is not put off.
//!
//! ## Who should change it
//! Writers that do not call fsync, on disks that feel each commit: a longer interval gathers more changes of the same
//! blocks into one. Each write changes a file's times, so direct writes make commits too. Whoever calls fsync often gains
//! nothing.
//!
//! ## Risk and how it is undone
//! After a power cut everything of so many last seconds is lost that was not synced, with `commit=30` half a minute of
//! files and names. It is an option of the file system: all of its mounts have it. iodyno remounts with this one option and
//! leaves the others as they are; the old value is in the journal, and `iodyno undo` remounts with it. A file system that was mounted
//! anew has its own options and is left alone. To keep it, put `commit=30` among the options in /etc/fstab.
//!
//! ## Kernel versions
//! 5.2 and newer, with `fsconfig`, for ext3 and ext4 with a journal and for btrfs. The defaults are 5 s and 30 s. The
//! kernel takes 0 for its default; iodyno does not write it.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --budget 20m --knob commit=5,30
//! ```
//!
//! ## Sources
//! - ext4(5), btrfs(5); Linux `fs/jbd2/transaction.c`, `fs/btrfs/disk-io.c`, `transaction_kthread`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "commit",
    since: "0.1.0",
    summary: "seconds after which a file system writes out its changes unasked",
    on: SubjectKind::FileSystem,
    attribute: "commit",
    // No memory of its own: a slow window ends with a sync, and that is a commit.
    class: Class::Slow,
    risk: Risk::NeedsCare,
    refusals: &values::NO_REMOUNT,
    load: "--rw randwrite --budget 20m",
    pointless: loads::of_writes,
    choices: |file_system| values::choices(&KNOB, file_system, &["5", "30"]),
    rejects: |file_system, value| {
        values::outside(value, 1..=300, "seconds").or_else(|| values::read_only(file_system))
    },
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::file_system;

    #[test]
    fn tries_what_differs_from_its_own() {
        let choices = |fstype, options, ext4| (KNOB.choices)(&file_system(fstype, options, ext4));
        let journal = "commit=5\ndata=ordered\n";
        assert_eq!(choices("ext4", "rw", journal), ["5", "30"]);
        assert_eq!(choices("btrfs", "rw,commit=120", ""), ["120", "5", "30"]);
        assert_eq!(choices("btrfs", "rw", ""), ["30", "5"]);
        assert!(
            choices("ext4", "rw", "commit=5\n").is_empty(),
            "without a journal"
        );
        assert!(choices("xfs", "rw", "").is_empty());
    }

    #[test]
    fn takes_seconds_where_something_can_be_written() {
        let rejects = |options, value| (KNOB.rejects)(&file_system("btrfs", options, ""), value);
        assert_eq!(rejects("rw", "60"), None);
        for value in ["0", "301", "5s", "5,ro", ""] {
            assert!(rejects("rw", value).is_some(), "{value}");
        }
        assert!(rejects("ro", "60").unwrap().contains("read-only"));
    }
}
