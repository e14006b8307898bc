//! Reports as a user makes them: files with what was measured in them, and never over somebody else's.

use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;

/// A record of a short run, its number, and a directory for the files.
pub fn made() -> (Iodyno, Dir, Value, String) {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("report"));
    let target = dir.path().to_str().unwrap();
    let (run, _) = iodyno.json(&[
        "run",
        target,
        "--runtime",
        "1s",
        "--size",
        "16m",
        "--interval",
        "100ms",
        "--rw",
        "randrw",
    ]);
    let id = run["id"].as_i64().unwrap().to_string();
    (iodyno, dir, run, id)
}

pub fn path(dir: &Dir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_string()
}

#[test]
fn a_report_never_replaces_what_is_there() {
    let (iodyno, dir, _, id) = made();
    let there = path(&dir, "notes.md");
    std::fs::write(&there, "mine").unwrap();
    let refused = iodyno.run(&["report", &id, "-o", &there]);
    assert_eq!(code(&refused), 4);
    assert!(
        text(&refused.stderr).contains("--force"),
        "{}",
        text(&refused.stderr)
    );
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
    assert_eq!(
        code(&iodyno.run(&["report", &id, "-o", &there, "--force"])),
        0
    );
    assert!(std::fs::read_to_string(&there).unwrap().starts_with("# "));
    let device = iodyno.run(&[
        "report",
        &id,
        "-o",
        "/dev/null",
        "--format",
        "md",
        "--force",
    ]);
    assert_eq!(code(&device), 4, "a device stays a device");
}

#[test]
fn a_record_of_another_machine_is_reported_from_its_file() {
    let (iodyno, dir, run, id) = made();
    let json = path(&dir, "r.json");
    assert_eq!(code(&iodyno.run(&["report", &id, "-o", &json])), 0);
    let other = Iodyno::new();
    let output = other.run(&["report", &json, "-o", "-", "--format", "md"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).starts_with("# "),
        "only the report is on stdout"
    );
    assert!(text(&output.stdout).contains(&format!("record: {id}")));
    assert_eq!(run["record"]["verb"], "run");
}

#[test]
fn what_cannot_be_written_is_said() {
    let iodyno = Iodyno::new();
    assert_eq!(code(&iodyno.run(&["report", "999"])), 2);
    assert_eq!(code(&iodyno.run(&["report", "/nowhere/at/all.json"])), 2);
    let (iodyno, dir, _, id) = made();
    let output = iodyno.run(&["report", &id, "-o", &path(&dir, "r.docx")]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains(".html, .md, .json or .csv"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(code(&iodyno.run(&["--json", "report", &id, "-o", "-"])), 2);
}
