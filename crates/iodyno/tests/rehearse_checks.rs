//! Whole checks on a simulated disk, with the experiments that decide about what they find: the same to the bit each time.

use crate::rehearse::as_nobody;
use crate::support::{Dir, Iodyno, Loop, code, text};
use serde_json::Value;
use std::process::Output;

/// What is planted, KiB: I/Os of the streams are cut there, and the device would take more.
const CUT_KIB: &str = "64";
/// What finds it.
const RULE: &str = "requests_split";
/// The disk on which another value is a fifth better.
const BETTER: &str = "quiet_nvme,max_sectors_kb=1280:+20%";
const SIGTERM: i32 = 15;
const SIGKILL: i32 = 9;

/// A loop device at which a rehearsal looks and which it leaves alone.
fn disk() -> Option<Loop> {
    Loop::left_alone(16).map(planted)
}

fn planted(disk: Loop) -> Loop {
    disk.set("max_sectors_kb", CUT_KIB);
    disk
}

fn words<'a>(disk: &'a Loop, kind: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let check = ["check", &disk.device, "--quick", "--rehearse", kind];
    check.into_iter().chain(more.iter().copied()).collect()
}

fn checked(disk: &Loop, kind: &str, more: &[&str]) -> Value {
    let (check, output) = Iodyno::new().json(&words(disk, kind, more));
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    check
}

fn found(check: &Value) -> &Value {
    let findings = check["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["rule"] == RULE);
    found.unwrap_or_else(|| panic!("{RULE} is not among {findings:#?}"))
}

#[test]
fn a_check_is_rehearsed_without_a_right_or_a_trace() {
    let Some(disk) = disk() else { return };
    let counters = || std::fs::read_to_string(format!("/sys/block/{}/stat", disk.name)).unwrap();
    let (before, counted) = (disk.settings(), counters());
    let output = as_nobody(&words(&disk, "cloud", &["--all"]));
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(said.contains("cut into pieces of 64 KiB"), "{said}");
    assert!(said.contains("no figure here was measured"), "{said}");
    assert_eq!((disk.settings(), counters()), (before, counted), "no I/O");
}

#[test]
fn a_directory_is_rehearsed_and_gets_no_scratch() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("rehearsed-check"));
    let (check, output) = iodyno.json(&[
        "check",
        dir.path().to_str().unwrap(),
        "--quick",
        "--rehearse",
        "quiet_nvme",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let given = check["given"].as_array().unwrap().len();
    assert!(given > 3, "{given} figures");
    for (dir, what) in [(&dir, "scratch"), (&iodyno.state, "store, no journal")] {
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 0, "no {what}");
    }
}

#[test]
fn a_suspicion_that_is_true_is_confirmed() {
    let Some(disk) = disk() else { return };
    let check = checked(&disk, BETTER, &["--prove"]);
    let proof = &found(&check)["proof"];
    assert_eq!(proof["outcome"], "confirmed", "{proof:#}");
    let effect = proof["effect"].as_f64().unwrap();
    assert!((0.17..0.23).contains(&effect), "{proof:#}");
    assert!(proof["record"].is_null(), "nothing is kept");
    let next = check["next"].as_str().unwrap();
    assert!(next.ends_with("--knob max_sectors_kb"), "{next}");
}

#[test]
fn a_suspicion_that_is_none_is_withdrawn_and_stands_last() {
    let Some(disk) = disk() else { return };
    let check = checked(&disk, "cloud,max_sectors_kb=1280:-20%", &["--prove"]);
    let finding = found(&check);
    assert_eq!(finding["proof"]["outcome"], "refuted", "{finding:#}");
    assert!(finding["withdrawn"].is_string(), "{finding:#}");
    let last = check["findings"].as_array().unwrap().last();
    assert_eq!(last.unwrap()["withdrawn"], finding["withdrawn"]);
}

#[test]
fn a_suspicion_about_which_nothing_is_decided_stays() {
    let Some(disk) = disk() else { return };
    let check = checked(&disk, "hdd_low", &["--prove=30s"]);
    let finding = found(&check);
    assert_eq!(finding["proof"]["outcome"], "undecided", "{finding:#}");
    assert!(finding["withdrawn"].is_null(), "{finding:#}");
}

#[test]
fn two_checks_are_the_same_to_the_bit() {
    let Some(disk) = disk() else { return };
    let of_the_check = || {
        let mut check = checked(&disk, BETTER, &["--prove"]);
        let document = check.as_object_mut().unwrap();
        // The machine's own and the day's.
        document.remove("path");
        document.remove("provenance");
        for sensor in check["sensors"].as_array_mut().unwrap() {
            sensor.as_object_mut().unwrap().remove("cost_cpu_ns");
        }
        check
    };
    assert!(of_the_check() == of_the_check());
}

#[test]
fn what_of_a_check_cannot_be_rehearsed_is_refused() {
    let Some(disk) = disk() else { return };
    for (kind, more, why) in [
        ("floppy", &[][..], "no simulated disk \"floppy\""),
        (BETTER, &[], "without --prove changes no setting"),
        ("cloud", &["--no-load"], "cannot be used with"),
        ("cloud", &["--container", "web"], "cannot be used with"),
    ] {
        let output = Iodyno::new().run(&words(&disk, kind, more));
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{kind} {more:?}: {said}");
        assert!(said.contains(why), "{kind} {more:?}: {said}");
    }
}

/// A check whose experiment writes its settings to the kernel, struck at one of its sleeps.
fn struck(iodyno: &Iodyno, disk: &Loop, (sleep, signal): (u32, i32)) -> Output {
    iodyno
        .command(&words(disk, BETTER, &["--prove=90s"]))
        .env("IODYNO_STAGE", format!("through,{sleep}:{signal}"))
        .output()
        .unwrap()
}

/// Strikes at sleeps ever farther apart until one is beyond the end; `after` is told of each, and how many there were.
fn struck_until_the_end(disk: &Loop, signal: i32, mut after: impl FnMut(&Iodyno, &Output)) -> u32 {
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let (mut strikes, mut sleep) = (0, 1);
    loop {
        let output = struck(&iodyno, disk, (sleep, signal));
        if output.status.success() {
            return strikes;
        }
        after(&iodyno, &output);
        assert_eq!(disk.settings(), before, "at sleep {sleep}");
        iodyno.assert_nothing_is_changed();
        strikes += 1;
        sleep += 1 + sleep / 3;
    }
}

#[test]
fn a_proof_that_is_killed_at_any_of_its_sleeps_is_undone() {
    use std::os::unix::process::ExitStatusExt;
    let Some(disk) = Loop::in_memory(16).map(planted) else {
        return;
    };
    let (before, mut found_changed) = (disk.settings(), 0);
    let killed = struck_until_the_end(&disk, SIGKILL, |iodyno, output| {
        assert_eq!(output.status.signal(), Some(SIGKILL));
        found_changed += u32::from(disk.settings() != before);
        let undone = iodyno.run(&["undo"]);
        assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    });
    assert!(killed > 12 && found_changed > 2, "{killed} {found_changed}");
}

#[test]
fn a_signal_at_any_of_its_sleeps_puts_the_settings_of_a_proof_back() {
    let Some(disk) = Loop::in_memory(16).map(planted) else {
        return;
    };
    let stopped = struck_until_the_end(&disk, SIGTERM, |_, output| {
        assert_eq!(code(output), 130, "{}", text(&output.stderr));
    });
    assert!(stopped > 12, "{stopped}");
}
