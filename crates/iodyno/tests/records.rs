//! The store as a user meets it.

use crate::support::{Dir, Iodyno, code, text};

#[test]
fn a_record_is_listed_and_shown() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("records"));
    let target = dir.path().to_str().unwrap();
    let (made, _) = iodyno.json(&["run", target, "--runtime", "300ms", "--size", "16m"]);
    let id = made["id"].as_i64().unwrap().to_string();
    let (list, _) = iodyno.json(&["list"]);
    assert_eq!(list["records"][0]["id"], made["id"]);
    let (shown, _) = iodyno.json(&["show", &id]);
    assert_eq!(
        shown["record"], made["record"],
        "what is shown is what was measured"
    );
    assert!(text(&iodyno.run(&["show", &id]).stdout).contains("random read"));
    assert_eq!(code(&iodyno.run(&["show", "999"])), 2);
}

#[test]
fn a_damaged_store_is_left_as_it_is() {
    let iodyno = Iodyno::new();
    let path = iodyno.state.path().join("records.db");
    std::fs::write(&path, "this is not a database. ".repeat(1_000)).unwrap();
    let output = iodyno.run(&["list"]);
    assert_eq!(code(&output), 5);
    assert!(
        text(&output.stderr).contains("records.db.damaged"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .starts_with("this is not")
    );
    assert_eq!(
        code(&iodyno.run(&["inspect", "."])),
        0,
        "what needs no store works"
    );
}
