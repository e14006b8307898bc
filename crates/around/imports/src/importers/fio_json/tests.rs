//! What comes of fio's JSON as a record.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use crate::{Import, import};

fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/fio-json")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

fn read(text: &str) -> Import {
    import("x", &mut text.as_bytes()).unwrap()
}

#[test]
fn every_version_gives_one_result_with_its_histogram() {
    for version in [
        "2.17", "2.20", "2.21", "3.1", "3.8", "3.12", "3.20", "3.36", "3.39",
    ] {
        let import = read(&fixture(&format!("fio-{version}.json")));
        assert_eq!(import.results.len(), 1, "{version}: {:?}", import.unread);
        let result = &import.results[0];
        assert_eq!(result.importer, "fio_json");
        assert!(
            result.tool.starts_with(&format!("fio-{version}")),
            "{}",
            result.tool
        );
        let load = result.load.as_ref().unwrap();
        let ios: u64 = load
            .sides()
            .filter(|(name, _)| *name != "sync")
            .filter_map(|(_, side)| side.ios)
            .sum();
        assert_eq!(ios, 512, "{version}");
        let read = load.read.as_ref().unwrap();
        let counts = read
            .latencies
            .iter()
            .filter_map(|latency| latency.histogram.as_ref());
        assert!(
            counts
                .map(|histogram| histogram.total())
                .any(|total| Some(total) == read.ios),
            "{version}"
        );
        assert!(
            result.facts.contains_key("bs"),
            "{version}: {:?}",
            result.facts
        );
    }
}

#[test]
fn documents_of_one_run_are_one_result_and_those_of_two_are_two() {
    let one = |time: u64, elapsed: u64, ios: u64| {
        format!(
            "{{\n\"fio version\": \"fio-3.33\", \"timestamp\": {time}, \"jobs\": [{{\"jobname\": \"a\", \"elapsed\": {elapsed}, \
             \"read\": {{\"total_ios\": {ios}, \"io_bytes\": 1, \"io_kbytes\": 1}}}}]\n}}\n"
        )
    };
    let growing = read(&format!(
        "{}{}{}",
        one(1000, 10, 5),
        one(1010, 20, 9),
        one(1020, 30, 12)
    ));
    let ios = |import: &Import, at: usize| {
        import.results[at]
            .load
            .as_ref()
            .unwrap()
            .read
            .as_ref()
            .unwrap()
            .ios
    };
    assert_eq!((growing.results.len(), ios(&growing, 0)), (1, Some(12)));
    let two = read(&format!(
        "{}text between\n{}",
        one(1000, 10, 5),
        one(5000, 10, 5)
    ));
    assert_eq!((two.results.len(), two.results[1].lines), (2, Some((5, 7))));
}

#[test]
fn a_document_that_is_cut_is_said_beside_the_one_that_is_whole() {
    let whole = fixture("fio-3.33.jsonplus.json");
    let import = read(&format!("{whole}{}", &whole[..whole.len() / 2]));
    assert_eq!(import.results.len(), 1);
    assert!(
        import
            .unread
            .iter()
            .any(|unread| unread.why.contains("cut off")),
        "{:?}",
        import.unread
    );
}

#[test]
fn a_pasted_document_may_have_typographic_quotes() {
    let text = fixture("fio-3.33.jsonplus.json").replacen(
        "\"fio version\"",
        "\u{201c}fio version\u{201d}",
        1,
    );
    assert_eq!(read(&text).results.len(), 1);
}
