//! Tunes by runs of a command that cannot be judged.

use crate::support::{Iodyno, Loop, code, text};

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
