//! `iodyno import` as a user meets it.

use crate::support::{Dir, Iodyno, code, text};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn fixture(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/imports")
        .join(name);
    path.canonicalize().unwrap().to_str().unwrap().to_string()
}

#[test]
fn a_file_of_more_results_than_are_read_needs_no_more_memory_than_those() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("import"));
    let heads = dir.path().join("heads.txt");
    let head = "j: (groupid=0, jobs=1): err= 0: pid=1: \n";
    std::fs::write(&heads, head.repeat(300_000)).unwrap();
    // The address space, KiB: 300,000 results took 1.1 GiB.
    let limited = "ulimit -v 900000; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_iodyno")])
        .args(["import", "--dry-run", heads.to_str().unwrap()])
        .env("IODYNO_STATE_DIR", iodyno.state.path())
        .output()
        .unwrap();
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{said}{}", text(&output.stderr));
    for words in [
        "10000 results of fio",
        "only the first 10000 results of a file are read",
    ] {
        assert!(said.contains(words), "{words}: {said:.400}");
    }
}

#[test]
fn a_pasted_page_becomes_records_once() {
    let iodyno = Iodyno::new();
    let page = fixture("articles/usb_under_ceph.txt");
    let output = iodyno.run(&["import", &page, "--tag", "usb", "--host", "lab"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("3 results of rados bench, 6 of fio"),
        "{said}"
    );
    assert!(
        said.contains("MB of rados bench is MiB"),
        "units that were decided are said: {said}"
    );
    assert!(
        said.contains("rates are rounded"),
        "what is lost is said: {said}"
    );
    assert!(said.contains("--verbose lists them"), "{said}");
    let (list, _) = iodyno.json(&["list", "-n", "100"]);
    let rows = list["records"].as_array().unwrap();
    assert_eq!(rows.len(), 9);
    assert!(
        rows.iter()
            .all(|row| row["verb"] == "import" && row["tags"][0] == "usb"),
        "{rows:?}"
    );
    // A copy of the page under another name holds the same results.
    let dir = Dir::new("import");
    let copy = dir.path().join("copy.txt");
    std::fs::copy(&page, &copy).unwrap();
    let output = iodyno.run(&["import", copy.to_str().unwrap(), "--host", "lab"]);
    assert!(
        text(&output.stdout).contains("all there already: nothing is added"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(
        iodyno.json(&["list", "-n", "100"]).0["records"]
            .as_array()
            .unwrap()
            .len(),
        9
    );
}

#[test]
fn the_document_says_everything_and_a_dry_run_keeps_nothing() {
    let iodyno = Iodyno::new();
    let (document, output) = iodyno.json(&[
        "import",
        "--dry-run",
        &fixture("articles/container_disk.txt"),
    ]);
    assert_eq!(code(&output), 0);
    assert_eq!(
        (&document["schema"], &document["dry_run"]),
        (&"iodyno.import/1".into(), &true.into())
    );
    let results = document["files"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    assert!(results[0]["record"].is_null());
    let second = &results[1]["imported"];
    assert_eq!(
        (&second["tool"], &second["facts"]["iodepth"]),
        (&"fio-3.7".into(), &"64".into())
    );
    assert_eq!(second["load"]["read"]["iops"], 20_100.0);
    let unread = document["files"][0]["unread"].as_array().unwrap();
    assert!(
        unread
            .iter()
            .any(|one| one["why"].as_str().unwrap().contains("no number stands")),
        "{unread:?}"
    );
    assert!(
        !iodyno.state.path().join("records.db").exists(),
        "a dry run makes no store"
    );
}

#[test]
fn a_record_of_an_import_has_job_path_and_time_of_its_source() {
    let iodyno = Iodyno::new();
    let (document, _) = iodyno.json(&[
        "import",
        &fixture("fio_text/fio-3.33.jobs_json_and_normal.txt"),
    ]);
    let results = document["files"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3, "the text says what the JSON says");
    let id = results[1]["record"].as_i64().unwrap().to_string();
    let (shown, _) = iodyno.json(&["show", &id]);
    let record = &shown["record"];
    assert_eq!(
        (&record["verb"], &record["job"]["bs"]),
        (&"import".into(), &4096.into())
    );
    assert_eq!(
        (&record["job"]["iodepth"], &record["job"]["rw"]),
        (&8.into(), &"randrw".into())
    );
    assert_eq!(
        record["provenance"]["started_unix_ms"],
        1_795_303_622_583u64
    );
    assert_eq!(
        record["provenance"]["hostname"], "",
        "this machine did not measure it"
    );
    assert_eq!(record["path"]["root"]["below"][0]["name"], "vda");
    let said = text(&iodyno.run(&["show", &id]).stdout);
    assert!(
        said.contains("fio-3.33 mixed") && said.contains("p99"),
        "{said}"
    );
}

#[test]
fn stdin_is_a_file_and_what_cannot_be_read_is_an_error() {
    let iodyno = Iodyno::new();
    let mut child = iodyno
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let terse = std::fs::read(fixture("fio_terse/fio-3.33.terse3.txt")).unwrap();
    child.stdin.take().unwrap().write_all(&terse).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    assert!(
        text(&output.stdout).starts_with("-: 1 result of fio"),
        "{}",
        text(&output.stdout)
    );
    let output = iodyno.run(&[
        "import",
        "/nonexistent/file",
        &fixture("fio_text/fio-3.33.trim.txt"),
    ]);
    assert_eq!(code(&output), 5, "one file failed");
    let said = text(&output.stdout);
    assert!(
        said.contains("/nonexistent/file: ") && said.contains("1 result of fio"),
        "the other is read: {said}"
    );
    assert_eq!(code(&iodyno.run(&["import"])), 2);
}

#[test]
fn a_folder_is_its_files_and_the_cpus_of_a_trace_are_one() {
    let iodyno = Iodyno::new();
    let cpus = [
        fixture("blktrace/nvme.blktrace.0"),
        fixture("blktrace/nvme.blktrace.1"),
    ];
    let (together, output) = iodyno.json(&["import", "--dry-run", &cpus[0], &cpus[1]]);
    assert_eq!(code(&output), 0);
    let files = together["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(
        files[0]["file"]
            .as_str()
            .unwrap()
            .ends_with("/nvme.blktrace.*"),
        "{}",
        files[0]["file"]
    );
    let read = &files[0]["results"][0]["imported"]["load"]["read"];
    assert_eq!(read["ios"], 156, "as blkparse counts them in both");
    assert_eq!(files[0]["unread"].as_array().unwrap().len(), 0);
    let dir = Dir::new("trace");
    for (cpu, path) in cpus.iter().enumerate() {
        std::fs::copy(path, dir.path().join(format!("nvme.blktrace.{cpu}"))).unwrap();
    }
    std::fs::copy(
        fixture("fio_terse/fio-3.33.terse3.txt"),
        dir.path().join("a.txt"),
    )
    .unwrap();
    let output = iodyno.run(&["import", dir.path().to_str().unwrap()]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{said}");
    assert!(
        said.contains("1 result of fio") && said.contains("1 result of blktrace"),
        "{said}"
    );
    assert!(said.contains("In all: 2 files, 2 results, 2 new"), "{said}");
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let output = iodyno.run(&["import", empty.to_str().unwrap()]);
    assert_eq!(code(&output), 5);
    assert!(
        text(&output.stdout).contains("no file in this folder"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn what_holds_no_result_ends_with_5_unless_another_file_holds_one() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("import"));
    let prose = dir.path().join("prose.txt");
    std::fs::write(&prose, "nothing was measured here\n").unwrap();
    let prose = prose.to_str().unwrap();
    for options in [&["import", prose][..], &["import", "--dry-run", prose]] {
        let output = iodyno.run(options);
        assert_eq!(code(&output), 5, "{}", text(&output.stdout));
        let said = text(&output.stdout);
        assert!(
            said.contains("prose.txt: no result that iodyno knows"),
            "{said}"
        );
        assert_eq!(text(&output.stderr), "", "it is said once");
    }
    let (document, output) = iodyno.json(&["import", prose]);
    assert_eq!(code(&output), 5);
    assert_eq!(
        document["files"][0]["results"].as_array().map(Vec::len),
        Some(0)
    );
    let output = iodyno.run(&["import", prose, &fixture("fio_text/fio-3.33.trim.txt")]);
    assert_eq!(code(&output), 0, "{}", text(&output.stdout));
    // What is there already is a result all the same.
    let output = iodyno.run(&["import", &fixture("fio_text/fio-3.33.trim.txt")]);
    assert_eq!(code(&output), 0, "{}", text(&output.stdout));
}

#[test]
fn transactions_of_sysbench_are_shown_and_ranked_and_not_called_iops() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("import"));
    let slow = fixture("sysbench_oltp/1.0.20-write-only.txt");
    let fast = dir.path().join("fast.txt");
    let twice = std::fs::read_to_string(&slow).unwrap();
    std::fs::write(&fast, twice.replace("(1688.01", "(3376.02")).unwrap();
    let output = iodyno.run(&["import", &slow, fast.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("1.69 k/s") && said.contains("queries"),
        "{said}"
    );
    assert!(!said.contains("IOPS"), "{said}");
    let shown = text(&iodyno.run(&["show", "1"]).stdout);
    for words in ["transactions", "1.69 k/s", "10.1 k/s", "p95", "queries"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains("s3cret"), "{shown}");
    let ranked = text(&iodyno.run(&["compare", "--rank", "1", "2"]).stdout);
    assert!(
        ranked.contains("by transactions per second: 1 : 2")
            && ranked.contains("3.38 k transactions per second"),
        "{ranked}"
    );
}
