//! Options of a file system: one is changed and no other, killed in the middle, put back, and left alone where the file
//! system was mounted anew.

use crate::mounts::Mounted;
use crate::support::{Iodyno, code, text};
use crate::undo::store_a_win_on;
use model::subject::{Subject, SubjectKind};
use std::process::Command;

fn subject(mounted: &Mounted) -> Subject {
    Subject::FileSystem {
        devno: mounted.options().1,
        point: mounted.point().to_string(),
    }
}

/// The lines of the mount table with this file system, each whole.
pub fn lines(mounted: &Mounted) -> Vec<String> {
    let (table, devno) = (
        std::fs::read_to_string("/proc/self/mountinfo").unwrap(),
        mounted.options().1,
    );
    let is_of = |line: &&str| line.split(' ').nth(2) == Some(devno.as_str());
    table.lines().filter(is_of).map(str::to_string).collect()
}

fn remount(point: &str, options: &str) {
    let status = Command::new("mount").args(["-o", options, point]).status();
    assert!(status.unwrap().success(), "{options}");
}

/// Applies a record that proved the value here; gives the journal's id.
fn apply(iodyno: &Iodyno, mounted: &Mounted, knob: &str, arms: [&str; 2]) -> String {
    let record = store_a_win_on(iodyno, &mounted.disk.name, knob, subject(mounted), arms);
    let (applied, output) = iodyno.json(&["apply", &record]);
    assert_eq!(code(&output), 0, "{knob}: {}", text(&output.stderr));
    applied["journal"].as_str().unwrap().to_string()
}

#[test]
fn one_option_changes_for_all_mounts_and_no_other() {
    let Some(mounted) = Mounted::with("ext4", "nosuid,noatime,commit=9,errors=remount-ro") else {
        return;
    };
    let second = mounted.bound("ro,noexec");
    let before = lines(&mounted);
    assert_eq!(before.len(), 2);
    let iodyno = Iodyno::new();
    for (knob, arms, word) in [
        ("commit", ["9", "30"], ["commit=9", "commit=30"]),
        ("lazytime", ["off", "on"], [" rw,", " rw,lazytime,"]),
        ("discard", ["off", "on"], [" rw,", " rw,discard,"]),
        (
            "max_batch_time",
            ["15000", "0"],
            ["commit=9", "commit=9,max_batch_time=0"],
        ),
        (
            "inode_readahead_blks",
            ["32", "8"],
            ["commit=9", "commit=9,inode_readahead_blks=8"],
        ),
    ] {
        let journal = apply(&iodyno, &mounted, knob, arms);
        let beside = |line: &String| {
            let (mount, own) = line.split_once(" - ").unwrap();
            format!("{mount} - {}", own.replacen(word[0], word[1], 1))
        };
        let expected: Vec<String> = before.iter().map(beside).collect();
        assert_eq!(lines(&mounted), expected, "{knob}");
        let undone = iodyno.run(&["undo", &journal]);
        assert_eq!(code(&undone), 0, "{knob}: {}", text(&undone.stderr));
        assert_eq!(lines(&mounted), before, "{knob}");
    }
    drop(second);
}

#[test]
fn what_a_remount_would_take_away_stays() {
    for (fstype, options, words) in [
        ("btrfs", "noacl,discard=async", ["noacl", "discard=async"]),
        ("xfs", "inode32", ["inode32", "logbufs="]),
    ] {
        let Some(mounted) = Mounted::with(fstype, options) else {
            continue;
        };
        let before = lines(&mounted);
        assert!(
            words.iter().all(|word| before[0].contains(word)),
            "{before:?}"
        );
        let iodyno = Iodyno::new();
        let journal = apply(&iodyno, &mounted, "lazytime", ["off", "on"]);
        assert_eq!(
            lines(&mounted)[0].replace(" rw,lazytime,", " rw,"),
            before[0]
        );
        assert_eq!(code(&iodyno.run(&["undo", &journal])), 0);
        assert_eq!(lines(&mounted), before);
    }
}

#[test]
fn a_file_system_that_is_read_only_now_stays_so_when_its_option_is_put_back() {
    let Some(mounted) = Mounted::with("ext4", "nosuid") else {
        return;
    };
    let iodyno = Iodyno::new();
    let journal = apply(&iodyno, &mounted, "commit", ["5", "30"]);
    remount(mounted.point(), "remount,ro");
    let refused = iodyno.run(&["set", "lazytime=on", mounted.point()]);
    assert!(
        text(&refused.stderr).contains("read-only"),
        "{}",
        text(&refused.stderr)
    );
    assert_eq!(code(&iodyno.run(&["undo", &journal])), 0);
    let line = lines(&mounted).remove(0);
    assert!(line.ends_with(" ro") && !line.contains("commit"), "{line}");
}

#[test]
fn a_file_system_that_was_mounted_anew_is_left_alone() {
    let Some(mounted) = Mounted::with("ext4", "nosuid") else {
        return;
    };
    let iodyno = Iodyno::new();
    let journal = apply(&iodyno, &mounted, "commit", ["5", "30"]);
    mounted.unmount();
    let gone = iodyno.run(&["undo", &journal]);
    assert_ne!(code(&gone), 0);
    assert!(
        text(&gone.stdout).contains("which is gone"),
        "{}",
        text(&gone.stdout)
    );
    mounted.mount("nosuid,commit=77");
    let other = iodyno.run(&["undo", &journal]);
    assert_ne!(code(&other), 0);
    let words = text(&other.stdout);
    assert!(
        words.contains("is there now: nothing was written"),
        "{words}"
    );
    assert!(lines(&mounted)[0].contains("commit=77"));
    assert_eq!(code(&iodyno.run(&["undo", "--forget", &journal])), 0);
}

#[test]
fn what_lasts_is_said_in_the_words_of_fstab() {
    let Some(mounted) = Mounted::with("ext4", "nosuid") else {
        return;
    };
    let iodyno = Iodyno::new();
    let arms = ["5", "30"];
    let record = store_a_win_on(
        &iodyno,
        &mounted.disk.name,
        "commit",
        subject(&mounted),
        arms,
    );
    let output = iodyno.run(&["apply", &record, "--persist"]);
    let words = text(&output.stderr);
    assert_ne!(code(&output), 0);
    assert!(
        words.contains("commit=30") && words.contains("/etc/fstab"),
        "{words}"
    );
    assert!(!lines(&mounted)[0].contains("commit"));
}

/// Also of those that the tests above do not name: what the knob tries last is applied and undone.
#[test]
fn every_option_of_a_file_system_is_put_back() {
    for (fstype, own) in [
        (
            "ext4",
            &[
                "commit",
                "discard",
                "inode_readahead_blks",
                "lazytime",
                "max_batch_time",
            ][..],
        ),
        ("btrfs", &["commit", "discard", "lazytime"]),
        ("xfs", &["lazytime"]),
    ] {
        let Some(mounted) = Mounted::with(fstype, "nosuid") else {
            continue;
        };
        let (iodyno, before, subject) = (Iodyno::new(), lines(&mounted), subject(&mounted));
        let of_file_system = apply::knobs::ALL
            .iter()
            .filter(|knob| knob.on == SubjectKind::FileSystem);
        let tried = of_file_system
            .filter(|knob| crate::every_knob::is_put_back(&iodyno, &mounted.disk, knob, &subject))
            .map(|knob| knob.id);
        assert_eq!(tried.collect::<Vec<_>>(), own, "{fstype}");
        assert_eq!(lines(&mounted), before, "{fstype}");
    }
}
