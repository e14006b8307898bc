//! `run`: loads of directories, files and devices.

use crate::support::{Dir, Iodyno, code, signal, text};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn a_directory_gets_scratch_that_leaves_nothing() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("run"));
    let target = dir.path().to_str().unwrap();
    let (document, output) = iodyno.json(&[
        "run",
        target,
        "--runtime",
        "1s",
        "--size",
        "64m",
        "--seed",
        "5",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let record = &document["record"];
    let load = &record["load"];
    assert!(load["read"]["ios"].as_u64().unwrap() > 0, "{load}");
    assert_eq!(load["write"]["ios"], 0);
    assert_eq!(record["job"]["randseed"], 5);
    let sensors: Vec<_> = record["sensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|log| log["sensor"].clone())
        .collect();
    for wanted in ["diskstats", "cpu", "interrupts", "memory", "pressure"] {
        assert!(
            sensors.iter().any(|sensor| sensor == wanted),
            "{wanted} is not among {sensors:?}"
        );
    }
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "no scratch file is left"
    );
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("ctrl-c"));
    let target = dir.path().to_str().unwrap();
    let arguments = [
        "run",
        target,
        "--runtime",
        "600s",
        "--size",
        "16m",
        "--stream",
        "--interval",
        "100ms",
    ];
    let mut child = iodyno
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Its first line says that the load is at work.
    let (mut lines, mut said) = (BufReader::new(child.stdout.take().unwrap()), String::new());
    lines.read_line(&mut said).unwrap();
    signal(child.id(), "INT");
    lines.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    let (document, _) = iodyno.json(&["list"]);
    assert_eq!(document["records"].as_array().unwrap().len(), 1);
}
