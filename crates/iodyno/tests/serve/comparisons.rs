//! Files that are sent become records, and records stand side by side, ranked, and over time: as the verbs say it.

use super::http::{Server, Visitor};
use crate::support::{Iodyno, text};
use serde_json::Value;
use std::path::Path;

/// Sends a file as the page does, and gives what became of it.
fn send(visitor: &Visitor, name: &str, content: &[u8]) -> Value {
    let mut headers = visitor.headers("POST");
    headers.push(("X-File-Name".into(), name.into()));
    visitor
        .send("POST", "/api/v1/imports", &headers, content)
        .fine()
}

/// Three results of dd, one job, with the last twice as fast.
fn served() -> (Iodyno, Server, Visitor, Vec<i64>) {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let mut ids = Vec::new();
    for (name, seconds, rate) in [("a.txt", "2.0", "537 MB/s"), ("b.txt", "1.0", "1.1 GB/s")] {
        let said = format!("1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, {rate}\n");
        let document = send(&visitor, name, said.as_bytes());
        ids.extend(
            document["ids"]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_i64().unwrap()),
        );
    }
    assert_eq!(ids.len(), 2);
    (iodyno, server, visitor, ids)
}

#[test]
fn records_are_compared_and_ranked_as_the_verbs_do_it() {
    let (iodyno, _server, visitor, ids) = served();
    let (a, b) = (ids[0].to_string(), ids[1].to_string());
    let document = visitor.get(&format!("/api/v1/compare?r={a},{b}")).fine();
    assert_eq!(document, iodyno.json(&["compare", &a, &b]).0);
    assert!(
        document["sentence"].as_str().unwrap().contains("2.0 times"),
        "{document}"
    );
    let turned = visitor
        .get(&format!("/api/v1/compare?r={a},{b}&base={b}"))
        .fine();
    assert_eq!(
        (&turned["base"], &document["base"]),
        (&Value::from(1), &Value::from(0))
    );
    let ranking = visitor.get(&format!("/api/v1/rank?r={a},{b}")).fine();
    assert_eq!(ranking, iodyno.json(&["compare", "--rank", &a, &b]).0);
    assert_eq!(ranking["jobs"][0]["ratios"], "1 : 2");
    let alone = visitor.get(&format!("/api/v1/compare?r={a}"));
    assert!((400..500).contains(&alone.status), "{}", alone.text());
    assert!(alone.text().contains("second record"), "{}", alone.text());
    let unknown = visitor.get(&format!("/api/v1/compare?r={a},999"));
    assert!((400..500).contains(&unknown.status), "{}", unknown.text());
    for words in ["r=--help", "r=1;2", "r=/etc/passwd,1", ""] {
        assert_eq!(
            visitor.get(&format!("/api/v1/compare?{words}")).status,
            400,
            "{words}"
        );
    }
}

#[test]
fn records_are_drawn_on_common_axes() {
    let (_iodyno, _server, visitor, dd) = served();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fio-json");
    let read = |name: &str| std::fs::read(sample.join(name)).unwrap();
    let mut ids: Vec<i64> = Vec::new();
    for name in ["fio-3.33.jsonplus.json", "fio-3.36.json"] {
        ids.push(
            send(&visitor, name, &read(name))["ids"][0]
                .as_i64()
                .unwrap(),
        );
    }
    let drawn = |query: &str| visitor.get(&format!("/api/v1/compare/figures?{query}"));
    let figures =
        drawn(&format!("r={},{}&base={}", ids[0], ids[1], ids[1])).fine()["figures"].clone();
    let percentiles = figures
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"].as_str().unwrap().starts_with("percentiles-"));
    let percentiles = percentiles.unwrap_or_else(|| panic!("{figures}"));
    let head: Vec<&str> = percentiles["table"]["head"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        head[2].starts_with(&format!("A record {}", ids[1])),
        "the base is A: {head:?}"
    );
    assert!(
        head[3].starts_with(&format!("B record {}", ids[0])),
        "{head:?}"
    );
    let of_dd = drawn(&format!("r={},{}", dd[0], dd[1])).fine();
    assert_eq!(
        of_dd["figures"],
        serde_json::json!([]),
        "dd prints nothing that could be drawn"
    );
    assert_eq!(drawn("r=999,1").status, 404);
}

#[test]
fn records_side_by_side_are_one_file() {
    let (iodyno, _server, visitor, ids) = served();
    let (a, b) = (ids[0].to_string(), ids[1].to_string());
    let page = visitor.get(&format!("/api/v1/compare/report.html?r={a},{b}&base={b}"));
    assert_eq!(page.status, 200, "{}", page.text());
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("sandbox allow-scripts; default-src 'none'"),
        "{policy}"
    );
    let printed = iodyno.run(&["report", "-o", "-", &b, &a]);
    assert_eq!(
        page.text().trim_end(),
        text(&printed.stdout).trim_end(),
        "the base comes first"
    );
    assert_eq!(visitor.get("/api/v1/compare/report.html?r=1;2").status, 400);
    let unknown = visitor.get(&format!("/api/v1/compare/report.html?r={a},999"));
    assert!((400..500).contains(&unknown.status), "{}", unknown.text());
}

#[test]
fn one_target_over_time_is_what_history_prints() {
    let (iodyno, _server, visitor, ids) = served();
    let record = visitor.get(&format!("/api/v1/records/{}", ids[0])).fine();
    let target = record["record"]["target"].as_str().unwrap();
    let (by_verb, output) = iodyno.json(&["history", "--", target]);
    assert!(
        output.status.success(),
        "{target}: {}",
        text(&output.stderr)
    );
    let answer = visitor.get(&format!("/api/v1/history?device={target}"));
    assert_eq!(answer.fine(), by_verb);
    assert_eq!(by_verb["schema"], "iodyno.history/1");
    let nobody = visitor.get("/api/v1/history?device=no-such-disk");
    assert!((400..500).contains(&nobody.status), "{}", nobody.text());
    let output = iodyno.run(&["history", "--", "no-such-disk"]);
    assert!(
        nobody.text().contains("no record of `no-such-disk`"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(
        visitor.get("/api/v1/history").status,
        400,
        "a device has to be named"
    );
}

#[test]
fn a_file_that_nobody_knows_becomes_no_record() {
    let iodyno = Iodyno::new();
    let server = Server::start(&iodyno, &[]);
    let visitor = server.log_in();
    let mut headers = visitor.headers("POST");
    headers.push(("X-File-Name".into(), "letter.txt".into()));
    let answer = visitor.send("POST", "/api/v1/imports", &headers, b"dear reader\n");
    assert!(
        answer.status == 422 || answer.fine()["ids"] == serde_json::json!([]),
        "{}",
        answer.text()
    );
    assert_eq!(
        visitor.get("/api/v1/records").fine()["records"],
        serde_json::json!([])
    );
}
