//! `tune` on a loop device: what it proves, that it puts back, and what it refuses.

use crate::support::{Dir, Iodyno, Loop, code, copy_binary, signal, text};
use std::process::Command;

/// A loop device whose schedulers differ, set to bfq; none where this kernel has no bfq.
pub fn bfq_disk() -> Option<Loop> {
    let disk = Loop::new(256)?;
    if disk.lacks_scheduler("bfq") {
        return None;
    }
    disk.set("scheduler", "bfq");
    Some(disk)
}

#[test]
fn a_plan_changes_nothing() {
    let Some(disk) = bfq_disk() else { return };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let output = iodyno.run(&["tune", &disk.device, "--dry-run"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("scheduler")
            && said.contains("read_ahead_kb")
            && said.contains("direct I/O does not use it")
    );
    assert_eq!(disk.settings(), before);
    assert!(
        !iodyno.state.path().join("journal").exists(),
        "no journal was begun"
    );
}

#[test]
fn two_tunes_of_one_device_do_not_meet() {
    let Some(disk) = bfq_disk() else { return };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let mut first = iodyno.spawn(&["tune", &disk.device, "--knob", "scheduler"]);
    iodyno.wait_for_journal(&mut first);
    let second = iodyno.run(&["tune", &disk.device, "--knob", "scheduler"]);
    assert_eq!(code(&second), 4, "{}", text(&second.stderr));
    assert!(
        text(&second.stderr).contains(&first.id().to_string()),
        "it names the process that has the device"
    );
    signal(first.id(), "TERM");
    assert_eq!(first.wait().unwrap().code(), Some(130));
    assert_eq!(disk.settings(), before);
}

#[test]
fn tune_needs_a_right_that_run_does_not() {
    let Some(disk) = Loop::new(16) else { return };
    let dir = Dir::new("nobody");
    let Ok(probe) = Command::new("setpriv").arg("--version").output() else {
        skip::missing("setpriv", "setpriv is not installed");
        return;
    };
    assert!(probe.status.success());
    // Everything but the path to the binary and its state must be reachable for another user.
    let binary = std::env::temp_dir().join(format!("iodyno-nobody-{}", std::process::id()));
    copy_binary(&binary);
    let home = std::env::temp_dir().join(format!("iodyno-home-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(65_534), Some(65_534)).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&binary)
            .args(arguments);
        command
            .env("IODYNO_STATE_DIR", home.join("state"))
            .output()
            .unwrap()
    };
    let target = home.to_str().unwrap();
    let inspect = run(&["inspect", target]);
    assert_eq!(code(&inspect), 0, "{}", text(&inspect.stderr));
    let load = run(&[
        "run",
        target,
        "--runtime",
        "200ms",
        "--size",
        "4m",
        "--direct",
        "0",
    ]);
    assert_eq!(code(&load), 0, "{}", text(&load.stderr));
    let tune = run(&["tune", &disk.device, "--knob", "rq_affinity"]);
    let said = text(&tune.stderr);
    assert!([3, 5].contains(&code(&tune)), "{said}");
    assert!(
        said.contains("root") || said.contains("ermission"),
        "{said}"
    );
    drop(dir);
    let _ = (
        std::fs::remove_file(&binary),
        std::fs::remove_dir_all(&home),
    );
}

#[test]
fn a_plan_says_what_a_knob_that_was_named_cannot_do_under_this_load() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    let plan = |words: &[&str]| {
        let knob = ["tune", &disk.device, "--knob", "read_ahead_kb", "--dry-run"];
        let (plan, output) = iodyno.json(&[&knob[..], words].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        (plan["plan"]["knobs"][0].clone(), text(&output.stderr))
    };
    let refused = iodyno.run(&["tune", &disk.device, "--knob", "read_ahead_kb", "--dry-run"]);
    let words = text(&refused.stderr);
    assert_eq!(code(&refused), 2, "{words}");
    assert!(
        words.contains("direct I/O does not use it. It acts under: --direct 0 --rw read")
            && words.contains("--even-if-pointless"),
        "{words}"
    );
    let (knob, words) = plan(&["--even-if-pointless"]);
    assert_eq!(knob["doubt"], "direct I/O does not use it");
    assert!(
        words.contains("It acts under: --direct 0 --rw read"),
        "{words}"
    );
    let (knob, words) = plan(&["--direct", "0", "--rw", "read"]);
    assert!(knob["doubt"].is_null(), "{words}");
}
