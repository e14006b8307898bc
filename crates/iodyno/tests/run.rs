//! `run`: loads of directories, files and devices.

use crate::support::{Dir, Iodyno, Loop, code, signal, text};

#[test]
fn a_directory_gets_scratch_that_leaves_nothing() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("run"));
    let target = dir.path().to_str().unwrap();
    let (document, output) = iodyno.json(&["run", target, "--runtime", "1s", "--size", "64m", "--seed", "5"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let record = &document["record"];
    let load = &record["load"];
    assert!(load["read"]["ios"].as_u64().unwrap() > 100, "{load}");
    assert_eq!(load["write"]["ios"], 0);
    assert_eq!(record["job"]["randseed"], 5);
    let sensors: Vec<_> =
        record["sensors"].as_array().unwrap().iter().map(|log| log["sensor"].clone()).collect();
    for wanted in ["diskstats", "cpu", "interrupts", "memory", "pressure"] {
        assert!(sensors.iter().any(|sensor| sensor == wanted), "{wanted} is not among {sensors:?}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no scratch file is left");
}

#[test]
fn the_sums_agree() {
    let Some(disk) = Loop::new(64) else { return };
    let (document, output) = Iodyno::new().json(&["run", &disk.device, "--runtime", "1s"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let load = &document["record"]["load"];
    let ios = load["read"]["ios"].as_u64().unwrap();
    let in_bins: u64 = load["bins"].as_array().unwrap().iter().map(|bin| bin.as_u64().unwrap()).sum();
    let in_histogram: u64 =
        load["read"]["latency"].as_array().unwrap().iter().map(|pair| pair[1].as_u64().unwrap()).sum();
    assert_eq!((ios, ios), (in_bins, in_histogram));
    assert_eq!(load["read"]["bytes"].as_u64().unwrap(), ios * 4096);
    let sensors = document["record"]["sensors"].as_array().unwrap();
    let diskstats = sensors.iter().find(|log| log["sensor"] == "diskstats").unwrap();
    let name = format!("disk.{}.read_ios", disk.name);
    let series = diskstats["series"]
        .as_array()
        .unwrap()
        .iter()
        .find(|series| series["name"] == name.as_str())
        .unwrap();
    let values: Vec<f64> =
        series["values"].as_array().unwrap().iter().filter_map(|value| value.as_f64()).collect();
    let seen = values.last().unwrap() - values.first().unwrap();
    assert!((0.7..1.05).contains(&(seen / ios as f64)), "the kernel counted {seen} of our {ios}");
}

#[test]
fn every_kind_of_job_runs_on_the_main_engines() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("jobs"));
    let target = dir.path().to_str().unwrap();
    for engine in ["io_uring", "libaio", "psync"] {
        for rw in ["read", "write", "randread", "randwrite", "rw", "randrw", "trim", "randtrim"] {
            for direct in ["0", "1"] {
                let arguments = [
                    "run",
                    target,
                    "--runtime",
                    "200ms",
                    "--size",
                    "16m",
                    "--rw",
                    rw,
                    "--direct",
                    direct,
                    "--ioengine",
                    engine,
                    "--numjobs",
                    "2",
                    "--bs",
                    "16k",
                ];
                let (document, output) = iodyno.json(&arguments);
                assert_eq!(code(&output), 0, "{engine} {rw} {direct}: {}", text(&output.stderr));
                let load = &document["record"]["load"];
                let done = ["read", "write", "trim"].map(|kind| load[kind]["ios"].as_u64().unwrap() > 0);
                let wanted = match rw.trim_start_matches("rand") {
                    "rw" => [true, true, false],
                    kind => ["read", "write", "trim"].map(|one| one == kind),
                };
                assert_eq!(done, wanted, "{engine} {rw}: {load}");
            }
        }
    }
}

#[test]
fn a_rate_is_kept() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("rate"));
    let target = dir.path().to_str().unwrap();
    let arguments =
        ["run", target, "--runtime", "2s", "--size", "64m", "--rate-iops", "500", "--iodepth", "4"];
    let (document, _) = iodyno.json(&arguments);
    let ios = document["record"]["load"]["read"]["ios"].as_u64().unwrap();
    assert!((900..=1_100).contains(&ios), "{ios} I/Os in 2 s at 500 a second");
}

#[test]
fn an_open_loop_keeps_its_rate_and_shows_both_times() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("open"));
    let target = dir.path().to_str().unwrap();
    let common = ["run", target, "--size", "16m", "--runtime", "1s", "--open-loop"];
    let output = iodyno.run(&common);
    assert_eq!(code(&output), 2, "an open loop needs a rate");
    assert!(text(&output.stderr).contains("--rate-iops"), "{}", text(&output.stderr));
    let output = iodyno.run(&[&common[..], &["--rate-iops", "500", "--ioengine", "psync"]].concat());
    assert_eq!(code(&output), 2, "{}", text(&output.stderr));
    for engine in ["io_uring", "libaio"] {
        let rate = ["--rate-iops", "400", "--arrivals", "poisson", "--ioengine", engine];
        let (document, output) = iodyno.json(&[&common[..], &rate].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let load = &document["record"]["load"];
        let ios = load["read"]["ios"].as_u64().unwrap();
        // Five standard deviations of a Poisson count.
        assert!((300..=500).contains(&ios), "{engine}: {ios}");
        let served: u64 =
            load["service"].as_array().unwrap().iter().map(|pair| pair[1].as_u64().unwrap()).sum();
        assert_eq!(served, ios, "{engine}");
        let shown = iodyno.run(&["show", &document["id"].to_string()]);
        assert!(text(&shown.stdout).contains("service  "), "{}", text(&shown.stdout));
    }
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("ctrl-c"));
    let target = dir.path().to_str().unwrap();
    let child = iodyno.spawn(&["run", target, "--runtime", "60s", "--size", "16m"]);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    let (document, _) = iodyno.json(&["list"]);
    assert_eq!(document["records"].as_array().unwrap().len(), 1);
}
