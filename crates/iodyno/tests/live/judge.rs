//! `judge` over pipes, with a simulated disk on the other side.

use crate::support::{Dir, Loop, code, text};
use skip::Outcome;
use std::process::Stdio;

/// A program of the guide's page, by the language of its fence.
fn of_the_guide(language: &str) -> String {
    let page = format!("{}/../../docs/guide/judge.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_string()
}

/// Runs a program of the guide with the binary under test first in the path.
fn run_of_the_guide(language: &str, words: &[&str]) -> (i32, String) {
    let dir = Dir::new("judge-guide");
    let file = dir.path().join("driver");
    std::fs::write(&file, of_the_guide(language)).unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_iodyno"));
    let found = std::env::var("PATH").unwrap();
    let path = format!("{}:{found}", binary.parent().unwrap().display());
    let program = match language {
        "python" => "python3",
        other => other,
    };
    let output = std::process::Command::new(program)
        .arg(&file)
        .args(words)
        .env("PATH", path)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    (code(&output), text(&output.stdout) + &text(&output.stderr))
}

#[test]
#[ignore = "live"]
fn the_guides_driver_in_python_judges_a_database() {
    let dir = Dir::new("judge-sqlite");
    let database = dir.path().join("test.db");
    let (exit, said) = run_of_the_guide("python", &[database.to_str().unwrap()]);
    // A commit that waits for no disk is never the slower one.
    assert!(
        [0, 6].contains(&exit) && said.trim_end().ends_with('.'),
        "{exit}: {said}"
    );
    let is_true = !said.contains("The default FULL is better");
    skip::measured(Outcome::right_if(is_true), said);
}

#[test]
#[ignore = "live"]
fn the_guides_driver_in_a_shell_judges_a_disk_and_puts_it_back() {
    let Some(disk) = Loop::new(64) else { return };
    disk.set("scheduler", "none");
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    let before = disk.settings();
    let mut load = std::process::Command::new("fio")
        .args([
            "--name=load",
            "--thread",
            "--rw=randread",
            "--bs=4k",
            "--iodepth=4",
            "--direct=1",
        ])
        .args([
            "--ioengine=libaio",
            "--time_based",
            "--runtime=300",
            "--readonly",
        ])
        .arg("--eta=never")
        .arg(format!("--filename={}", disk.device))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (exit, said) = run_of_the_guide("bash", &[&disk.name, "none", "mq-deadline"]);
    load.kill().unwrap();
    load.wait().unwrap();
    assert!(said.trim_end().ends_with('.'), "{exit}: {said}");
    assert_eq!(disk.settings(), before, "{said}");
}
