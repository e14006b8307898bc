//! Settings over HTTP: the plan first, then what it said and nothing else, and back again; read from the kernel each time.

use super::http::{Server, Visitor};
use crate::support::{Iodyno, Loop};
use crate::undo::store_a_win;
use serde_json::{Value, json};

/// That the plan of a record names the device and the change.
fn assert_planned(visitor: &Visitor, record: i64, device: &str) {
    let plan = visitor
        .get(&format!("/api/v1/changes/plan?record={record}"))
        .fine();
    let words: Vec<&str> = plan["words"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        words.iter().any(|line| line.contains("none → mq-deadline")),
        "{words:?}"
    );
    assert_eq!(plan["document"]["device"], device);
}

/// The changes that stand.
fn journals(visitor: &Visitor) -> Vec<String> {
    let status = visitor.get("/api/v1/changes").fine();
    let journals = status["journals"].as_array().unwrap().iter();
    journals
        .map(|journal| journal["id"].as_str().unwrap().to_string())
        .collect()
}

/// That the first change can be put back by `undo` and its id alone.
fn assert_can_be_put_back(visitor: &Visitor, journal: &str) {
    let status = visitor.get("/api/v1/changes").fine();
    assert_eq!(
        status["journals"][0]["way_out"],
        json!({"aim": "put it back", "option": null, "command": format!("iodyno undo {journal}")})
    );
}

#[test]
fn a_setting_is_planned_applied_and_taken_back() {
    let Some(disk) = Loop::new(16) else { return };
    disk.set("scheduler", "none");
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let record: i64 = store_a_win(&iodyno, &disk.name, "none", "mq-deadline")
        .parse()
        .unwrap();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    assert_planned(&visitor, record, &disk.name);
    assert_eq!(disk.settings(), before, "a plan changes nothing");
    let apply = |confirm: &str| {
        visitor.post(
            "/api/v1/changes/apply",
            &json!({"record": record, "confirm": confirm}).to_string(),
        )
    };
    let other = apply("sda");
    assert_eq!(other.status, 409, "{}", other.text());
    assert_eq!(
        disk.settings(),
        before,
        "another device's name confirms nothing"
    );
    let applied = apply(&disk.name).fine();
    assert_eq!(applied["schema"], "iodyno.apply/2");
    assert!(
        disk.settings()
            .contains(&"scheduler=mq-deadline".to_string()),
        "{:?}",
        disk.settings()
    );
    let journal = applied["journal"].as_str().unwrap();
    assert_eq!(journals(&visitor), [journal]);
    assert_can_be_put_back(&visitor, journal);
    let undo = || {
        visitor.post(
            "/api/v1/changes/undo",
            &json!({"journal": journal}).to_string(),
        )
    };
    let undone = undo().fine();
    assert_eq!(undone["schema"], "iodyno.undo/1");
    assert_eq!(disk.settings(), before);
    assert_eq!(journals(&visitor), [""; 0]);
    let again = undo();
    assert!(
        again.status >= 400,
        "there is nothing left to undo: {}",
        again.text()
    );
    let forever = visitor.post(
        "/api/v1/changes/apply",
        &json!({"record": record, "confirm": disk.name, "persist": true}).to_string(),
    );
    assert!(
        forever.status >= 400,
        "a loop device cannot be made permanent: {}",
        forever.text()
    );
    assert_eq!(
        disk.settings(),
        before,
        "and then nothing is applied either"
    );
}
