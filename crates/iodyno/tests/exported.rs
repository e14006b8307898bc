//! `apply RECORD --as`: what another tool is given does what the record says, there and back.

use crate::support::{Iodyno, Loop, code, text};
use crate::undo::store_a_win;
use std::path::Path;
use std::process::{Command, Output};

pub fn win() -> Option<(Loop, Iodyno, String)> {
    let disk = Loop::in_memory(16)?;
    disk.set("scheduler", "none");
    if disk.lacks_scheduler("mq-deadline") {
        return None;
    }
    let iodyno = Iodyno::new();
    let record = store_a_win(&iodyno, &disk.name, "none", "mq-deadline");
    Some((disk, iodyno, record))
}

pub fn run(program: &str, words: &[&str]) -> Output {
    Command::new(program).args(words).output().unwrap()
}

#[test]
fn the_script_sets_and_puts_back() {
    let Some((disk, iodyno, record)) = win() else {
        return;
    };
    disk.set("read_ahead_kb", "68");
    let before = disk.settings();
    let file = iodyno.state.path().join("set it.sh");
    let script = file.to_str().unwrap();
    let made = iodyno.run(&["apply", &record, "--as", "shell", "-o", script]);
    assert_eq!(code(&made), 0, "{}", text(&made.stderr));
    assert_eq!(disk.settings(), before, "nothing is changed by it");
    let said = std::fs::read_to_string(script).unwrap();
    assert!(
        said.contains(&format!("record {record} ")) && said.contains("Proof: a win for the test"),
        "{said}"
    );
    let again = iodyno.run(&["apply", &record, "--as", "shell", "-o", script]);
    assert_eq!(code(&again), 5, "a file that is there stays");
    for shell in ["dash", "bash", "busybox"] {
        let words: &[&str] = if shell == "busybox" {
            &["sh", script]
        } else {
            &[script]
        };
        if Command::new(shell).arg("--help").output().is_err() {
            continue;
        }
        for _ in 0..2 {
            let set = run(shell, words);
            assert!(set.status.success(), "{shell}: {}", text(&set.stderr));
            assert!(disk.settings().contains(&"scheduler=mq-deadline".into()));
        }
        let undone = run(shell, &[words, &["undo"]].concat());
        assert!(undone.status.success(), "{shell}: {}", text(&undone.stderr));
        assert_eq!(disk.settings(), before, "{shell}");
        assert!(
            !run(shell, &[words, &["undo"]].concat()).status.success(),
            "nothing is left to undo"
        );
    }
}

/// The `ansible-playbook` of this checkout; without one, that is noted as a skip.
pub fn ansible() -> Option<String> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../target/tools/ansible/bin/ansible-playbook");
    if !tool.exists() {
        skip::missing("ansible-playbook", "it is not in target/tools");
        return None;
    }
    tool.to_str().map(str::to_string)
}

#[test]
fn a_profile_names_the_disk_and_its_scheduler() {
    let Some((disk, iodyno, record)) = win() else {
        return;
    };
    let made = iodyno.run(&["apply", &record, "--as", "tuned"]);
    let profile = text(&made.stdout);
    assert_eq!(code(&made), 0, "{}", text(&made.stderr));
    assert!(
        profile.ends_with(&format!(
            "\n[disk]\ndevices={}\nelevator=mq-deadline\n",
            disk.name
        )),
        "{profile}"
    );
    for bad in [
        &["--as", "tuned", "--persist"][..],
        &["--as", "chef"],
        &["-o", "x"],
    ] {
        assert_eq!(
            code(&iodyno.run(&[&["apply", &record], bad].concat())),
            2,
            "{bad:?}"
        );
    }
}
