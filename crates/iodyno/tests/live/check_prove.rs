//! `check --prove`: a suspicion about a setting is put to its experiment, the setting is put back, and the answer is counted.

use crate::groups::TestGroup;
use crate::live::time_account::SlowJournal;
use crate::support::{Iodyno, Loop, code, signal, text, until};
use serde_json::Value;
use skip::Outcome;
use std::process::{Output, Stdio};

/// What was found by a rule. That a live load did not show it is an outcome.
fn found<'a>(check: &'a Value, rule: &str) -> Option<&'a Value> {
    let findings = check["findings"].as_array().unwrap();
    let finding = findings.iter().find(|one| one["rule"] == rule);
    if finding.is_none() {
        let all: Vec<&Value> = findings.iter().map(|one| &one["rule"]).collect();
        skip::measured(Outcome::Undecided, format!("{rule} is not among {all:?}"));
    }
    finding
}

/// Notes what a proof came to where the suspicion is true; whether it was confirmed.
fn is_confirmed(proof: &Value) -> bool {
    let outcome = match proof["outcome"].as_str() {
        Some("confirmed") => Outcome::Won,
        Some("refuted") => Outcome::Wrong,
        _ => Outcome::Undecided,
    };
    skip::measured(outcome, &proof["words"]);
    outcome == Outcome::Won
}

/// How the proof of a rule was counted.
fn counted(iodyno: &Iodyno, rule: &str) -> Value {
    let catalogue = iodyno.json(&["catalogue"]).0;
    let all = catalogue["proved"].as_array().unwrap();
    let of_it = all.iter().find(|one| one["rule"] == rule);
    of_it
        .unwrap_or_else(|| panic!("not counted: {all:#?}"))
        .clone()
}

#[test]
#[ignore = "live"]
fn a_suspicion_is_put_to_the_proof_and_counted() {
    let Some(disk) = Loop::new(128) else { return };
    disk.set("nr_requests", "4");
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let (check, output) = iodyno.json(&["check", &disk.device, "--quick", "--prove=4m"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(disk.settings(), before);
    let Some(finding) = found(&check, "requests_run_out") else {
        return;
    };
    let share = finding["costs"][0]["share"].as_f64();
    skip::measured(
        Outcome::won_if(share > Some(0.1)),
        format!("waiting for a request: {share:?}"),
    );
    let proof = &finding["proof"];
    let tune = iodyno.json(&["show", &proof["record"].to_string()]).0;
    let trial = &tune["record"]["trials"][0];
    assert_eq!(trial["knob"], "nr_requests", "{proof:#}");
    let word = proof["outcome"].as_str().unwrap();
    match word {
        "confirmed" => {
            let apply = format!("sudo iodyno apply {}", proof["record"]);
            assert_eq!(check["next"], apply.as_str());
            assert_eq!(proof["effect"], trial["verdict"]["effect"]);
        }
        "refuted" => assert!(finding["withdrawn"].is_string(), "{finding:#}"),
        _ => assert!(finding["withdrawn"].is_null(), "{finding:#}"),
    }
    assert_eq!(counted(&iodyno, "requests_run_out")[word], 1);
}

/// No knob decides: the load is run with the commit and without, in turns.
#[test]
#[ignore = "live"]
fn a_commit_is_put_to_the_proof_by_two_loads() {
    let Some(ground) = SlowJournal::new() else {
        return;
    };
    let iodyno = Iodyno::new();
    let target = ground.mounted.point();
    let (check, output) = iodyno.json(&["check", target, "--quick", "--prove=4m"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(target).unwrap().count(), 1, "lost+found");
    iodyno.assert_nothing_is_changed();
    let Some(finding) = found(&check, "journal_commit_slow") else {
        return;
    };
    let proof = &finding["proof"];
    if is_confirmed(proof) {
        assert!(proof["low"].as_f64() > Some(0.0), "{proof:#}");
        let words = proof["words"].as_str().unwrap();
        assert!(words.contains("need no commit"), "{words}");
    }
    let word = proof["outcome"].as_str().unwrap();
    assert_eq!(counted(&iodyno, "journal_commit_slow")[word], 1);
}

/// A device whose reads a control group limits, and its line.
fn limited() -> Option<(TestGroup, Loop, String)> {
    let disk = Loop::in_memory(64)?;
    let group = TestGroup::new()?;
    let dev = std::fs::read_to_string(format!("/sys/block/{}/dev", disk.name)).unwrap();
    let line = format!("{} 400", dev.trim());
    group.limit(&line);
    Some((group, disk, line))
}

#[test]
#[ignore = "live"]
fn a_limit_is_put_to_the_proof_and_stays() {
    let Some((group, disk, line)) = limited() else {
        return;
    };
    let iodyno = Iodyno::new();
    let words = ["check", &disk.device, "--quick", "--prove=4m", "--json"];
    let output: Output = group.inside(&iodyno, &words).output().unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(group.limits(), [line]);
    let check: Value = serde_json::from_slice(&output.stdout).unwrap();
    iodyno.assert_nothing_is_changed();
    let Some(finding) = found(&check, "cgroup_limit_reached") else {
        return;
    };
    let decides = finding["experiment"].as_str().unwrap();
    let knob = format!("--knob riops@{}=400,max", group.name);
    assert!(decides.ends_with(&knob), "{decides}");
    is_confirmed(&finding["proof"]);
    let word = finding["proof"]["outcome"].as_str().unwrap();
    assert_eq!(counted(&iodyno, "cgroup_limit_reached")[word], 1);
}

/// Killed while a proof has no limit in place: the next undo puts it back. Meanwhile nobody else tunes the device.
#[test]
#[ignore = "live"]
fn a_proof_that_is_killed_is_undone_and_a_second_one_waits() {
    let Some((group, disk, line)) = limited() else {
        return;
    };
    let iodyno = Iodyno::new();
    let words = ["check", &disk.device, "--quick", "--prove=90s"];
    let mut command = group.inside(&iodyno, &words);
    let mut check = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("a window without the limit", || group.limits().is_empty());
    let second = iodyno.run(&words);
    let said = text(&second.stderr);
    assert_eq!(code(&second), 4, "{said}");
    assert!(said.contains(&disk.name), "{said}");
    let id = check.id();
    until("a moment without the limit", || {
        signal(id, "STOP");
        std::thread::sleep(std::time::Duration::from_millis(20));
        let is_lifted = group.limits().is_empty();
        signal(id, if is_lifted { "KILL" } else { "CONT" });
        is_lifted
    });
    check.wait().unwrap();
    assert_eq!(group.limits(), Vec::<String>::new(), "killed in it");
    let undone = iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(group.limits(), [line]);
    iodyno.assert_nothing_is_changed();
}
