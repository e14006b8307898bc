//! `run` with the engines that are not iodyno's own loop: files, stream, fio, and none.

use crate::support::{Dir, Iodyno, code, signal, text, until};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn operation<'a>(load: &'a Value, name: &str) -> &'a Value {
    load["operations"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == name)
        .unwrap()
}

#[test]
fn a_tree_is_shown_as_a_table_and_removed() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("files"));
    let target = dir.path().to_str().unwrap();
    let options = [
        "--engine-option",
        "files=200",
        "--engine-option",
        "filesize=1k-8k",
    ];
    let arguments = [
        &["run", target, "--ioengine", "files", "--numjobs", "2"],
        &options[..],
    ]
    .concat();
    let output = iodyno.run(&arguments);
    let shown = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(shown.starts_with("small files, 2 jobs: mkdir "), "{shown}");
    for word in ["create ", "stat ", "read ", "delete "] {
        let row = shown
            .lines()
            .find(|line| line.trim_start().starts_with(word))
            .unwrap();
        assert!(row.contains(" 400 "), "{row}");
    }
    assert!(names(dir.path()).is_empty());
    let (document, _) = iodyno.json(&arguments);
    let load = &document["record"]["load"];
    assert_eq!(
        operation(load, "read")["bytes"],
        operation(load, "create")["bytes"]
    );
    assert!(operation(load, "stat")["busy_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_killed_tree_is_named_by_status_and_removed_by_undo() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("files-kill"));
    let target = dir.path().to_str().unwrap();
    for phase in [200, 700] {
        let options = [
            "--engine-option",
            "files=1000000",
            "--engine-option",
            "dirs=20",
            "--runtime",
            "60s",
        ];
        let mut child = iodyno.spawn(
            &[
                &["run", target, "--ioengine", "files", "--numjobs", "2"],
                &options[..],
            ]
            .concat(),
        );
        until("a tree", || !names(dir.path()).is_empty());
        std::thread::sleep(Duration::from_millis(phase));
        signal(child.id(), "KILL");
        child.wait().unwrap();
        let tree = names(dir.path());
        assert_eq!(tree.len(), 1, "{tree:?}");
        let status = text(&iodyno.run(&["status"]).stdout);
        assert!(
            status.contains(&tree[0]) && status.contains("its files may still be there"),
            "{status}"
        );
        let warned = text(&iodyno.run(&["list"]).stderr);
        assert!(
            warned.contains("ended before it put everything back"),
            "{warned}"
        );
        let output = iodyno.run(&["undo"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).contains(&format!("{}  removed", tree[0])),
            "{}",
            text(&output.stdout)
        );
        assert!(names(dir.path()).is_empty(), "{}", text(&output.stdout));
        assert_eq!(
            iodyno.json(&["status"]).0["journals"],
            serde_json::json!([])
        );
    }
}

#[test]
fn ctrl_c_removes_a_tree() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("files-int"));
    let target = dir.path().to_str().unwrap();
    let mut child = iodyno.spawn(&[
        "run",
        target,
        "--ioengine",
        "files",
        "--engine-option",
        "files=1000000",
    ]);
    until("a tree", || !names(dir.path()).is_empty());
    std::thread::sleep(Duration::from_millis(300));
    signal(child.id(), "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_stream_ends_when_its_bytes_are_moved() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("stream"));
    let target = dir.path().to_str().unwrap();
    let (document, output) = iodyno.json(&[
        "run",
        target,
        "--ioengine",
        "stream",
        "--size",
        "32m",
        "--numjobs",
        "2",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let record = &document["record"];
    assert_eq!(
        (
            record["job"]["bs"].as_u64(),
            record["job"]["direct"].as_bool()
        ),
        (Some(1 << 20), Some(false))
    );
    assert_eq!(
        record["load"]["write"]["bytes"],
        64 << 20,
        "each has a file of its own"
    );
    assert_eq!(record["load"]["sync"]["ios"], 2);
    assert!(
        record["load"]["notes"]
            .to_string()
            .contains("then fsync in")
    );
}

#[test]
fn what_an_engine_does_not_know_is_a_usage_error() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("options"));
    let target = dir.path().to_str().unwrap();
    let said = |arguments: &[&str]| {
        let output = iodyno.run(&[&["run", target], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    let error = said(&["--ioengine", "files", "--engine-option", "fils=3"]);
    assert!(
        error.contains("has no such option. It has files, dirs"),
        "{error}"
    );
    let error = said(&["--ioengine", "files", "--engine-option", "files"]);
    assert!(error.contains("NAME=VALUE"), "{error}");
    let error = said(&["--ioengine", "stream", "--rw", "randread"]);
    assert!(error.contains("one direction"), "{error}");
    let output = iodyno.run(&["tune", target, "--ioengine", "files", "--dry-run"]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains("works through phases"),
        "{}",
        text(&output.stderr)
    );
}
