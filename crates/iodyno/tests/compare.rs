//! `iodyno compare` and `iodyno history` as a user meets them: real records, files of other tools, exit codes.

use crate::support::{Dir, Iodyno, code, text};
use serde_json::{Value, json};

/// A real run, and its number.
fn run(iodyno: &Iodyno, dir: &Dir, more: &[&str]) -> Value {
    let target = dir.path().to_str().unwrap();
    let args = [
        &[
            "run",
            target,
            "--runtime",
            "400ms",
            "--size",
            "8m",
            "--interval",
            "20ms",
        ][..],
        more,
    ]
    .concat();
    let (made, output) = iodyno.json(&args);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    made
}

/// The document of a run as if it had gone on evenly, so many times as fast: what a busy disk did to it is taken out.
pub fn even(document: &Value, factor: f64) -> Value {
    let mut changed = document.clone();
    let load = &mut changed["record"]["load"];
    let ios = load["read"]["ios"].as_u64().unwrap();
    load["elapsed_ms"] = json!(1_000.0 / factor);
    load["bins"] = json!([]);
    let nothing = json!({"ios": 0, "bytes": 0, "p50_ns": 0, "p99_ns": 0});
    let read =
        json!({"ios": ios / 20, "bytes": ios / 20 * 4096, "p50_ns": 100_000, "p99_ns": 900_000});
    let interval = |index: u64| json!({"start_ms": index * 50, "length_ms": 50, "read": read, "write": nothing, "inflight": 32});
    load["intervals"] = (0..20).map(interval).collect();
    changed
}

fn write(dir: &Dir, name: &str, content: &str) -> String {
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn two_runs_are_set_side_by_side_and_called_what_they_are() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("compare"));
    let ids: Vec<String> = (0..2)
        .map(|_| run(&iodyno, &dir, &[])["id"].to_string())
        .collect();
    let output = iodyno.run(&["compare", &ids[0], &ids[1]]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        said.starts_with(&format!("{} against {}: read IOPS ", ids[1], ids[0])),
        "{said}"
    );
    assert!(
        said.replace("\n ", "")
            .contains("what a repeat gives, not an effect"),
        "{said}"
    );
    // The target's path stays whole, however long it is.
    let mut lines = said
        .lines()
        .filter(|line| !line.contains(dir.path().to_str().unwrap()));
    assert!(lines.all(|line| line.chars().count() <= 80), "{said}");
    let (document, _) = iodyno.json(&["compare", &ids[0], &ids[1]]);
    assert_eq!(document["schema"], "iodyno.compare/1");
    let row = &document["compared"][0]["rows"][0];
    assert_eq!(
        (
            row["measure"].as_str(),
            row["cells"][1]["measure"]["basis"].as_str()
        ),
        (Some("read.iops"), Some("batches"))
    );
    assert_eq!(row["cells"][1]["ratio"]["standing"], "same-setting");
}

