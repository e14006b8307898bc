//! # Times of files in memory
//!
//! ## What it does
//! With `lazytime` the times of a file (read, written, changed) that its writes and reads update stay in memory. They are
//! written with the next other change of the inode, with fsync, when the inode leaves memory, and after
//! `vm.dirtytime_expire_seconds`, half a day by default. Without it each of them makes the inode dirty and is a change
//! that a journal has to take.
//!
//! ## Who should change it
//! Databases and virtual machines that write in place, in files whose size stays: nearly all that their journal gets are
//! times. Trees with much reading and `strictatime` gain too. Files that grow change their inodes anyway.
//!
//! ## Risk and how it is undone
//! After a crash the times of files can be half a day too old, which backups and `make` may believe. Sizes and data are
//! not concerned. It is an option of the file system: all of its mounts have it. iodyno remounts with this one option and
//! leaves the others as they are; the old value is in the journal, and `iodyno undo` remounts with it. A file system that was
//! mounted anew has its own options and is left alone. To keep it, put `lazytime` among the options in /etc/fstab.
//!
//! ## Kernel versions
//! 5.2 and newer, with `fsconfig`, for ext4, xfs and btrfs; the option itself is of 4.0.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randwrite --budget 20m --knob lazytime
//! ```
//!
//! ## Sources
//! - mount(8), `lazytime`; Linux `fs/inode.c`, `generic_update_time`; `fs/fs-writeback.c`, `wakeup_dirtytime_writeback`

use crate::{Knob, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "lazytime",
    since: "0.1.0",
    summary: "whether the times of files stay in memory until something else is written",
    on: SubjectKind::FileSystem,
    attribute: "lazytime",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    refusals: &values::NO_REMOUNT,
    load: "--rw randwrite --budget 20m",
    pointless: loads::of_writes,
    choices: |file_system| values::choices(&KNOB, file_system, &VALUES),
    rejects: |file_system, value| {
        values::not_one_of(value, &VALUES).or_else(|| values::read_only(file_system))
    },
    ..Knob::PLAIN
};

const VALUES: [&str; 2] = ["off", "on"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::file_system;

    #[test]
    fn tries_the_other() {
        let choices = |fstype, options| (KNOB.choices)(&file_system(fstype, options, ""));
        assert_eq!(choices("ext4", "rw"), ["off", "on"]);
        assert_eq!(choices("xfs", "rw,lazytime"), ["on", "off"]);
        assert!(choices("nfs4", "rw").is_empty());
    }

    #[test]
    fn takes_no_option_s_word() {
        let rejects = |options, value| (KNOB.rejects)(&file_system("xfs", options, ""), value);
        assert_eq!(rejects("rw", "on"), None);
        for value in ["lazytime", "1", "on,ro", ""] {
            assert!(
                rejects("rw", value).unwrap().contains("off or on"),
                "{value}"
            );
        }
        assert!(rejects("ro", "on").is_some());
    }
}
