//! `--json` when something fails: one document on stdout, `iodyno.error/1` or an answer with it inside, and the same words
//! on stderr.

use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

/// Runs with `--json`, checks the exit code and that the failure names what it is about, and gives it back.
fn failure(iodyno: &Iodyno, arguments: &[&str], exit: i32, on: &str) -> (Value, Output) {
    let (document, output) = iodyno.json(arguments);
    let failure = match document["schema"].as_str() {
        Some("iodyno.error/1") => document,
        _ => document["error"].clone(),
    };
    assert_eq!(code(&output), exit, "{arguments:?}: {failure}");
    assert_eq!(failure["schema"], "iodyno.error/1", "{arguments:?}");
    assert_eq!(failure["exit"], exit, "{arguments:?}: {failure}");
    let named = failure["on"].as_str().unwrap_or_default();
    assert!(named.contains(on), "{arguments:?}: {failure}");
    (failure, output)
}

fn member<'a>(failure: &'a Value, name: &str) -> &'a str {
    failure[name]
        .as_str()
        .unwrap_or_else(|| panic!("no {name} in {failure}"))
}

#[test]
fn a_command_line_that_makes_no_sense() {
    let iodyno = Iodyno::new();
    let (usage, output) = failure(&iodyno, &["inspect", "--al"], 2, "--al");
    assert_eq!(member(&usage, "error"), "unexpected argument '--al' found");
    assert!(member(&usage, "hint").contains("--all"), "{usage}");
    assert!(text(&output.stderr).starts_with("error: unexpected argument '--al'"));
    let (usage, _) = failure(&iodyno, &["frobnicate"], 2, "frobnicate");
    assert!(member(&usage, "hint").contains("--help"), "{usage}");
    let (usage, _) = failure(
        &iodyno,
        &["run", "/tmp", "--rw", "sideways"],
        2,
        "--rw <RW>",
    );
    assert!(member(&usage, "error").contains("sideways"), "{usage}");
    let plain = iodyno.run(&["inspect", "--al"]);
    assert!(
        plain.stdout.is_empty(),
        "documents are only for those who ask"
    );
}

#[test]
fn a_target_that_is_not_there() {
    let iodyno = Iodyno::new();
    for verb in ["inspect", "run", "check", "tune"] {
        let (missing, output) = failure(&iodyno, &[verb, "/no/such/place"], 5, "/no/such/place");
        assert_eq!(member(&missing, "why"), "nothing is there");
        assert!(member(&missing, "hint").starts_with("Name a directory"));
        assert!(!member(&missing, "error").contains("Name a directory"));
        let said = text(&output.stderr);
        assert!(said.contains(member(&missing, "error")), "{said}");
        assert!(said.contains(member(&missing, "hint")), "{said}");
    }
    let (missing, _) = failure(&iodyno, &["show", "12345"], 2, "records.db");
    assert!(member(&missing, "hint").contains("iodyno list"));
}

#[test]
fn a_file_that_would_be_overwritten() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("gate"));
    let file = dir.path().join("precious");
    std::fs::write(&file, vec![7; 1 << 20]).unwrap();
    let name = file.to_str().unwrap();
    let job = ["--rw", "write", "--runtime", "1s", "--direct", "0"];
    let arguments = [&["run", name], &job[..]].concat();
    let (refused, output) = failure(&iodyno, &arguments, 4, name);
    assert!(member(&refused, "why").contains("destroys the content"));
    assert!(member(&refused, "hint").contains("--overwrite"));
    assert!(text(&output.stderr).contains(member(&refused, "error")));
    assert_eq!(std::fs::read(&file).unwrap(), vec![7; 1 << 20]);
}

#[test]
fn a_stream_ends_with_its_failure() {
    let iodyno = Iodyno::new();
    for verb in ["run", "tune"] {
        let output = iodyno.run(&[verb, "/no/such/place", "--stream"]);
        assert_eq!(code(&output), 5);
        let said = text(&output.stdout);
        let last: Value = serde_json::from_str(&said).expect(&said);
        assert_eq!(last["schema"], "iodyno.error/1");
        assert_eq!(last["on"], "/no/such/place");
    }
    let output = iodyno.run(&["run", "/tmp", "--stream", "--iodepth", "many"]);
    let said = text(&output.stdout);
    let last: Value = serde_json::from_str(&said).expect(&said);
    assert_eq!(
        (&last["schema"], &last["exit"]),
        (&"iodyno.error/1".into(), &2.into())
    );
}

#[test]
fn a_journal_that_cannot_be_read() {
    let iodyno = Iodyno::new();
    let journals = iodyno.state.path().join("journal");
    std::fs::create_dir_all(&journals).unwrap();
    let private = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    private(iodyno.state.path(), 0o700);
    private(&journals, 0o700);
    let file = journals.join("1-2.journal");
    std::fs::write(&file, "this is no journal\n").unwrap();
    private(&file, 0o600);
    let (document, output) = iodyno.json(&["undo"]);
    assert_eq!(document["undone"][0]["whole"], false, "the answer is there");
    let said = text(&output.stderr);
    assert_eq!(said.matches("is damaged at line 1").count(), 1, "{said}");
    let (damaged, _) = failure(&iodyno, &["undo"], 5, "1-2.journal");
    assert!(member(&damaged, "why").contains("line 1"), "{damaged}");
    assert!(
        member(&damaged, "hint").contains("undo --salvage 1-2"),
        "{damaged}"
    );
    // What others may have written is not even looked at.
    private(&file, 0o666);
    for verb in ["status", "undo"] {
        let (untrusted, _) = failure(&iodyno, &[verb], 5, "1-2.journal");
        assert!(
            member(&untrusted, "why").contains("others may write"),
            "{untrusted}"
        );
    }
    assert!(file.exists());
}

#[test]
fn a_store_that_cannot_be_written() {
    let (mut iodyno, dir) = (Iodyno::new(), Dir::new("not-a-state"));
    let file = dir.path().join("state");
    std::fs::write(&file, "a file where the state directory should be").unwrap();
    let output = {
        let mut command = iodyno.command(&["--json", "run", "/tmp", "--runtime", "1s"]);
        command.env("IODYNO_STATE_DIR", &file).output().unwrap()
    };
    let failed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(failed["schema"], "iodyno.error/1");
    assert!(
        member(&failed, "on").starts_with(file.to_str().unwrap()),
        "{failed}"
    );
    assert_eq!(failed["exit"], code(&output));
    assert!(matches!(code(&output), 3..=5), "{failed}");
    // A store that is no store.
    iodyno.state = Dir::new("broken-store");
    std::fs::write(iodyno.state.path().join("records.db"), vec![b'x'; 8192]).unwrap();
    let (damaged, _) = failure(&iodyno, &["list"], 5, "records.db");
    assert!(member(&damaged, "hint").contains("iodyno store backup"));
    assert!(!member(&damaged, "error").contains('\n'));
}
