//! What a limit of a control group holds on this machine, and that nothing of it stays, on a file system of the test's own.

use crate::mounts::Mounted;
use crate::support::{Iodyno, code, signal, text, until};
use serde_json::Value;
use std::path::Path;

/// The file system needs room for files beside what is left to others.
const MIB: u64 = 640;

/// A mounted file system, where groups can be made: both versions do, and a machine without any says so.
fn mounted() -> Option<Mounted> {
    let has = |path: &str| Path::new(path).exists();
    if !has("/sys/fs/cgroup/blkio") && !has("/sys/fs/cgroup/cgroup.controllers") {
        skip::missing("cgroup", "no control groups that limit I/O are mounted");
        return None;
    }
    Mounted::new(MIB)
}

/// Groups of ours anywhere below the hierarchies.
fn groups_left() -> Vec<String> {
    let find = std::process::Command::new("find")
        .args(["/sys/fs/cgroup", "-name", "iodyno-group-*"])
        .output()
        .unwrap();
    text(&find.stdout).lines().map(str::to_string).collect()
}

fn way<'a>(report: &'a Value, name: &str) -> &'a Value {
    let ways = report["limits"][0]["ways"].as_array().unwrap();
    ways.iter().find(|way| way["way"] == name).unwrap()
}

#[test]
fn direct_and_synced_writes_are_held_and_the_group_is_charged_for_them() {
    let Some(mounted) = mounted() else { return };
    let iodyno = Iodyno::new();
    let words = [
        "limit",
        mounted.point(),
        "--write-bps",
        "8m",
        "--runtime",
        "2s",
    ];
    let (report, output) = iodyno.json(&words);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}");
    let direct = way(&report, "direct");
    assert_eq!(direct["effect"], "held", "{direct:#}");
    assert_eq!(way(&report, "fsync")["effect"], "held", "{report:#}");
    let bytes = |what: &str| direct[what]["bytes"].as_f64().unwrap();
    let difference = (bytes("charged") / bytes("program") - 1.0).abs();
    assert!(difference < 0.02, "{direct:#}");
    // What the kernel's flusher does for a group of version 1 is nobody's.
    let wanted = match report["version"].as_u64() {
        Some(1) => "passed-by",
        _ => "behind-cache",
    };
    for name in ["buffered", "mmap"] {
        assert_eq!(way(&report, name)["effect"], wanted, "{report:#}");
    }
    let shown = iodyno.run(&["show", &direct["record"].to_string()]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("limit: control group /"), "{shown}");
    assert_eq!(groups_left(), Vec::<String>::new());
    iodyno.assert_nothing_is_changed();
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

#[test]
fn groups_at_once_get_what_the_device_moves() {
    let Some(mounted) = mounted() else { return };
    let iodyno = Iodyno::new();
    let options = [
        "--containers",
        "1,2",
        "--read-iops",
        "400",
        "--runtime",
        "2s",
    ];
    let (report, output) = iodyno.json(&[&["limit", mounted.point()], &options[..]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let rounds = report["at_once"].as_array().unwrap();
    let told: Vec<_> = rounds
        .iter()
        .map(|round| {
            (
                round["count"].as_u64().unwrap(),
                round["is_host"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [(1, false), (2, false), (2, true)]);
    let two = &rounds[1];
    let ios = |value: &Value| value["ios"].as_f64().unwrap();
    let shares = two["shares"].as_array().unwrap();
    let sum: f64 = shares.iter().map(|share| ios(&share["moved"])).sum();
    let seconds = two["span_ms"].as_f64().unwrap() / 1e3;
    assert!((sum / seconds / 800.0 - 1.0).abs() < 0.15, "{two:#}");
    assert!((ios(&two["device"]) / sum - 1.0).abs() < 0.1, "{two:#}");
    assert_eq!(groups_left(), Vec::<String>::new());
}

/// Two groups of weights 100 and 400 that wait for one slow disk.
fn shares_by_weight(mounted: &Mounted, scheduler: &str) -> Option<(Value, String)> {
    let disk = &mounted.disk;
    if disk.lacks_scheduler(scheduler) {
        return None;
    }
    disk.set("scheduler", scheduler);
    let options = [
        "--containers",
        "2",
        "--weights",
        "100,400",
        "--runtime",
        "4s",
    ];
    let words = [&["limit", mounted.point()], &options[..]].concat();
    let (report, output) = Iodyno::new().json(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let said = text(&Iodyno::new().run(&words).stdout);
    assert_eq!(groups_left(), Vec::<String>::new());
    Some((report, said))
}

#[test]
fn weights_are_kept_by_bfq_and_by_nobody_without_it() {
    let Some(mounted) = mounted() else { return };
    let heavy = |report: &Value| {
        let shares = report["at_once"][0]["shares"].as_array().unwrap();
        let bytes = |index: usize| shares[index]["moved"]["bytes"].as_f64().unwrap();
        bytes(1) / (bytes(0) + bytes(1))
    };
    let Some((report, said)) = shares_by_weight(&mounted, "mq-deadline") else {
        return;
    };
    assert_eq!(report["weights_by"], Value::Null, "{report:#}");
    assert!(said.contains("sudo iodyno set scheduler=bfq"), "{said}");
    let without = heavy(&report);
    let Some((report, said)) = shares_by_weight(&mounted, "bfq") else {
        return;
    };
    assert_eq!(report["weights_by"], "bfq", "{report:#}");
    assert!(heavy(&report) > without + 0.1, "{without}: {report:#}");
    assert!(said.contains("bfq"), "{said}");
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
