//! # Access times
//!
//! Also: `relatime`, `strictatime`, `noatime`, `nodiratime`.
//!
//! ## What it does
//! Decides when reading a file updates the access time (atime) in its inode. `strictatime` does so at every read,
//! `relatime` where the old time is older than the last change or than a day, `noatime` never. An update makes the inode
//! dirty, and the file system writes it later: reads cause writes.
//!
//! ## Who should change it
//! Storage with many files that are read and seldom changed: mail spools, build trees, web caches, backups that walk the
//! whole tree. With `relatime`, the default since Linux 2.6.30, each file costs one update a day at most; with
//! `strictatime` `noatime` is a large gain. A load that reads one large file hardly shows a difference.
//!
//! ## Risk and how it is undone
//! Programs that compare access times stop working as meant with `noatime`: some mail readers (new mail), `tmpwatch` and
//! systemd-tmpfiles (age of files). Access times that were not written are not made up for. iodyno changes this flag of
//! this one mount, through a descriptor of it, and leaves nosuid, nodev, ro and nodiratime as they are; other mounts of the
//! file system keep theirs. The old value is in the journal; `iodyno undo` remounts with it and reads the mount table. A
//! file system that was mounted anew at the same place has its own options and is left alone. `--persist` shows the change of
//! /etc/fstab that keeps it, and makes it with `--write-proposal`.
//!
//! ## Kernel versions
//! 5.12 and newer, with `mount_setattr`. An older kernel can only set all flags of a mount together, and iodyno refuses.
//! From Linux 6.8 on a mount is told from a later one by an id that is not used again.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --direct 0 --budget 20m --knob atime=strictatime,noatime
//! ```
//!
//! ## Sources
//! - mount_setattr(2), mount(8); Linux `fs/inode.c`, `atime_needs_update`, and `fs/namespace.c`, `do_mount_setattr`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "atime",
    since: "0.1.0",
    summary: "when reading a file updates its access time",
    on: SubjectKind::Mount,
    attribute: "atime",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    refusals: &[
        (
            libc::ENOSYS,
            "only Linux 5.12 and newer can change one flag of a mount",
        ),
        (
            libc::EPERM,
            "the kernel does not let this process change the mount: it needs CAP_SYS_ADMIN where it was mounted",
        ),
    ],
    load: "--budget 20m",
    pointless: loads::of_reads,
    choices,
    rejects,
    ..Knob::PLAIN
};

/// `strictatime` is not among the choices: nobody gains from it.
const WORTH_TRYING: [&str; 2] = ["relatime", "noatime"];
const VALUES: [&str; 3] = ["relatime", "noatime", "strictatime"];

fn choices(mount: &SubjectFiles) -> Vec<String> {
    values::choices(&KNOB, mount, &WORTH_TRYING)
}

fn rejects(_: &SubjectFiles, value: &str) -> Option<String> {
    values::not_one_of(value, &VALUES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Archive, Host};
    use model::change::Attribute;
    use model::job::Job;
    use model::subject::Subject;

    fn mount(options: &str) -> Option<SubjectFiles> {
        let table = format!("66 1 7:1 / /srv {options} - ext4 /dev/loop1 rw\n");
        let mut archive = Archive::default();
        archive.insert("/proc/self/mountinfo", Attribute::Value(table));
        let (devno, point) = ("7:1".to_string(), "/srv".to_string());
        SubjectFiles::of(
            &Host::from_archive(archive),
            Subject::Mount { devno, point },
        )
    }

    #[test]
    fn tries_what_saves_writes() {
        let choices = |options: &str| choices(&mount(options).unwrap());
        assert_eq!(choices("rw,relatime"), ["relatime", "noatime"]);
        assert_eq!(choices("rw,noatime"), ["noatime", "relatime"]);
        assert_eq!(choices("rw"), ["strictatime", "relatime", "noatime"]);
    }

    #[test]
    fn takes_the_three_words_alone() {
        let mount = mount("rw").unwrap();
        assert!(VALUES.iter().all(|value| rejects(&mount, value).is_none()));
        for value in ["ro", "lazytime", "atime", "noatime,ro", ""] {
            assert!(rejects(&mount, value).unwrap().contains("strictatime"));
        }
    }

    #[test]
    fn a_load_that_does_not_read_updates_no_access_time() {
        let mount = mount("rw").unwrap();
        let job = Job {
            rw: model::job::Rw::Write,
            ..Job::default()
        };
        assert!((KNOB.pointless)(&mount, &job, &[]).is_some());
    }
}
