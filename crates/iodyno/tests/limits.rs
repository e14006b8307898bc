//! What a limit of a control group holds on this machine, and that nothing of it stays, on a file system of the test's own.

use crate::mounts::Mounted;
use crate::support::{Dir, Iodyno, code, signal, text, until};
use serde_json::Value;
use std::path::Path;

/// The file system needs room for files beside what is left to others.
const MIB: u64 = 640;

/// A mounted file system, where groups can be made: both versions do, and a machine without any says so.
pub fn mounted() -> Option<Mounted> {
    let has = |path: &str| Path::new(path).exists();
    if !has("/sys/fs/cgroup/blkio") && !has("/sys/fs/cgroup/cgroup.controllers") {
        skip::missing("cgroup", "no control groups that limit I/O are mounted");
        return None;
    }
    Mounted::new(MIB)
}

/// Groups of ours anywhere below the hierarchies.
pub fn groups_left() -> Vec<String> {
    let find = std::process::Command::new("find")
        .args(["/sys/fs/cgroup", "-name", "iodyno-group-*"])
        .output()
        .unwrap();
    text(&find.stdout).lines().map(str::to_string).collect()
}

pub fn way<'a>(report: &'a Value, name: &str) -> &'a Value {
    let ways = report["limits"][0]["ways"].as_array().unwrap();
    ways.iter().find(|way| way["way"] == name).unwrap()
}

#[test]
fn ctrl_c_tells_what_was_measured_until_then_and_leaves_nothing() {
    let Some(mounted) = mounted() else { return };
    let iodyno = Iodyno::new();
    let mut command = iodyno.command(&["limit", mounted.point(), "--write-bps", "8m"]);
    command.args(["--runtime", "20s"]);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until("a group", || !groups_left().is_empty());
    std::thread::sleep(std::time::Duration::from_secs(2));
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert!(
        code(&output) == 130 && said.contains("stopped by SIGINT"),
        "{said}"
    );
    assert!(
        !text(&output.stdout).contains("held"),
        "a way cut short is none"
    );
    assert_eq!(groups_left(), Vec::<String>::new());
    iodyno.assert_nothing_is_changed();
}

/// Who owns the volume, as root of a container does, puts a link to a file of the machine in the place of the file that is measured.
#[test]
fn a_file_that_is_exchanged_under_a_measurement_leads_to_no_other() {
    let Some(mounted) = mounted() else { return };
    let (iodyno, others) = (Iodyno::new(), Dir::new("others"));
    let victim = others.path().join("secret");
    std::fs::write(&victim, vec![0x5a; 64 << 20]).unwrap();
    let child = iodyno.spawn(&[
        "limit",
        mounted.point(),
        "--write-bps",
        "8m",
        "--runtime",
        "2s",
    ]);
    let volume = Path::new(mounted.point());
    let tree = || {
        let mut entries = std::fs::read_dir(volume).unwrap().flatten();
        let entry = entries.find(|one| {
            one.file_name()
                .to_string_lossy()
                .starts_with("iodyno-tree-")
        });
        entry.map(|entry| entry.path())
    };
    let has_file = |tree: &Path| {
        tree.join("f0")
            .metadata()
            .is_ok_and(|it| it.len() >= 1 << 20)
    };
    until("the file", || tree().is_some_and(|tree| has_file(&tree)));
    let tree = tree().unwrap();
    std::fs::rename(&tree, volume.join("kept")).unwrap();
    std::fs::create_dir(&tree).unwrap();
    std::os::unix::fs::symlink(&victim, tree.join("f0")).unwrap();
    let mut child = child;
    child.wait().unwrap();
    assert!(
        std::fs::read(&victim)
            .unwrap()
            .iter()
            .all(|byte| *byte == 0x5a),
        "{}",
        iodyno.said()
    );
    std::fs::remove_dir_all(&tree).unwrap();
    iodyno.run(&["undo"]);
    assert_eq!(groups_left(), Vec::<String>::new());
}

/// A target on the standard input is one that iodyno opened: whoever else gives one is refused.
#[test]
fn nobody_else_gives_a_target_that_is_open() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("given"));
    let file = dir.path().join("file");
    std::fs::write(&file, "data").unwrap();
    let named = file.to_str().unwrap();
    for words in [
        &["run", named, "--given", "--overwrite", "--rw", "write"][..],
        &["fill", "1048576"],
    ] {
        let open = std::fs::File::options()
            .read(true)
            .write(true)
            .open(&file)
            .unwrap();
        let output = iodyno.command(words).stdin(open).output().unwrap();
        assert_eq!(code(&output), 4, "{}", text(&output.stderr));
        assert_eq!(std::fs::read(&file).unwrap(), b"data");
    }
}

#[test]
fn a_killed_measurement_is_named_and_its_groups_are_removed() {
    let Some(mounted) = mounted() else { return };
    let iodyno = Iodyno::new();
    let words = [
        "limit",
        mounted.point(),
        "--write-bps",
        "8m",
        "--runtime",
        "20s",
    ];
    let mut child = iodyno.spawn(&words);
    until("a group", || !groups_left().is_empty());
    std::thread::sleep(std::time::Duration::from_millis(700));
    signal(child.id(), "KILL");
    child.wait().unwrap();
    let left = groups_left();
    let status = text(&iodyno.run(&["status"]).stdout);
    assert!(
        left.iter().all(|group| status.contains(group.as_str()))
            && status.contains("its control groups may still be there"),
        "{left:?}: {status}"
    );
    // The program in the group ends with the one that started it; its last I/O may still wait behind the limit.
    until("the groups are removed", || {
        iodyno.run(&["undo"]);
        groups_left().is_empty()
    });
    assert_eq!(
        iodyno.json(&["status"]).0["journals"],
        serde_json::json!([])
    );
    let left = std::fs::read_dir(mounted.point()).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name == "lost+found"), "{names:?}");
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_made() {
    let iodyno = Iodyno::new();
    let refused = |words: &[&str], exit: i32, says: &str| {
        let output = iodyno.run(words);
        let said = text(&output.stderr);
        assert!(
            code(&output) == exit && said.contains(says),
            "{words:?}: {said}"
        );
    };
    refused(&["limit", "/"], 2, "which limit to measure");
    refused(
        &["limit", "/", "--write-iops", "4294967296"],
        2,
        "from 1 to 4294967295",
    );
    refused(&["limit", "/", "--write-bps", "0"], 2, "from 1 to");
    refused(
        &["limit", "/", "--memory", "1g"],
        2,
        "which limit to measure",
    );
    refused(
        &["limit", "/proc", "--write-bps", "1m"],
        5,
        "no block device below /proc",
    );
    refused(
        &["limit", "/proc/version", "--write-bps", "1m"],
        2,
        "no directory",
    );
    iodyno.assert_nothing_is_changed();
}
