//! Records for other programs: what they read is what the store has.

use crate::store::filled;
use crate::support::{Iodyno, code, text};
use model::record::Record;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn shown(iodyno: &Iodyno) -> Vec<Record> {
    let (document, _) = iodyno.json(&["export", "--all"]);
    let records = document["records"].as_array().unwrap().iter();
    records
        .map(|one| serde_json::from_value(one["record"].clone()).unwrap())
        .collect()
}

#[test]
fn json_has_the_records_as_they_were_written() {
    let iodyno = Iodyno::new();
    let store = filled(&iodyno);
    store.tag(2, &["db"]).unwrap();
    store.note(2, "a } brace").unwrap();
    let (document, _) = iodyno.json(&["export", "2", "4"]);
    assert_eq!(document["schema"], "iodyno.export/1");
    let records = document["records"].as_array().unwrap();
    assert_eq!(
        (records.len(), &records[0]["tags"][0], &records[1]["id"]),
        (2, &"db".into(), &4.into())
    );
    assert_eq!(records[0]["notes"][0]["text"], "a } brace");
    let whole: Value = serde_json::from_str(&store.document(2).unwrap()).unwrap();
    assert_eq!(records[0]["record"], whole);
    assert_eq!(shown(&iodyno).len(), 4);
    assert_eq!(
        iodyno.json(&["export", "--host", "nobody"]).0["records"],
        serde_json::json!([])
    );
    for bad in [
        &["export"][..],
        &["export", "1"],
        &["export", "--csv"],
        &["export", "1", "--host", "x", "--csv"],
    ] {
        assert_eq!(code(&iodyno.run(bad)), 2, "{bad:?}");
    }
}

#[test]
fn csv_is_read_back_by_others() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    let csv = text(&iodyno.run(&["export", "--all", "--csv"]).stdout);
    assert!(csv.starts_with("record,time,verb,target,device,"), "{csv}");
    assert!(csv.contains("\"a summary, with \"\"quotes\"\",\n"), "{csv}");
    let samples = text(&iodyno.run(&["export", "1", "--csv=samples"]).stdout);
    assert_eq!(samples.lines().count(), 101);
    assert!(
        samples.contains("\n1,diskstats,disk.vda.inflight,ios,gauge,100000000,0.25\n"),
        "{samples}"
    );
    assert!(
        samples.contains("\n1,diskstats,disk.vda.inflight,ios,gauge,500000000,\n"),
        "nothing is not 0: {samples}"
    );
    assert_eq!(code(&iodyno.run(&["export", "1", "--csv=nothing"])), 2);
    if let Some(python) = python("csv") {
        let script = "import csv,sys; rows=list(csv.DictReader(sys.stdin)); print(len(rows), rows[1]['summary'][:9], rows[3]['iops'])";
        let file = iodyno.state.path().join("all.csv");
        std::fs::write(&file, &csv).unwrap();
        let stdin = std::fs::File::open(&file).unwrap();
        let output = Command::new(python)
            .args(["-c", script])
            .stdin(stdin)
            .output()
            .unwrap();
        assert_eq!(
            text(&output.stdout).trim(),
            "4 a summary 500",
            "{}",
            text(&output.stderr)
        );
    }
}

/// A Python that has a module; none, with the reason printed, where there is none.
pub fn python(module: &str) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/duckdb/bin/python");
    let candidates = [own, PathBuf::from("python3")];
    let has = |python: &&PathBuf| {
        let tried = Command::new(python)
            .args(["-c", &format!("import {module}")])
            .output();
        tried.is_ok_and(|output| output.status.success())
    };
    let found = candidates.iter().find(has).cloned();
    if found.is_none() {
        skip::missing("duckdb", format!("no Python with {module}"));
    }
    found
}

/// What DuckDB answers to queries, run where the export lies as `export`: a list of rows for each.
pub fn duckdb(python: &Path, place: &Path, queries: &[String]) -> Value {
    let script = "import duckdb, json, sys\n\
        answers = [duckdb.sql(query).fetchall() for query in json.load(sys.stdin)]\n\
        print(json.dumps(answers, default=str))";
    let file = place.join("queries.json");
    std::fs::write(&file, serde_json::to_string(queries).unwrap()).unwrap();
    let stdin = std::fs::File::open(&file).unwrap();
    let output = Command::new(python)
        .args(["-c", script])
        .stdin(stdin)
        .current_dir(place)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub const GUIDE: &str = include_str!("../../../docs/guide/records.md");

#[test]
fn every_table_and_column_stands_in_the_guide() {
    let iodyno = Iodyno::new();
    drop(filled(&iodyno));
    for table in ::store::table_names() {
        assert!(GUIDE.contains(&format!("### `{table}`")), "{table}");
        let csv = text(
            &iodyno
                .run(&["export", "1", &format!("--csv={table}")])
                .stdout,
        );
        for column in csv.lines().next().unwrap().split(',') {
            assert!(GUIDE.contains(&format!("`{column}`")), "{table}.{column}");
        }
    }
}
