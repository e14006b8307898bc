//! What is shown of a record whose every word is hostile, by every verb that shows one.

use super::{EVIL, Hostile, hostname, is_harmless, kept_before, tuned};
use crate::support::{Dir, Iodyno, code, text};
use model::record::Record;
use serde_json::Value;

/// Puts `EVIL` behind every string of a document that may be any text; what has to be a word of a list stays.
fn poisoned(document: &Value) -> Record {
    let mut document = document.clone();
    for place in places(&document, &mut Vec::new()) {
        let kept = document.pointer(&place).unwrap().clone();
        let text = format!("{}{EVIL}", kept.as_str().unwrap());
        *document.pointer_mut(&place).unwrap() = text.into();
        if serde_json::from_value::<Record>(document.clone()).is_err() {
            *document.pointer_mut(&place).unwrap() = kept;
        }
    }
    serde_json::from_value(document).unwrap()
}

/// Pointers to every string.
fn places(value: &Value, at: &mut Vec<String>) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::String(_) => return vec![at.iter().map(|part| format!("/{part}")).collect()],
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, item)| (name.clone(), item))
            .collect(),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for (part, item) in below {
        at.push(part.replace('~', "~0").replace('/', "~1"));
        found.extend(places(item, at));
        at.pop();
    }
    found
}

/// A run, a tune and whatever the fixtures hold, every word of them hostile.
fn records() -> Vec<Record> {
    let run =
        serde_json::to_value(crate::store::record("a", "vda", 1_700_000_000_000, "x")).unwrap();
    let tune =
        serde_json::to_value(tuned(&hostname(), &[("scheduler", "vda", "none", "kyber")])).unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records");
    let fixtures = std::fs::read_dir(folder).unwrap().filter_map(|entry| {
        let content = std::fs::read(entry.unwrap().path()).ok()?;
        let document: Value = serde_json::from_slice(&content).ok()?;
        Some(document.get("record").unwrap_or(&document).clone())
            .filter(|one| one["path"].is_object())
    });
    let all: Vec<Value> = [run, tune].into_iter().chain(fixtures).collect();
    assert!(all.len() > 2, "the fixtures are there");
    all.iter().map(poisoned).collect()
}

#[test]
fn no_verb_shows_what_a_terminal_would_obey() {
    let iodyno = Iodyno::new();
    let records = records();
    kept_before(&iodyno, &records, EVIL);
    let shown = |arguments: &[&str]| {
        let output = iodyno.run(arguments);
        is_harmless(&text(&output.stdout), &format!("{arguments:?}"));
        is_harmless(&text(&output.stderr), &format!("{arguments:?}"));
        text(&output.stdout)
    };
    assert!(shown(&["list", "-n", "100"]).lines().count() >= records.len());
    for id in 1..=records.len() {
        let id = id.to_string();
        assert!(!shown(&["show", &id]).is_empty());
        shown(&["report", &id, "--format", "md", "-o", "-"]);
        shown(&["report", &id, "--format", "html", "-o", "-"]);
        shown(&["apply", &id, "--from-elsewhere", "--dry-run"]);
        shown(&["compare", "1", &id]);
        shown(&["compare", "1", &id, "--markdown", "-"]);
    }
    for arguments in [
        &["compare", "--rank", "1", "2", "3"][..],
        &["history", "vda"],
        &["history", "/dev/vda"],
        &["note", "1"],
        &["tag"],
        &["status"],
        &["store", "check"],
        &["delete", "1", "--yes"],
        &["diff", "2", "3"],
    ] {
        shown(arguments);
    }
}