#[test]
fn a_file_of_another_tool_stands_beside_a_record_and_is_not_kept() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("compare-file"));
    let dd = write(
        &dir,
        "dd.txt",
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.0 s, 537 MB/s\n",
    );
    let twice = write(
        &dir,
        "twice.txt",
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.0 s, 1.1 GB/s\n",
    );
    let output = iodyno.run(&["compare", &dd, &twice]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        said.starts_with("twice.txt against dd.txt: bandwidth 2.0 times."),
        "{said}"
    );
    assert!(said.contains("No interval"), "{said}");
    let (list, _) = iodyno.json(&["list"]);
    assert_eq!(
        list["records"].as_array().unwrap().len(),
        0,
        "what is compared is not kept"
    );
    let (ranking, _) = iodyno.json(&["compare", "--rank", &dd, &twice]);
    assert_eq!(
        (
            ranking["schema"].as_str(),
            ranking["jobs"][0]["ratios"].as_str()
        ),
        (Some("iodyno.rank/1"), Some("1 : 2"))
    );
    let bad = write(&dir, "x.txt", "nothing that anybody knows\n");
    let output = iodyno.run(&["compare", &dd, &bad]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains("x.txt holds nothing that can be compared"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(code(&iodyno.run(&["compare", &dd])), 2);
    assert_eq!(code(&iodyno.run(&["compare", "99", &dd])), 2);
}

#[test]
fn a_bound_ends_a_build_with_its_own_status_and_files() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("compare-bound"));
    let made = run(&iodyno, &dir, &[]);
    let base = write(&dir, "base.json", &even(&made, 1.0).to_string());
    let slow = write(&dir, "slow|<new>.json", &even(&made, 0.5).to_string());
    let (junit, markdown) = (dir.path().join("iodyno.xml"), dir.path().join("iodyno.md"));
    let junit_word = junit.to_str().unwrap();
    let markdown_word = format!("--markdown={}", markdown.to_str().unwrap());
    let output = iodyno.run(&[
        "compare",
        &base,
        &slow,
        "--fail-if",
        "iops<-10%",
        "--fail-if",
        "p99>10000s",
        "--junit",
        junit_word,
        &markdown_word,
    ]);
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("✗ iops<-10%") && said.contains("✓ p99>10000s"),
        "{said}"
    );
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(
        xml.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{xml}"
    );
    assert!(
        xml.contains("iops&lt;-10%: slow|&lt;new&gt;.json:") && !xml.contains("<new>"),
        "{xml}"
    );
    let table = std::fs::read_to_string(&markdown).unwrap();
    assert!(
        table.contains("| `iops<-10%` | slow\\|&lt;new&gt;.json:"),
        "{table}"
    );
    let fine = iodyno.run(&["compare", &base, &base, "--fail-if", "iops<-10%"]);
    assert_eq!(code(&fine), 0, "{}", text(&fine.stdout));
    let unknown = iodyno.run(&["compare", &base, &slow, "--fail-if", "write.p99>+5%"]);
    assert_eq!(code(&unknown), 6, "{}", text(&unknown.stdout));
    let wrong = iodyno.run(&["compare", &base, &slow, "--fail-if", "p99>5%"]);
    assert_eq!(code(&wrong), 2);
    assert!(
        text(&wrong.stderr).contains("  p99>5%\n      ^"),
        "{}",
        text(&wrong.stderr)
    );
}

#[test]
fn unlike_jobs_have_no_ratio() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("compare-unlike"));
    let first = run(&iodyno, &dir, &[])["id"].to_string();
    let second = run(&iodyno, &dir, &["--bs", "16k"])["id"].to_string();
    let (document, _) = iodyno.json(&["compare", &first, &second]);
    assert!(
        document["sentence"]
            .as_str()
            .unwrap()
            .contains("bs 16k, not 4k"),
        "{}",
        document["sentence"]
    );
    assert_eq!(
        document["compared"][0]["rows"][0]["cells"][1]["ratio"],
        Value::Null
    );
}

#[test]
fn a_device_has_a_history_and_the_store_a_ranking() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("history"));
    for _ in 0..3 {
        run(&iodyno, &dir, &[]);
    }
    let target = dir.path().to_str().unwrap();
    let output = iodyno.run(&["history", target]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        said.starts_with("3 like records are too few for change points"),
        "{said}"
    );
    assert!(
        said.contains('•') && said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    let (document, _) = iodyno.json(&["history", target, "--measure", "iops"]);
    assert_eq!(
        (document["schema"].as_str(), document["searched"].as_u64()),
        (Some("iodyno.history/1"), Some(0))
    );
    assert_eq!(document["series"][0]["points"].as_array().unwrap().len(), 3);
    let (ranking, _) = iodyno.json(&["compare", "--rank"]);
    assert_eq!(
        ranking["alone"].as_array().unwrap().len(),
        3,
        "one device alone is no ranking: {ranking}"
    );
    let missing = iodyno.run(&["history", "no-such-device"]);
    assert_eq!(code(&missing), 2);
    assert!(
        text(&missing.stderr).contains("no record of `no-such-device`"),
        "{}",
        text(&missing.stderr)
    );
}
