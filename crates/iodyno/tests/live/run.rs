//! `run`: loads of directories, files and devices.

use crate::support::{Dir, Iodyno, Loop, code, text};
use serde_json::Value;
use skip::Outcome;

#[test]
#[ignore = "live"]
fn the_sums_agree() {
    let Some(disk) = Loop::new(64) else { return };
    let (document, output) = Iodyno::new().json(&["run", &disk.device, "--runtime", "1s"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let load = &document["record"]["load"];
    let ios = load["read"]["ios"].as_u64().unwrap();
    let in_bins: u64 = load["bins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bin| bin.as_u64().unwrap())
        .sum();
    let in_histogram: u64 = load["read"]["latency"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair[1].as_u64().unwrap())
        .sum();
    assert_eq!((ios, ios), (in_bins, in_histogram));
    assert_eq!(load["read"]["bytes"].as_u64().unwrap(), ios * 4096);
    let sensors = document["record"]["sensors"].as_array().unwrap();
    let diskstats = sensors
        .iter()
        .find(|log| log["sensor"] == "diskstats")
        .unwrap();
    let name = format!("disk.{}.read_ios", disk.name);
    let series = diskstats["series"]
        .as_array()
        .unwrap()
        .iter()
        .find(|series| series["name"] == name.as_str())
        .unwrap();
    let values: Vec<f64> = series["values"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|value| value.as_f64())
        .collect();
    let seen = values.last().unwrap() - values.first().unwrap();
    // Neighbours may be merged; whoever looks at new devices may read this one, too.
    let (least, most) = (0.7 * ios as f64, 1.05 * ios as f64 + 512.0);
    skip::measured(
        Outcome::right_if((least..most).contains(&seen)),
        format!("the kernel counted {seen} of our {ios}"),
    );
}

#[test]
#[ignore = "live"]
fn every_kind_of_job_runs_on_the_main_engines() {
    let (iodyno, dir, mut idle) = (Iodyno::new(), Dir::new("jobs"), Vec::new());
    let target = dir.path().to_str().unwrap();
    for engine in ["io_uring", "libaio", "psync"] {
        for rw in [
            "read",
            "write",
            "randread",
            "randwrite",
            "rw",
            "randrw",
            "trim",
            "randtrim",
        ] {
            for direct in ["0", "1"] {
                let wanted = match rw.trim_start_matches("rand") {
                    "rw" => [true, true, false],
                    kind => ["read", "write", "trim"].map(|one| one == kind),
                };
                let rest = ["--numjobs=2", "--bs=16k", "--size=16m", "--runtime=200ms"];
                let job = [
                    "run",
                    target,
                    "--rw",
                    rw,
                    "--direct",
                    direct,
                    "--ioengine",
                    engine,
                ];
                let (document, output) = iodyno.json(&[&job[..], &rest].concat());
                let said = text(&output.stderr);
                assert_eq!(code(&output), 0, "{engine} {rw} {direct}: {said}");
                let load = &document["record"]["load"];
                let done =
                    ["read", "write", "trim"].map(|kind| load[kind]["ios"].as_u64().unwrap() > 0);
                let mut sides = done.iter().zip(wanted);
                let is_only_wanted = sides.all(|(done, wanted)| wanted || !done);
                assert!(is_only_wanted, "{engine} {rw}: {load}");
                // Of a mix, a disk that stalls all the time may have done one half only.
                if done != wanted {
                    idle.push(format!("{engine} {rw} {direct}: {done:?}"));
                }
            }
        }
    }
    skip::measured(Outcome::won_if(idle.is_empty()), format!("idle: {idle:?}"));
}

#[test]
#[ignore = "live"]
fn two_devices_side_by_side_are_two_results_and_neither_is_the_others_cache() {
    let Some(device) = Loop::new(64) else { return };
    let (iodyno, dir) = (Iodyno::new(), Dir::new("two"));
    let job = dir.path().join("two.fio");
    let text_of_job = format!(
        "[global]\ndirect=1\nbs=64k\nsize=16m\ntime_based\nruntime=500ms\n[here]\nrw=read\nfilename={}\n\
         [there]\nrw=write\ndirectory={}\n",
        device.device,
        dir.path().display()
    );
    std::fs::write(&job, text_of_job).unwrap();
    let (document, output) = iodyno.json(&["run", "--job", job.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let sections = document["record"]["sections"].as_array().unwrap();
    let moved = |section: &Value, side: &str| section["load"][side]["bytes"].as_u64().unwrap();
    assert!(moved(&sections[0], "read") > 0 && moved(&sections[1], "write") > 0);
    let elsewhere = sections[1]["elsewhere"].as_str().unwrap();
    assert!(
        elsewhere.starts_with(dir.path().to_str().unwrap()),
        "{elsewhere}"
    );
    assert!(sections[0].get("elsewhere").is_none(), "{:?}", sections[0]);
    // What was written to the other device is no byte that this one never saw.
    let findings = document["record"]["findings"].as_array().unwrap();
    let is_said = |rule: &str| findings.iter().any(|finding| finding["rule"] == rule);
    assert!(!is_said("answered_by_cache"), "{findings:#?}");
}

#[test]
#[ignore = "live"]
fn a_rate_is_kept() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("rate"));
    let target = dir.path().to_str().unwrap();
    // From the cache: a disk may be slower than that.
    let rate = [
        "--size",
        "64m",
        "--rate-iops",
        "500",
        "--iodepth",
        "4",
        "--direct=0",
    ];
    let (document, _) = iodyno.json(&[&["run", target, "--runtime", "4s"], &rate[..]].concat());
    let (ios, due) = kept(&document["record"]["load"], 500.0);
    // The first is due at once.
    assert!(ios <= due + 1.0, "{ios} I/Os of {due} at 500 a second");
    // A stall just before the end holds up what nothing makes up for.
    skip::measured(Outcome::won_if(ios >= 1_800.0), format!("{ios} of {due}"));
}

/// I/Os of a load, and how many its rate makes due from its origin to its last one: that is the time its bins cover.
fn kept(load: &Value, rate: f64) -> (f64, f64) {
    let bins = load["bins"].as_array().unwrap().len() as f64;
    (
        load["read"]["ios"].as_f64().unwrap(),
        bins * load["bin_ms"].as_f64().unwrap() * rate / 1e3,
    )
}

#[test]
#[ignore = "live"]
fn an_open_loop_keeps_its_rate_and_shows_both_times() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("open"));
    let target = dir.path().to_str().unwrap();
    let common = ["run", target, "--size", "16m", "--open-loop"];
    let output = iodyno.run(&common);
    assert_eq!(code(&output), 2, "an open loop needs a rate");
    assert!(
        text(&output.stderr).contains("--rate-iops"),
        "{}",
        text(&output.stderr)
    );
    let output =
        iodyno.run(&[&common[..], &["--rate-iops", "500", "--ioengine", "psync"]].concat());
    assert_eq!(code(&output), 2, "{}", text(&output.stderr));
    for engine in ["io_uring", "libaio"] {
        let rate = [
            "--rate-iops",
            "400",
            "--arrivals",
            "poisson",
            "--direct=0",
            "--ioengine",
            engine,
        ];
        let words = [&common[..], &rate, &["--runtime=2s"]].concat();
        let (document, output) = iodyno.json(&words);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let load = &document["record"]["load"];
        let (ios, due) = kept(load, 400.0);
        let pairs = load["service"].as_array().unwrap().iter();
        let served: u64 = pairs.map(|pair| pair[1].as_u64().unwrap()).sum();
        assert_eq!(served as f64, ios, "{engine}");
        // Five standard deviations of a Poisson count; a stall just before the end leaves some unsubmitted.
        let is_true = ios <= due + 5.0 * due.sqrt() + 5.0;
        let wanted = 800.0_f64;
        let is_kept = ios >= wanted - 5.0 * wanted.sqrt();
        skip::measured(
            Outcome::won_if(is_kept).max(Outcome::right_if(is_true)),
            format!("{engine}: {ios} of {due}"),
        );
        let shown = iodyno.run(&["show", &document["id"].to_string()]);
        assert!(
            text(&shown.stdout).contains("service  "),
            "{}",
            text(&shown.stdout)
        );
    }
}
