//! Runs, sweeps, searches and steady state on a simulated disk: what a load gets there is known, and the same each time.

use crate::support::{Dir, Iodyno, Loop, code, text};
use crate::sweep::{studies, visits};
use serde_json::Value;

/// What the simulated disk gets done at the most, I/Os per second: eight parts, each of which takes 400 µs.
const IOPS_MAX: f64 = 20_000.0;

/// The studies of a series on a disk of a kind, and what was said.
fn studied(disk: &Loop, kind: &str, more: &[&str]) -> (Value, String) {
    let words = ["run", &disk.device, "--rehearse", kind, "--seed", "5"];
    let (record, said, id) = studies(&Iodyno::new(), &[&words[..], more].concat());
    assert_eq!(id, "null", "nothing is kept");
    (record, said)
}

#[test]
fn a_run_gets_what_the_disk_can_do() {
    let Some(disk) = Loop::left_alone(16) else {
        return;
    };
    let counters = || std::fs::read_to_string(format!("/sys/block/{}/stat", disk.name)).unwrap();
    let before = counters();
    let iops = |more: &[&str]| {
        let (record, _) = studied(&disk, "quiet_nvme", &[&["--runtime", "20s"], more].concat());
        let load = &record["load"];
        let ios = load["read"]["ios"].as_f64().unwrap() + load["write"]["ios"].as_f64().unwrap();
        ios / load["elapsed_ms"].as_f64().unwrap() * 1e3
    };
    let near = |found: f64, wanted: f64| {
        let is_near = (found / wanted - 1.0).abs() < 0.03;
        assert!(is_near, "{found} for {wanted}");
    };
    near(iops(&["--iodepth", "64"]), IOPS_MAX);
    near(iops(&["--iodepth", "16", "--numjobs", "4"]), IOPS_MAX);
    near(iops(&["--iodepth", "1"]), IOPS_MAX / 8.0);
    near(iops(&["--rate-iops", "1000"]), 1_000.0);
    near(iops(&["--bs", "1m"]), 572.0);
    assert_eq!(counters(), before, "no I/O");
}

#[test]
fn sections_share_the_disk_and_one_that_is_done_leaves_it_to_the_other() {
    let Some(disk) = Loop::left_alone(16) else {
        return;
    };
    let dir = Dir::new("rehearse-job");
    let job = dir.path().join("job.fio");
    let text = "[global]\nioengine=io_uring\nrw=randread\nbs=4k\niodepth=32\ndirect=1\nsize=8m\n\
                [one]\ntime_based=1\nruntime=10\n[two]\ntime_based=1\nruntime=10\n[short]\n";
    std::fs::write(&job, text).unwrap();
    let (record, said) = studied(&disk, "quiet_nvme", &["--job", job.to_str().unwrap()]);
    let sections = record["sections"].as_array().unwrap();
    let ios = |index: usize| sections[index]["load"]["read"]["ios"].as_f64().unwrap();
    let (one, two, short) = (ios(0), ios(1), ios(2));
    assert!((one / two - 1.0).abs() < 0.03, "{one} {two}: {said}");
    let blocks = 8.0 * 256.0;
    assert!((blocks..blocks + 400.0).contains(&short), "{short}: {said}");
}

#[test]
fn a_sweep_finds_the_knee_and_is_the_same_each_time() {
    let Some(disk) = Loop::left_alone(16) else {
        return;
    };
    let words = [
        "--sweep",
        "iodepth=1..64",
        "--sweep",
        "bs=4k,64k",
        "--budget",
        "60s",
    ];
    let sweep = || studied(&disk, "quiet_nvme", &words);
    let (record, said) = sweep();
    let found = &record["studies"]["sweep"];
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 14);
    assert!(
        points
            .iter()
            .all(|point| point["visits"].as_array().unwrap().len() == 3)
    );
    // Behind it depth buys more waiting than I/Os: all eight parts are at work.
    assert!(said.contains("the knee is at iodepth 8:"), "{said}");
    let curves = found["curves"].as_array().unwrap();
    assert!(
        curves.iter().all(|curve| curve["knee"].is_object()),
        "{said}"
    );
    assert_eq!(sweep().0["studies"], record["studies"]);
}

#[test]
fn the_highest_rate_lies_where_the_disk_keeps_the_latency() {
    let Some(disk) = Loop::left_alone(16) else {
        return;
    };
    let search = |goal: &str, more: &[&str]| {
        let words = ["--find-max", "--latency-target", goal, "--budget", "60s"];
        let (record, said) = studied(&disk, "quiet_nvme", &[&words[..], more].concat());
        (record["studies"]["search"].clone(), said)
    };
    // At depth 19 a part has 2.4 I/Os before it: 1 ms.
    let (found, said) = search("mean=1ms", &["--max-depth", "64"]);
    let level = found["best"]["level"].as_f64().unwrap();
    assert!((16.0..22.0).contains(&level), "{level}: {said}");
    assert!(found["above"]["level"].as_f64() > Some(level), "{said}");
    let (found, said) = search("mean=10s", &["--max-depth", "16"]);
    assert_eq!(found["best"]["level"], 16.0, "{said}");
    assert!(found["above"].is_null(), "{said}");
    let (found, said) = search("p50=1us", &["--max-depth", "16"]);
    assert!(found["best"].is_null(), "{said}");
    // A queue that is four fifths full makes them wait five times as long.
    let (found, said) = search("mean=2ms", &["--open-loop", "--max-depth", "256"]);
    assert_eq!(found["lever"], "rate");
    let rate = found["best"]["level"].as_f64().unwrap();
    assert!((14_000.0..16_500.0).contains(&rate), "{rate}: {said}");
}

