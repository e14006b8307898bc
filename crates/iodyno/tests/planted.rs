//! Bad settings that are planted below real programs, and found by what those get done: by sysbench's events, by each run of
//! a command, by a load that is none of ours, and by that of one control group beside others.

use crate::support::{Iodyno, Loop, code, text};
use serde_json::Value;

/// Tries a tune three times at the most on a disk whose setting is bad, until it says that `better` is better, and gives the
/// trial. A machine that is busy with other things may not decide in so short a time; never for the bad value, and its
/// windows show all the same which value was faster.
pub fn found(disk: &Loop, better: &str, words: &[&str]) -> Value {
    let before = disk.settings();
    let words = [&["tune", &disk.device][..], words, &["--layers", "off"]].concat();
    for attempt in 1.. {
        let (document, output) = Iodyno::new().json(&words);
        let said = text(&output.stderr);
        assert_eq!(disk.settings(), before, "every setting is back: {said}");
        let trial = document["record"]["trials"][0].clone();
        let verdict = &trial["verdict"];
        let end = (code(&output), verdict["verdict"].as_str().unwrap_or("none"));
        if end == (0, "better") {
            assert_eq!(verdict["arm"], better, "{said}\n{verdict:#}");
            return trial;
        }
        let undecided = [(6, "inconclusive"), (6, "refused")];
        assert!(undecided.contains(&end), "{end:?}: {said}\n{verdict:#}");
        if attempt == 3 {
            must_be_faster(&trial, &said);
            return trial;
        }
    }
    unreachable!()
}

/// The second value's windows are faster than those of the first, which was planted.
pub fn must_be_faster(trial: &Value, said: &str) {
    let of = |arm: u64| {
        let windows = trial["windows"].as_array().unwrap().iter();
        let own = windows
            .filter(|window| window["arm"] == arm && window["length_ms"].as_u64() > Some(500));
        let mut values: Vec<f64> = own.map(|one| one["rate"].as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    assert!(of(1) > 1.2 * of(0), "{} against {}: {said}", of(1), of(0));
}

#[test]
fn runs_that_the_budget_cannot_hold_are_refused_before_anything_is_touched() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let before = disk.settings();
    let tune = |words: &[&str]| {
        let knob = ["--knob", "nr_requests=64"];
        let words = [&["tune", &disk.device, "--run-again"][..], words, &knob].concat();
        let output = Iodyno::new().run(&words);
        assert_eq!(disk.settings(), before);
        (code(&output), text(&output.stderr))
    };
    let (exit, said) = tune(&["--command", "sleep 1", "--budget", "10s"]);
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("a run of the command took 1.0"), "{said}");
    assert!(said.contains("Give --budget 1m"), "{said}");
    let (exit, said) = tune(&["--command", "true"]);
    assert!(
        exit == 2 && said.contains("the start of a program"),
        "{said}"
    );
    let (exit, said) = tune(&["--command", "echo no disk; exit 3"]);
    assert!(
        exit == 5 && said.contains("its last words: no disk"),
        "{said}"
    );
    let (exit, said) = tune(&["--command", "sleep 1", "--metric-regex", "got ([0-9]+)"]);
    assert!(exit == 2 && said.contains("printed no line"), "{said}");
    let (exit, said) = tune(&["--command", "sleep 1", "--metric", "device_iops"]);
    assert!(
        exit == 2 && said.contains("judged by result or duration"),
        "{said}"
    );
}
