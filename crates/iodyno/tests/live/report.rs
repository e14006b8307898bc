//! Reports as a user makes them: files with what was measured in them, and never over somebody else's.

use crate::report::{made, path};
use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;
use std::path::Path;

/// The text of a report on these records, made as a file of this name.
fn reported(iodyno: &Iodyno, dir: &Dir, records: &[&str], name: &str) -> String {
    let file = path(dir, name);
    let output = iodyno.run(&[&["report"], records, &["-o", &file]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    std::fs::read_to_string(&file).unwrap()
}

#[test]
#[ignore = "live"]
fn every_format_says_what_was_measured() {
    let (iodyno, dir, run, id) = made();
    assert_eq!(code(&iodyno.run(&["tag", &id, "--add", "shelf-3"])), 0);
    assert_eq!(code(&iodyno.run(&["note", &id, "the fan was off"])), 0);
    let summary = run["record"]["summary"].as_str().unwrap();
    let html = path(&dir, "r.html");
    let (document, output) = iodyno.json(&[
        "report",
        &id,
        "-o",
        &html,
        "--figures",
        &path(&dir, "figures"),
    ]);
    assert_eq!(
        (code(&output), document["schema"].as_str().unwrap()),
        (0, "iodyno.report/1")
    );
    assert_eq!(document["summary"], run["record"]["summary"]);
    let page = std::fs::read_to_string(&html).unwrap();
    assert_eq!(
        document["files"][0]["bytes"].as_u64().unwrap(),
        page.len() as u64
    );
    assert!(
        page.contains(&format!("<h1 id=\"claim\">{summary}")),
        "the claim comes first"
    );
    assert!(
        page.contains("shelf-3") && page.contains("the fan was off"),
        "tags and notes stand in it"
    );
    assert!(page.contains("id=\"f-path\"") && page.contains("id=\"f-percentiles\""));
    let figures: Vec<&str> = document["files"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert!(
        figures.iter().any(|path| path.ends_with("percentiles.svg")),
        "{figures:?}"
    );
    for path in &figures {
        let svg = std::fs::read_to_string(path).unwrap();
        assert!(svg.starts_with("<?xml") && svg.contains("<desc>"), "{path}");
    }
    let markdown = reported(&iodyno, &dir, &[&id], "r.md");
    assert!(markdown.contains("## How to reproduce"));
    let series = reported(&iodyno, &dir, &[&id], "r.csv");
    let intervals = run["record"]["load"]["intervals"].as_array().unwrap().len();
    assert_eq!(
        series
            .lines()
            .filter(|line| line.starts_with("load,inflight,"))
            .count(),
        intervals
    );
    let json = reported(&iodyno, &dir, &[&id], "r.json");
    let whole: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(whole["record"], run["record"]);
}

#[test]
#[ignore = "live"]
fn a_record_holds_latencies_over_time() {
    let (_iodyno, _dir, run, _) = made();
    let load = &run["record"]["load"];
    for side in ["read", "write"] {
        let columns = load["latency_map"][side]
            .as_array()
            .unwrap_or_else(|| panic!("no map of {side}s"));
        let counted = |column: &Value| {
            column["rows"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row[1].as_u64().unwrap())
                .sum::<u64>()
        };
        let all: u64 = columns.iter().map(counted).sum();
        let of_intervals: u64 = load["intervals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one[side]["ios"].as_u64().unwrap())
            .sum();
        assert_eq!(
            all, of_intervals,
            "{side}: the map counts what the intervals count"
        );
    }
}

#[test]
#[ignore = "live"]
fn several_records_become_one_page() {
    let (iodyno, dir, _, first) = made();
    let target = dir.path().to_str().unwrap();
    let (run, output) = iodyno.json(&[
        "run",
        target,
        "--runtime",
        "1s",
        "--size",
        "16m",
        "--rw",
        "randrw",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let second = run["id"].as_i64().unwrap().to_string();
    let dd = path(&dir, "dd.txt");
    std::fs::write(
        &dd,
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.0 s, 537 MB/s\n",
    )
    .unwrap();
    let (html, figures) = (path(&dir, "both.html"), path(&dir, "figures"));
    let (document, output) = iodyno.json(&[
        "report",
        &first,
        &second,
        &dd,
        "-o",
        &html,
        "--figures",
        &figures,
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        document["records"].as_array().unwrap().len(),
        2,
        "a file has no number"
    );
    let page = std::fs::read_to_string(&html).unwrap();
    let sentence = document["summary"].as_str().unwrap();
    let claim = page.split_once("<h1 id=\"claim\">").unwrap().1;
    assert!(
        claim.starts_with(sentence.split(['&', '<', '\'', '"']).next().unwrap()),
        "{sentence}"
    );
    for part in [
        "f-percentiles-read",
        "f-percentiles-write",
        "f-rates",
        "A record 1",
        "dd.txt",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let svg = std::fs::read_to_string(Path::new(&figures).join("percentiles-read.svg")).unwrap();
    assert!(
        svg.contains(&format!("B record {second}")),
        "both are in the picture"
    );
    let csv = reported(&iodyno, &dir, &[&first, &second], "both.csv");
    assert!(csv.contains(",read.iops,/s,1,"));
    let json = reported(&iodyno, &dir, &[&first, &second], "both.json");
    let whole: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(whole["schema"], "iodyno.compare/1");
    assert_eq!(code(&iodyno.run(&["report"])), 2, "none is no record");
    assert_eq!(
        code(&iodyno.run(&["report", &first, "999", "-o", &path(&dir, "no.html")])),
        2
    );
}
