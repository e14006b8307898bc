//! # Read-ahead of inodes
//!
//! ## What it does
//! How many blocks of its inode tables ext4 reads together when it needs one inode that is not in memory. 0 and 1 read
//! the one block alone.
//!
//! ## Who should change it
//! Trees of many small files that are walked cold: backups, `find`, `rsync`, web servers after a start. Files of one
//! directory have their inodes side by side, so a larger number makes fewer and longer reads, above all on hard disks.
//! Lookups at random read too much with it.
//!
//! ## Risk and how it is undone
//! None for data. It is an option of the file system: all of its mounts have it. iodyno remounts with this one option and
//! leaves the others as they are; the old value is in the journal, and `iodyno undo` remounts with it. A remount drops the
//! names that nobody uses from memory, whichever value it sets. A file system that was mounted anew has its own options
//! and is left alone. To keep it, put `inode_readahead_blks=64` among the options in /etc/fstab.
//!
//! ## Kernel versions
//! 5.2 and newer, with `fsconfig`, for ext4; the option itself is of 2.6.28. The kernel takes powers of two and 0.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command ./walk-the-tree.sh --metric-regex '([0-9.]+) files/s' --budget 15m --knob inode_readahead_blks=32,256
//! ```
//!
//! ## Sources
//! - ext4(5), `inode_readahead_blks`; Linux `fs/ext4/inode.c`, `__ext4_get_inode_loc`; `fs/super.c`, `reconfigure_super`

use crate::{Knob, SubjectFiles, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "inode_readahead_blks",
    since: "0.1.0",
    summary: "how many blocks of inodes ext4 reads together",
    on: SubjectKind::FileSystem,
    attribute: "inode_readahead_blks",
    class: Class::Learned,
    risk: Risk::Safe,
    refusals: &values::NO_REMOUNT,
    load: "--command COMMAND",
    pointless,
    choices: |file_system| values::choices(&KNOB, file_system, &["32", "8", "128"]),
    rejects,
    ..Knob::PLAIN
};

/// Every load of iodyno's own that a tune takes has its files open.
fn pointless(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let looks_up = job.ioengine == "command";
    (!looks_up).then(|| "it acts where many files are looked up, and this load opens few".into())
}

fn rejects(file_system: &SubjectFiles, value: &str) -> Option<String> {
    let is_power = |number: u64| number == 0 || number.is_power_of_two();
    match value.parse::<u64>() {
        Ok(number) if number <= MOST && !is_power(number) => {
            Some("it is 0 or a power of two".into())
        }
        _ => values::outside(value, 0..=MOST, "blocks").or_else(|| values::read_only(file_system)),
    }
}

/// 64 MiB of blocks of 4 KiB; a group's table is shorter.
const MOST: u64 = 16_384;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::file_system;

    #[test]
    fn tries_more_and_less() {
        let ext4 = |now: &str| file_system("ext4", "rw", &format!("inode_readahead_blks={now}\n"));
        assert_eq!((KNOB.choices)(&ext4("32")), ["32", "8", "128"]);
        assert_eq!((KNOB.choices)(&ext4("64")), ["64", "32", "8", "128"]);
        assert!((KNOB.choices)(&file_system("xfs", "rw", "")).is_empty());
        assert_eq!(rejects(&ext4("32"), "0"), None);
        for value in ["33", "16385", "32768", "-1", ""] {
            assert!(rejects(&ext4("32"), value).is_some(), "{value}");
        }
    }

    #[test]
    fn a_load_on_open_files_does_not_feel_it() {
        assert!(pointless(&file_system("ext4", "rw", ""), &Job::default(), &[]).is_some());
    }
}
