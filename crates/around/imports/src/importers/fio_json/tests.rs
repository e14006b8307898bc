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

/// CPU time in user mode and in the kernel, per cent of one CPU.
fn cpu(text: &str) -> (f64, f64) {
    let load = read(text).results.remove(0).load.unwrap();
    (load.cpu_user_pct.unwrap(), load.cpu_system_pct.unwrap())
}

#[test]
fn cpu_time_of_a_group_is_that_of_all_its_jobs() {
    let of = |added: &str, options: &str| {
        format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"x","job options":{{"rw":"randread","bs":"4k"{options}}},
            "read":{{"io_bytes":400777216,"iops":97846.0,"runtime":1000,"total_ios":97846}},{added}"usr_cpu":0.98,"sys_cpu":17.15}}]}}"#
        )
    };
    let is = |found: (f64, f64), wanted: (f64, f64)| {
        (found.0 - wanted.0).abs() < 1e-9 && (found.1 - wanted.1).abs() < 1e-9
    };
    let group = cpu(&of(r#""job_runtime":4000,"#, ""));
    assert!(is(group, (3.92, 68.6)), "{group:?}");
    let alone = cpu(&of(r#""job_runtime":1000,"#, ""));
    assert!(is(alone, (0.98, 17.15)), "{alone:?}");
    // Before fio told the added time, options alone say that it is a group.
    let options = r#","numjobs":"4","group_reporting":"1""#;
    let old = cpu(&of("", options));
    assert!(is(old, (3.92, 68.6)), "{old:?}");
    let single = cpu(&of("", r#","numjobs":"4""#));
    assert!(is(single, (0.98, 17.15)), "{single:?}");
}
