//! `iodyno set`: a value without a proof is checked, written, said to be unproved, and undone like every other.

use crate::support::{Dir, Iodyno, Loop, code, signal, text};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

#[test]
fn a_value_of_ones_own_is_in_place_until_it_is_undone() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    disk.set("scheduler", "none");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let shown = iodyno.run(&["set", "scheduler=mq-deadline", &disk.device, "--dry-run"]);
    assert_eq!(code(&shown), 0);
    assert_eq!(disk.settings(), before, "it was only shown");

    let (done, output) = iodyno.json(&["set", "scheduler=mq-deadline", &disk.device]);
    let words = text(&output.stderr);
    assert_eq!(code(&output), 0, "{words}");
    assert!(words.contains("Unproved") && words.contains("--knob scheduler=none"));
    assert_eq!(done["schema"], "iodyno.set/1");
    assert_eq!(done["values"][0]["was"], "none");
    assert!(disk.settings().contains(&"scheduler=mq-deadline".into()));
    let status = text(&iodyno.run(&["status"]).stdout);
    assert!(status.contains("set scheduler=mq-deadline"), "{status}");

    let (again, output) = iodyno.json(&["set", "scheduler=mq-deadline", &disk.device]);
    assert_eq!(code(&output), 0);
    assert!(again["journal"].is_null(), "nothing was to be written");

    // What it advises is a command that is taken.
    let target = disk.device.as_str();
    let tune = ["tune", target, "--knob", "scheduler=none", "--dry-run"];
    assert_eq!(code(&iodyno.run(&tune)), 0);

    let undone = iodyno.run(&["undo", done["journal"].as_str().unwrap()]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(disk.settings(), before);
}

#[test]
fn values_that_need_each_other_are_set_one_after_the_other() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    disk.set("scheduler", "none");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let set = |words: &[&str]| {
        let output = iodyno.run(&[&["set"], words, &[disk.device.as_str()]].concat());
        (code(&output), text(&output.stderr))
    };
    let both = ["scheduler=mq-deadline", "fifo_batch=1"];
    let (exit, words) = set(&both);
    assert_eq!(exit, 5, "{words}");
    assert!(words.contains("has the scheduler none"), "{words}");
    assert_eq!(disk.settings(), before);
    assert_eq!(set(&both[..1]).0, 0);
    assert_eq!(set(&["fifo_batch=1", "nr_requests=64"]).0, 0);
    let refused = set(&["scheduler=none", "fifo_batch=2"]);
    assert_eq!(refused.0, 2, "{}", refused.1);
    assert_eq!(code(&iodyno.run(&["undo", "--all"])), 0);
    assert_eq!(disk.settings(), before);
}

#[test]
fn what_cannot_be_set_is_said_and_nothing_is_written() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    disk.set("scheduler", "none");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    for (setting, exit, said) in [
        ("scheduler=cfq", 2, "this kernel offers"),
        ("scheduler", 2, "gives no value"),
        ("scheduler=", 2, "gives no value"),
        ("nr_requests=64,65", 2, "several values"),
        ("sheduler=none", 2, "no knob `sheduler`"),
        ("nomerges=3", 2, "0, 1 or 2"),
        ("nomerges@1=2", 2, "leave `@1` out"),
        ("slice_idle_us=0", 5, "iodyno explain slice_idle_us"),
        ("cpu_latency_us=3", 4, "force_latency"),
        ("smp_affinity_list=0", 5, "has none"),
        ("iostats=0", 2, "no knob"),
    ] {
        let output = iodyno.run(&["set", setting, &disk.device]);
        let words = text(&output.stderr);
        assert_eq!(code(&output), exit, "{setting}: {words}");
        assert!(words.contains(said), "{setting}: {words}");
    }
    let twice = ["set", "nomerges=1", "nomerges=2", disk.device.as_str()];
    assert_eq!(code(&iodyno.run(&twice)), 2);
    assert_eq!(code(&iodyno.run(&["set", "nomerges=1", "/proc"])), 5);
    assert_eq!(disk.settings(), before);
    iodyno.assert_nothing_is_changed();
}

#[test]
fn without_the_right_nothing_is_begun() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (before, dir) = (disk.settings(), Dir::new("set"));
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let output = Command::new("setpriv")
        .args(nobody)
        .arg(env!("CARGO_BIN_EXE_iodyno"))
        .args(["set", "nomerges=2", &disk.device])
        .env("IODYNO_STATE_DIR", dir.path().join("state"))
        .output()
        .unwrap();
    let words = text(&output.stderr);
    assert_eq!(code(&output), 3, "{words}");
    assert!(words.contains("sudo iodyno set nomerges=2"), "{words}");
    assert!(!words.contains('→'), "nothing was about to change: {words}");
    assert_eq!(disk.settings(), before);
}

/// A set that waits to be confirmed and has said that its value is in place.
fn waiting(iodyno: &Iodyno, disk: &Loop, within: &str) -> Child {
    let words = ["set", "nomerges=2", &disk.device, "--confirm", within];
    let mut child = iodyno
        .command(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Byte by byte, so that what it says later stays in the pipe.
    let mut said = String::new();
    while !said.contains("Type keep and Enter") {
        let mut byte = [0];
        child
            .stderr
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .unwrap();
        said.push(char::from(byte[0]));
    }
    child
}

#[test]
fn a_value_that_is_confirmed_stays() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let mut child = waiting(&iodyno, &disk, "10m");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"what?\nkeep\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(disk.settings().contains(&"nomerges=2".into()));
    assert_eq!(code(&iodyno.run(&["undo", "--all"])), 0);
    assert_eq!(disk.settings(), before);
}

#[test]
fn what_nobody_confirms_is_put_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let ends = |exit: i32, said: &str, within: &str, end: fn(&mut Child)| {
        let mut child = waiting(&iodyno, &disk, within);
        end(&mut child);
        let stdin = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        let words = text(&output.stderr);
        assert_eq!(code(&output), exit, "{words}");
        assert!(words.contains(said), "{words}");
        assert!(words.contains("Everything was put back"), "{words}");
        assert_eq!(disk.settings(), before, "{words}");
        iodyno.assert_nothing_is_changed();
    };
    ends(4, "within 2.0 s", "2s", |_| ());
    ends(4, "stdin has ended", "10m", |child| {
        drop(child.stdin.take())
    });
    ends(130, "SIGHUP", "10m", |child| signal(child.id(), "HUP"));
    ends(130, "SIGINT", "10m", |child| signal(child.id(), "INT"));
}

#[test]
fn a_kill_before_the_confirmation_leaves_what_undo_puts_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let mut child = waiting(&iodyno, &disk, "10m");
    signal(child.id(), "TSTP");
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert_ne!(disk.settings(), before);
    let undone = iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(disk.settings(), before);
}
