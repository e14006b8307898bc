//! Sweeps, searches, the matrix, preconditioning and steady state, as their users meet them.

use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;

/// Runs with `--json` and gives the studies of the record, what was said, and the record's number.
pub fn studies(iodyno: &Iodyno, arguments: &[&str]) -> (Value, String, String) {
    let (document, output) = iodyno.json(arguments);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{arguments:?}: {said}");
    (document["record"].clone(), said, document["id"].to_string())
}

/// Visits of all points of the sweep in a document.
pub fn visits(document: &Value) -> usize {
    let points = document["record"]["studies"]["sweep"]["points"].as_array();
    let points = points.into_iter().flatten();
    points
        .map(|point| point["visits"].as_array().unwrap().len())
        .sum()
}

#[test]
fn a_plain_load_can_be_worn_in_too() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("worn"));
    let target = dir.path().to_str().unwrap();
    let (record, said, _) = studies(
        &iodyno,
        &[
            "run",
            target,
            "--size",
            "16m",
            "--runtime",
            "200ms",
            "--precondition",
        ],
    );
    assert_eq!(record["studies"]["precondition"]["whole_device"], false);
    assert!(said.contains("its own range only"), "{said}");
    assert!(record["load"]["read"]["ios"].as_u64().unwrap() > 0);
    let plain = studies(
        &iodyno,
        &["run", target, "--size", "16m", "--runtime", "200ms"],
    )
    .0;
    assert!(
        plain.get("studies").is_none(),
        "a record without a series says nothing of it"
    );
}

#[test]
fn mistakes_are_found_before_anything_is_touched() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("sweep-bad"));
    let target = dir.path().to_str().unwrap();
    for (arguments, words) in [
        (&["--sweep", "iodepth="][..], &["iodepth=", "empty"][..]),
        (
            &["--sweep", "scheduler=none"],
            &["scheduler", "iodepth, bs, numjobs"],
        ),
        (&["--sweep", "iodepth=8..2"], &["8..2", "rise"]),
        (&["--sweep", "iodepth=1,9999"], &["9999", "4096"]),
        (&["--sweep", "bs=4k,1000"], &["1000"]),
        (
            &["--sweep", "iodepth=1..256", "--budget", "1s"],
            &["--budget"],
        ),
        (
            &["--sweep", "iodepth=1,2", "--interference"],
            &["--interference"],
        ),
        (&["--find-max"], &["--latency-target"]),
        (
            &["--find-max", "--latency-target", "p99=2"],
            &["p99=2", "2ms"],
        ),
        (
            &["--find-max", "--latency-target", "worst=2ms"],
            &["worst", "p99"],
        ),
        (
            &[
                "--find-max",
                "--latency-target",
                "p99=2ms",
                "--ioengine",
                "psync",
            ],
            &["psync", "--sweep numjobs"],
        ),
        (
            &["--interference", "--rw", "randwrite"],
            &["randwrite", "randread"],
        ),
        (&["--interference", "--budget", "1s"], &["--budget"]),
        (&["--steady", "--steady-limit", "20s"], &["5 rounds"]),
        (&["--steady", "--round", "10ms"], &["200ms"]),
    ] {
        let all = [&["run", target, "--size", "4m"], arguments].concat();
        let output = iodyno.run(&all);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{arguments:?}: {said}");
        for word in words {
            assert!(
                said.contains(word),
                "{arguments:?} does not say `{word}`: {said}"
            );
        }
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            0,
            "{arguments:?}"
        );
    }
    let device = iodyno.run(&["run", "/dev/null", "--sweep", "iodepth=1,2"]);
    assert_eq!(code(&device), 2, "{}", text(&device.stderr));
}

/// A job whose range is done long before a visit is over: it goes round until then, and its rate is over that time.
#[test]
fn a_job_of_a_size_is_repeated_until_its_visit_ends() {
    let directory = Dir::new("sweep");
    let iodyno = Iodyno::new();
    let sweep = ["--sweep=numjobs=1,2", "--budget=6s", "--repeats=3", "--"];
    let job = ["-rw=write", "-ioengine=psync", "-bs=4k", "-size=256k"];
    let arguments = [
        &["run", directory.path().to_str().unwrap()],
        &sweep[..],
        &job[..],
    ]
    .concat();
    let (record, ..) = studies(&iodyno, &arguments);
    let points = record["studies"]["sweep"]["points"].as_array().unwrap();
    for (point, jobs) in points.iter().zip([1, 2]) {
        for visit in point["visits"].as_array().unwrap() {
            assert!(visit["ios"].as_u64() > Some(64 * jobs), "{visit}");
        }
    }
}

/// What is wrong with one value of a sweep is said with that value, and --strict refuses it.
#[test]
fn every_point_of_a_sweep_is_judged() {
    let directory = Dir::new("sweep");
    let iodyno = Iodyno::new();
    let run = |more: &[&str]| {
        let line = ["--", "-rw=write", "-ioengine=psync", "-bs=4k", "-size=64m"];
        iodyno.run(
            &[
                &["run", directory.path().to_str().unwrap()],
                more,
                &line[..],
            ]
            .concat(),
        )
    };
    let told = run(&["--sweep=iodepth=1,8", "--dry-run"]);
    let said = text(&told.stderr);
    assert_eq!(code(&told), 0, "{said}");
    assert!(said.contains("iodepth_with_sync_engine"), "{said}");
    assert!(text(&told.stdout).contains("Nothing was loaded"), "{said}");
    assert_eq!(code(&run(&["--sweep=iodepth=1,8", "--strict"])), 4);
    let alone = run(&["--sweep=iodepth=1", "--dry-run"]);
    let said = text(&alone.stderr);
    assert!(!said.contains("iodepth_with_sync_engine"), "{said}");
    let (plan, _) = iodyno.json(&[
        "run",
        directory.path().to_str().unwrap(),
        "--dry-run",
        "--bs=8k",
    ]);
    assert_eq!(plan["schema"], "iodyno.dry-run/1");
    assert!(
        plan["jobs"][0].as_str().unwrap().contains("--bs=8"),
        "{plan}"
    );
    assert_eq!(iodyno.json(&["list"]).0["records"], serde_json::json!([]));
}