#[test]
fn writes_cost_reads_what_they_take_of_the_disk() {
    let Some(disk) = Loop::left_alone(16) else {
        return;
    };
    let words = ["--interference", "--steps", "3", "--budget", "60s"];
    let (record, said) = studied(&disk, "quiet_nvme", &words);
    let cells = record["studies"]["interference"]["cells"]
        .as_array()
        .unwrap();
    assert_eq!(cells.len(), 9);
    let p99 = |write: u64| {
        let mut row = cells.iter().filter(|cell| cell["write"] == write);
        let most = row.find(|cell| cell["read"] == 2);
        most.unwrap_or_else(|| panic!("{cells:#?}"))["p99_ns"]
            .as_f64()
            .unwrap()
    };
    assert!(p99(2) > p99(0), "{said}");
}

#[test]
fn a_load_that_loses_speed_is_watched_until_it_has_settled() {
    let Some(disk) = Loop::left_alone(16) else {
        return;
    };
    let words = ["--steady", "--round", "20s", "--steady-limit", "30m"];
    let (record, said) = studied(&disk, "drift", &words);
    let steady = &record["studies"]["steady"];
    assert_eq!(steady["attained"], true, "{said}");
    let sustained = steady["sustained"].as_f64().unwrap();
    assert!(
        (sustained / IOPS_MAX - 1.0).abs() < 0.1,
        "{sustained}: {said}"
    );
}

#[test]
fn a_series_that_is_stopped_keeps_what_it_has() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("rehearse-stop"));
    let target = dir.path().to_str().unwrap();
    let words = [
        "--json",
        "run",
        target,
        "--rehearse",
        "quiet_nvme",
        "--sweep",
        "iodepth=1..64",
    ];
    let output = iodyno
        .command(&words)
        .env("IODYNO_STAGE", "through,1000:2")
        .output()
        .unwrap();
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let visits = visits(&document);
    assert!((1..21).contains(&visits), "{visits}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_of_a_run_cannot_be_rehearsed_is_refused() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("rehearse-refused"));
    let target = dir.path().to_str().unwrap();
    for (more, why) in [
        (
            &["--rehearse", "cloud,scheduler=bfq:+8%"][..],
            "a run changes no setting",
        ),
        (
            &["--rehearse", "cloud", "--precondition"],
            "cannot be used with",
        ),
        (
            &["--rehearse", "cloud", "--ioengine", "none"],
            "a simulated disk has only loads",
        ),
        (
            &["--rehearse", "cloud", "--engine", "fio"],
            "a simulated disk has only loads",
        ),
        (
            &["--rehearse", "cloud", "--rw", "randtrim"],
            "knows no trim",
        ),
    ] {
        let output = iodyno.run(&[&["run", target], more].concat());
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{more:?}: {said}");
        assert!(said.contains(why), "{more:?}: {said}");
    }
}

#[test]
fn no_cluster_is_loaded_where_a_rehearsal_was_asked_for() {
    for target in ["rados://pool", "rbd://pool/image"] {
        let output = Iodyno::new().run(&["run", target, "--rehearse", "cloud"]);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{target}: {said}");
        assert!(said.contains("cannot be rehearsed"), "{target}: {said}");
    }
}

#[test]
fn a_load_that_syncs_or_reads_back_at_its_end_ends_with_its_time() {
    let dir = Dir::new("rehearse-end");
    let target = dir.path().to_str().unwrap();
    for option in ["--end_fsync=1", "--verify=crc32c"] {
        let words =
            "--name=a --rw=write --bs=4k --size=8m --time_based --runtime=2 --ioengine=psync";
        let fio: Vec<&str> = words.split_whitespace().chain([option]).collect();
        let run = ["run", target, "--rehearse", "quiet_nvme", "--"];
        let (document, output) = Iodyno::new().json(&[&run[..], &fio].concat());
        assert_eq!(code(&output), 0, "{option}: {}", text(&output.stderr));
        let elapsed_ms = document["record"]["load"]["elapsed_ms"].as_f64().unwrap();
        assert!(
            (1_990.0..2_100.0).contains(&elapsed_ms),
            "{option}: {elapsed_ms}"
        );
    }
}

#[test]
fn a_target_without_a_device_is_rehearsed_and_nothing_is_left() {
    let (iodyno, memory) = (Iodyno::new(), "/dev/shm");
    if !std::path::Path::new(memory).is_dir() {
        return skip::missing("shm", "no file system in memory");
    }
    let words = ["run", memory, "--rehearse", "quiet_nvme", "--runtime", "5s"];
    let output = iodyno.run(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let mut left = std::fs::read_dir(iodyno.state.path()).unwrap();
    assert!(left.next().is_none(), "no store, no journal");
}

#[test]
fn what_was_rehearsed_passes_for_no_measurement() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("rehearsed"));
    let target = dir.path().to_str().unwrap();
    let file = dir.path().join("rehearsed.json");
    let words = ["run", target, "--rehearse", "quiet_nvme", "--runtime", "5s"];
    let (document, _) = iodyno.json(&words);
    std::fs::write(&file, document.to_string()).unwrap();
    let file = file.to_str().unwrap();
    for words in [&["merge", file][..], &["compare", file, file]] {
        let output = iodyno.run(words);
        let said = text(&output.stderr);
        assert_ne!(code(&output), 0, "{words:?}");
        assert!(
            said.contains("rehearsed on a simulated disk"),
            "{words:?}: {said}"
        );
    }
    for format in ["md", "html"] {
        let shown = dir.path().join(format);
        let words = [
            "report",
            file,
            "--format",
            format,
            "--output",
            shown.to_str().unwrap(),
        ];
        let output = iodyno.run(&words);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let page = std::fs::read_to_string(&shown).unwrap();
        assert!(page.contains("no figure here was measured"), "{format}");
    }
}
