//! A captured record, told whole: what the report says of it is compared with a file.
//!
//! `IODYNO_BLESS=1 cargo test -p page --test golden` writes it anew; the diff is then for a person to judge.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop here")]
#![allow(clippy::disallowed_methods, reason = "a test stands outside the one door")]

use model::record::Record;
use page::{About, figures, markdown};
use std::path::{Path, PathBuf};

fn testdata(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(below)
}

fn record(name: &str) -> Record {
    let text = std::fs::read_to_string(testdata(&format!("records/{name}.json"))).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(document["record"].clone()).unwrap()
}

/// Titles, descriptions and captions of the figures: everything in them that is text.
fn texts(record: &Record) -> String {
    let one = |figure: &page::Figure| {
        let absent = figure.absent.as_ref().map_or(String::new(), |why| format!("absent: {why}\n"));
        format!("[{}] {}\n{}\n{}\n{absent}\n", figure.id, figure.title, figure.description, figure.caption)
    };
    figures::figures(record).iter().map(one).collect()
}

fn compare(below: &str, found: &str) {
    let path = testdata(below);
    if std::env::var_os("IODYNO_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(wanted == found, "{} differs; this was found:\n{found}", path.display());
}

#[test]
fn a_run_is_told_as_before() {
    let record = record("run");
    let about = About { id: Some(1), ..About::default() };
    compare("golden/report/run.txt", &texts(&record));
    compare("golden/report/run-report.txt", &markdown(&record, &about));
}
