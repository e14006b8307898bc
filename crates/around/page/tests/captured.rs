//! A captured record, told whole: what its report says must be what the record holds.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop here"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a test stands outside the one door"
)]

use model::record::Record;
use model::units;
use page::{About, Figure, figures, markdown, report};
use std::path::Path;

fn record(name: &str) -> Record {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../../testdata/records/{name}.json"));
    let document: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    serde_json::from_value(document["record"].clone()).unwrap()
}

fn figure(record: &Record, id: &str) -> Figure {
    figures::figures(record)
        .into_iter()
        .find(|figure| figure.id == id)
        .unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn the_report_of_a_run_says_what_the_record_holds() {
    let record = record("run");
    let about = About {
        id: Some(1),
        ..About::default()
    };
    let (page, text) = (report(&record, &about), markdown(&record, &about));
    let finding = &record.findings[0];
    assert!(
        page.contains(&format!("<h1 id=\"claim\">{}</h1>", record.summary)),
        "the claim comes first"
    );
    assert!(page.contains("iodyno run /srv --rw randrw --runtime 2s --size 64m --interval 200ms"));
    assert!(page.contains(&format!("iodyno explain {}", finding.rule)));
    for told in [&page, &text] {
        assert!(
            told.contains(&finding.advice) && told.contains("One run: no comparison is claimed.")
        );
    }
}

#[test]
fn the_figures_of_a_run_are_made_of_its_numbers() {
    let record = record("run");
    let load = record.load().unwrap();
    let percentiles = figure(&record, "percentiles");
    for (side, done) in [("Read", &load.read), ("write", &load.write)] {
        let p99 = units::duration_ns(done.latency.quantile_ns(0.99).unwrap() as f64);
        assert!(
            percentiles.title.contains(&format!("{side} p99 {p99}")),
            "{}",
            percentiles.title
        );
    }
    let map = figure(&record, "latency-map-read");
    let counted: u64 = map
        .table
        .rows
        .iter()
        .map(|row| row[2].parse::<u64>().unwrap())
        .sum();
    assert_eq!(
        counted,
        load.intervals
            .iter()
            .map(|interval| interval.read.ios)
            .sum::<u64>()
    );
    let mean = load
        .intervals
        .iter()
        .map(|interval| interval.write.bytes)
        .sum::<u64>() as f64
        / load
            .intervals
            .iter()
            .map(|interval| interval.length_ms)
            .sum::<u64>() as f64
        * 1e3;
    let bandwidth = figure(&record, "bandwidth");
    let told = format!("write {}", units::bytes_per_s(mean));
    assert!(
        bandwidth.title.contains(&told),
        "{}, not {told}",
        bandwidth.title
    );
}