#[test]
fn a_captured_machine_and_names_of_files_are_shown_clean() {
    let iodyno = Iodyno::new();
    let dir = Dir::new("shown");
    let evil = EVIL.replace('\n', " ");
    let path = dir.path().join("evil.host");
    let lines = |path: &str, value: &str| format!("path: {path}\nlines: 1\n{value}\n");
    let capture = [
        "iodyno-host 1\n".to_string(),
        "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n".into(),
        lines("/sys/devices/p/sda/dev", "8:0"),
        lines("/sys/devices/p/sda/size", "2048"),
        lines("/sys/devices/p/sda/device/model", &evil),
        lines("/sys/devices/p/sda/device/vendor", &evil),
        lines(
            "/sys/devices/p/sda/queue/scheduler",
            &format!("none [{evil}]"),
        ),
        lines("/proc/sys/kernel/osrelease", &evil),
        lines("/proc/cmdline", &evil),
        "path: /dev/sda\nblock: 8:0\n".into(),
    ];
    std::fs::write(&path, capture.concat()).unwrap();
    let file = path.to_str().unwrap();
    let odd = dir.path().join(format!("x{EVIL}.txt"));
    std::fs::write(&odd, "nothing that anybody knows").unwrap();
    let odd = odd.to_str().unwrap();
    for arguments in [
        &["inspect", "--root", file, "/dev/sda"][..],
        &["inspect", "--all", "--root", file, "/dev/sda"],
        &["check", "--root", file, "/dev/sda"],
        &["import", odd],
        &["import", "--dry-run", odd],
        &["merge", odd],
        &["merge", &format!("{odd}.gone")],
        &["report", odd],
        &["inspect", &format!("/nowhere/{EVIL}")],
        &["inspect", "--root", odd, "/"],
        &["run", &format!("/nowhere/{EVIL}")],
        &["run", "/tmp", "--", &format!("-rw={EVIL}")],
        &["import", dir.path().to_str().unwrap()],
    ] {
        let output = iodyno.run(arguments);
        is_harmless(&text(&output.stdout), &format!("{arguments:?}"));
        is_harmless(&text(&output.stderr), &format!("{arguments:?}"));
    }
}

#[test]
fn a_command_in_a_record_cannot_leave_its_block_of_a_markdown_report() {
    let mut record = crate::store::record("a", "vda", 1_700_000_000_000, "x");
    let words = [
        "iodyno",
        "run",
        "a\n```\n# OWNED\n<img src=x>",
        "````",
        "~~~",
        "\u{202e}x",
    ];
    record.provenance.command = words.map(str::to_string).to_vec();
    let hostile = Hostile::new(&[record]);
    let iodyno = Iodyno::new();
    assert_eq!(code(&iodyno.run(&["merge", &hostile.name()])), 0);
    let report = text(
        &iodyno
            .run(&["report", "1", "--format", "md", "-o", "-"])
            .stdout,
    );
    is_harmless(&report, "the report");
    let mut fence: Option<String> = None;
    for line in report.lines() {
        let marks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if marks.len() >= 3 => fence = Some(marks),
            Some(open) if marks.len() >= open.len() && line.trim_end() == marks => fence = None,
            None => assert!(
                !line.starts_with("# OWNED") && !line.contains("<img"),
                "{report}"
            ),
            Some(_) => {}
        }
    }
    assert!(fence.is_none(), "every block ends: {report}");
}

#[test]
fn a_cell_of_a_table_is_never_a_formula() {
    let iodyno = Iodyno::new();
    let mut record =
        crate::store::record("=cmd|' /C calc'!A0", "vda", 1_700_000_000_000, "@SUM(1,2)");
    record.target = "+1-1".into();
    record.sensors[0].series[0].name = "-2+3|cmd".into();
    record.sensors[0].series[0].values[0] = Some(-3.5);
    let other = crate::store::record("b", "vda", 1_700_000_000_001, "\t=1");
    kept_before(&iodyno, &[record, other], "=HYPERLINK(\"http://x\",\"y\")");
    let tables = ["records", "samples", "intervals", "histograms", "settings"].map(|table| {
        text(
            &iodyno
                .run(&["export", "--all", &format!("--csv={table}")])
                .stdout,
        )
    });
    let series = text(
        &iodyno
            .run(&["report", "1", "--format", "csv", "-o", "-"])
            .stdout,
    );
    let compared = text(
        &iodyno
            .run(&["report", "1", "2", "--format", "csv", "-o", "-"])
            .stdout,
    );
    for table in tables.iter().chain([&series, &compared]) {
        assert!(table.lines().count() > 1, "{table}");
        for line in table.lines() {
            for cell in line.split(',').map(|cell| cell.trim_start_matches('"')) {
                let is_formula =
                    cell.starts_with(['=', '+', '-', '@', '\t']) && cell.parse::<f64>().is_err();
                assert!(!is_formula, "{cell:?} in {line}");
            }
        }
    }
    assert!(
        tables[1].contains(",-3.5\n"),
        "numbers stay numbers: {}",
        &tables[1][..400]
    );
    assert!(
        tables[0].contains("'=cmd|' /C calc'!A0") && tables[0].contains("'+1-1,"),
        "{}",
        tables[0]
    );
}
