//! Attributes of the kernel look like files, and are no targets.

use crate::support::{Dir, Iodyno, Loop, code, text};
use std::path::Path;

fn refused(target: &str) {
    for words in [
        &["--rw=randwrite", "--overwrite", "--destroy-data"][..],
        &["--rw=randread"],
    ] {
        let words = [
            &["run", target, "--direct=0", "--runtime=100ms", "--size=4k"],
            words,
        ]
        .concat();
        let output = Iodyno::new().run(&words);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{target}: {said}");
        assert!(said.contains("is no target for a load"), "{target}: {said}");
    }
}

#[test]
fn a_setting_of_a_device_is_no_target() {
    let Some(disk) = Loop::new(4) else { return };
    let before = disk.settings();
    for setting in ["nomerges", "read_ahead_kb", "scheduler"] {
        refused(&format!("/sys/block/{}/queue/{setting}", disk.name));
    }
    assert_eq!(disk.settings(), before);
    // By a name elsewhere it is the same.
    let dir = Dir::new("attributes");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(format!("/sys/block/{}/queue/nomerges", disk.name), &link).unwrap();
    refused(link.to_str().unwrap());
}

#[test]
fn what_the_kernel_shows_is_no_target() {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let is_mounted = |point: &str, kind: &str| {
        mounts.lines().any(|line| {
            line.contains(&format!(" {point} ")) && line.contains(&format!(" - {kind} "))
        })
    };
    let mut targets = vec![
        "/proc/sys/vm/swappiness",
        "/proc/self/mem",
        "/proc",
        "/sys",
        "/dev/null",
    ];
    if is_mounted("/dev", "devtmpfs") {
        targets.push("/dev");
    }
    let attributes = [
        "/sys/fs/cgroup/cgroup.procs",
        "/sys/fs/cgroup/memory/cgroup.procs",
    ];
    targets.extend(
        attributes
            .into_iter()
            .filter(|path| Path::new(path).exists()),
    );
    let before = std::fs::read("/proc/sys/vm/swappiness").unwrap();
    targets.into_iter().for_each(refused);
    assert_eq!(std::fs::read("/proc/sys/vm/swappiness").unwrap(), before);
}
