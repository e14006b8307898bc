//! `--command`: a program of the user's makes the load, and a setting is judged by the rate that it prints.

use crate::support::{Dir, Iodyno, Loop, code, text};

#[test]
fn run_watches_a_command_until_it_ends() {
    let Some(disk) = Loop::new(16) else { return };
    let iodyno = Iodyno::new();
    let read = format!(
        "dd if={} of=/dev/null bs=64k iflag=direct 2>&1",
        disk.device
    );
    let (document, output) = iodyno.json(&["run", &disk.device, "--command", &read]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let load = &document["record"]["load"];
    assert_eq!(load["read"]["bytes"], 16 << 20, "{load:#}");
    assert!(
        load["engine"]
            .as_str()
            .unwrap()
            .starts_with("the command `dd if=/dev/loop"),
        "{load:#}"
    );
}

#[test]
fn a_command_that_fails_ends_the_tune_with_its_words() {
    let Some(disk) = Loop::new(16) else { return };
    let before = disk.settings();
    let tune = |command: &str| {
        let words = [
            "tune",
            &disk.device,
            "--command",
            command,
            "--knob",
            "nr_requests=64",
        ];
        let output = Iodyno::new().run(&words);
        assert_eq!(disk.settings(), before);
        (code(&output), text(&output.stderr))
    };
    let (exit, said) = tune("echo no route to the server; exit 2");
    assert_eq!(exit, 5, "{said}");
    assert!(
        said.contains("it ended with status 2; its last words: no route to the server"),
        "{said}"
    );
    let (exit, said) = tune("for i in 1 2 3; do echo progress: $i.0 s, 10 tps; sleep 0.3; done");
    assert_eq!(exit, 5, "{said}");
    assert!(
        said.contains("the load ended before the experiment did"),
        "{said}"
    );
}

#[test]
fn a_plan_for_a_directory_promises_no_scratch_file() {
    let dir = Dir::new("command");
    let target = dir.path().to_string_lossy().into_owned();
    let words = ["tune", &target, "--command", "sleep 9", "--dry-run"];
    let output = Iodyno::new().run(&words);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(
        said.contains("judged by printed rate") && !said.contains("scratch"),
        "{said}"
    );
}

#[test]
fn a_command_that_nobody_typed_is_not_run() {
    let dir = Dir::new("command");
    let marker = dir.path().join("was-run");
    let option = format!("command=touch {}", marker.display());
    let target = dir.path().to_string_lossy().into_owned();
    let words = [
        "run",
        &target,
        "--ioengine",
        "command",
        "--engine-option",
        &option,
        "--runtime",
        "1s",
    ];
    let output = Iodyno::new().run(&words);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    assert!(said.contains("give it with --command"), "{said}");
    assert!(!marker.exists());
    let both = Iodyno::new().run(&["run", &target, "--command", "true", "--rw", "read"]);
    assert_eq!(code(&both), 2, "{}", text(&both.stderr));
}
