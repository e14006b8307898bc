//! The documents over HTTP: the same as the verbs', as the description says, and nothing a checker can break.

use super::http::{Server, Visitor};
use crate::support::{Dir, Iodyno, text};
use serde_json::{Value, json};

/// A server with a directory, and two records of it.
pub fn served(more: &[&str]) -> (Iodyno, Dir, Server, Visitor) {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("api"));
    let path = dir
        .path()
        .canonicalize()
        .unwrap()
        .to_str()
        .unwrap()
        .to_string();
    for _ in 0..2 {
        let output = iodyno.run(&["run", &path, "--size", "8m", "--runtime", "1s"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let server = Server::start(&iodyno, &[&["--target", path.as_str()], more].concat());
    let visitor = server.log_in();
    (iodyno, dir, server, visitor)
}

#[test]
fn a_record_is_found_marked_drawn_and_deleted() {
    let (iodyno, _dir, _server, visitor) = served(&[]);
    let tagged = visitor
        .post("/api/v1/records/1/tags", r#"{"add": ["before", "größe"]}"#)
        .fine();
    assert_eq!(tagged["tags"], json!(["before", "größe"]));
    assert_eq!(
        visitor
            .post("/api/v1/records/1/tags", r#"{"remove": ["größe"]}"#)
            .fine()["tags"],
        json!(["before"])
    );
    visitor
        .post("/api/v1/records/1/notes", r#"{"text": "the fan\nwas off"}"#)
        .fine();
    let found = |query: &str| {
        let list = visitor.get(&format!("/api/v1/records?{query}")).fine();
        list["records"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(""), [2, 1]);
    assert_eq!(
        (found("tag=before"), found("before=2"), found("limit=1")),
        (vec![1], vec![1], vec![2])
    );
    assert_eq!((found("verb=tune"), found("text=FAN")), (vec![], vec![1]));
    let shown = visitor.get("/api/v1/records/1").fine();
    assert_eq!(
        (&shown["notes"][0]["text"], &shown["like"]),
        (&json!("the fan\nwas off"), &json!([2]))
    );
    let (by_verb, _) = iodyno.json(&["show", "1"]);
    assert_eq!(by_verb, shown, "the same document as the verb's");
    let figures = visitor.get("/api/v1/records/1/figures").fine();
    assert!(
        figures["figures"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["svg"].as_str().unwrap().starts_with("<svg"))
    );
    let report = visitor.get("/api/v1/records/1/report.html");
    let policy = report.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("sandbox allow-scripts; default-src 'none'")
            && report.text().contains("<html"),
        "{policy}"
    );
    let file = visitor.get("/api/v1/records/1/export.json");
    assert_eq!(
        file.header("content-disposition"),
        Some("attachment; filename=\"iodyno-1.json\"")
    );
    assert_eq!(
        visitor.delete("/api/v1/records/1").fine()["deleted"],
        json!([1])
    );
    assert_eq!(visitor.get("/api/v1/records/1").status, 404);
    assert_eq!(visitor.delete("/api/v1/records/1").status, 404);
}

#[test]
fn a_verb_says_the_same_over_http() {
    let (iodyno, dir, _server, visitor) = served(&["--read-only"]);
    let path = dir
        .path()
        .canonicalize()
        .unwrap()
        .to_str()
        .unwrap()
        .to_string();
    let key = visitor.key(&path);
    let machine = visitor.get(&format!("/api/v1/machine?target={key}")).fine();
    assert_eq!(machine["target"], path);
    let diagram = visitor.get(&format!("/api/v1/machine/diagram?target={key}"));
    assert!(diagram.fine()["svg"].as_str().unwrap().starts_with("<svg"));
    let (catalogue, _) = iodyno.json(&["catalogue"]);
    assert_eq!(visitor.get("/api/v1/catalogue").fine(), catalogue);
    let page = visitor.get("/api/v1/catalogue/knob/scheduler").fine();
    assert_eq!(
        (&page["kind"], &page["id"]),
        (&json!("knob"), &json!("scheduler"))
    );
    assert_eq!(
        visitor.get("/api/v1/catalogue/engine/scheduler").status,
        404
    );
    // Journals of other state directories are the machine's: tests beside this one make and end some at any moment.
    let own = |mut status: Value| {
        let elsewhere = status.as_object_mut().unwrap().remove("elsewhere");
        assert!(elsewhere.is_some_and(|journals| journals.is_array()));
        status
    };
    let (status, _) = iodyno.json(&["status"]);
    assert_eq!(own(visitor.get("/api/v1/changes").fine()), own(status));
    let plan = visitor.get("/api/v1/changes/plan?record=1");
    assert_eq!(
        (plan.status, plan.json()["exit"].as_i64()),
        (400, Some(2)),
        "a run proves no setting: {}",
        plan.text()
    );
}
