//! `tune` on a loop device: what it proves, that it puts back, and what it refuses.

use crate::live::verdicts::judged;
use crate::support::{Iodyno, Loop, code, rounds, text, until};
use crate::tune::bfq_disk;
use skip::Outcome;
use std::process::{Command, Stdio};

/// Rate of one fio run under a scheduler, IOPS.
fn fio(disk: &Loop, scheduler: &str, seed: u32) -> Option<f64> {
    disk.set("scheduler", scheduler);
    let output = Command::new("fio")
        .args([
            "--name=a",
            "--rw=randread",
            "--bs=4k",
            "--iodepth=32",
            "--direct=1",
            "--ioengine=io_uring",
        ])
        .args([
            "--time_based",
            "--runtime=1",
            "--readonly",
            "--output-format=json",
            "--eta=never",
        ])
        .args([
            format!("--filename={}", disk.device),
            format!("--randseed={seed}"),
        ])
        .output()
        .ok()?;
    let printed = text(&output.stdout);
    let document: serde_json::Value = serde_json::from_str(&printed[printed.find('{')?..]).ok()?;
    document["jobs"][0]["read"]["iops"].as_f64()
}

#[test]
#[ignore = "live"]
fn names_the_arm_that_fio_finds_best_and_puts_bfq_back() {
    let Some(disk) = bfq_disk() else { return };
    let arms = ["bfq", "none"];
    if skip::lacks("fio") {
        return;
    }
    let mut logs = Vec::new();
    for pair in 0..8u32 {
        let order = if pair % 2 == 0 { [0, 1] } else { [1, 0] };
        let mut rates = [0.0; 2];
        for arm in order {
            rates[arm] = fio(&disk, arms[arm], pair + 1).expect("fio measures");
        }
        logs.push((rates[1] / rates[0]).ln());
    }
    logs.sort_by(f64::total_cmp);
    let median = (logs[3] + logs[4]) / 2.0;
    // All eight pairs hold the true median between them in 127 of 128 cases, on a busy machine as on a quiet one.
    let (low, high) = (logs[0], logs[7]);
    disk.set("scheduler", "bfq");
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let (document, output) = iodyno.json(&[
        "tune",
        &disk.device,
        "--knob",
        "scheduler=none,bfq",
        "--budget",
        "3m",
    ]);
    assert_eq!(disk.settings(), before, "every setting is back");
    let verdict = &document["record"]["trials"][0]["verdict"];
    let outcome = match verdict["verdict"].as_str().unwrap() {
        "better" => {
            assert_eq!(code(&output), 0);
            let is_possible = match verdict["arm"] == "none" {
                true => high > 0.0,
                false => low < 0.0,
            };
            Outcome::right_if(is_possible)
        }
        "equal" => Outcome::right_if(low < 0.06 && high > -0.06),
        // On a machine that is too noisy to decide, no wrong answer is the right one.
        _ => Outcome::Undecided,
    };
    skip::measured(
        outcome,
        format!(
            "fio's eight pairs: {:+.1} %, {low:+.3} to {high:+.3}; {}",
            median.exp_m1() * 100.0,
            verdict["sentence"]
        ),
    );
    assert!(
        verdict["pairs"]
            .as_array()
            .is_some_and(|pairs| !pairs.is_empty()),
        "the pairs are in the record"
    );
    assert!(verdict["seed"].is_u64());
}

#[test]
#[ignore = "live"]
fn finds_no_winner_where_nothing_is_changed() {
    let Some(disk) = bfq_disk() else { return };
    let before = disk.settings();
    let tune = |seed: u32| {
        let seed = seed.to_string();
        let arms = [
            "--knob",
            "scheduler=none,bfq",
            "--aa",
            "--budget",
            "60s",
            "--seed",
            seed.as_str(),
        ];
        let (document, _) =
            Iodyno::new().json(&[&["tune", disk.device.as_str()], &arms[..]].concat());
        let verdict = &document["record"]["trials"][0]["verdict"];
        assert_eq!(disk.settings(), before);
        let is_won = verdict["verdict"] == "better";
        let said = format!("seed {seed}: {}", verdict["sentence"]);
        skip::measured(Outcome::right_if(!is_won), said);
    };
    (1..=rounds("IODYNO_AA_RUNS", 1)).for_each(tune);
}

/// Threads that leave the others no CPU, until it is dropped.
struct Busy(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl Busy {
    fn new(threads: usize) -> Busy {
        let busy = Busy(std::sync::Arc::default());
        for _ in 0..threads {
            let ends = std::sync::Arc::clone(&busy.0);
            std::thread::spawn(move || while !ends.load(std::sync::atomic::Ordering::Relaxed) {});
        }
        busy
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// The short form of this is the simulated clock of `experiment/tests/out_of_time.rs`.
#[test]
#[ignore = "live"]
fn a_tune_ends_with_its_budget_though_the_machine_is_busy() {
    let runs = rounds("IODYNO_BUDGET_RUNS", 0);
    if runs == 0 {
        skip::missing(
            "asked:IODYNO_BUDGET_RUNS",
            "a run takes 45 s; IODYNO_BUDGET_RUNS=N asks for N",
        );
        return;
    }
    let Some(disk) = bfq_disk() else { return };
    let (before, _busy) = (disk.settings(), Busy::new(4));
    for run in 1..=runs {
        let (begun, seed) = (std::time::Instant::now(), run.to_string());
        let words = [
            "--knob",
            "scheduler=none",
            "--budget",
            "45s",
            "--seed",
            &seed,
            "--rate-iops",
            "400",
        ];
        let (document, _) = Iodyno::new().json(&[&["tune", &disk.device], &words[..]].concat());
        let took_s = begun.elapsed().as_secs_f64();
        assert!(!document["record"]["trials"].is_null(), "{document}");
        // Looking at the machine comes before, and storing the record after.
        skip::measured(Outcome::right_if(took_s < 55.0), format!("{took_s:.1} s"));
        assert_eq!(disk.settings(), before);
    }
}

#[test]
#[ignore = "live"]
fn a_buffered_load_tunes_read_ahead_with_files_opened_anew() {
    let Some(disk) = Loop::new(64) else { return };
    disk.set("read_ahead_kb", "128");
    let before = disk.settings();
    let knob = [
        "--knob",
        "read_ahead_kb=0",
        "--rw",
        "read",
        "--direct",
        "0",
        "--ioengine",
        "psync",
        "--iodepth",
        "1",
    ];
    let arguments = [&["tune", disk.device.as_str(), "--budget", "4m"], &knob[..]].concat();
    let (document, _) = Iodyno::new().json(&arguments);
    // What was found is better in truth: no read-ahead cannot win a sequential read.
    let (outcome, figures) = judged(&document["record"]["trials"][0], "128");
    skip::measured(outcome, figures);
    assert_eq!(disk.settings(), before);
}

#[test]
#[ignore = "live"]
fn others_on_the_device_are_told_of_and_do_not_end_a_tune() {
    let Some(disk) = bfq_disk() else { return };
    if skip::lacks("fio") {
        return;
    }
    let mut neighbour = Command::new("fio")
        .args([
            "--name=n",
            "--rw=randread",
            "--bs=4k",
            "--iodepth=8",
            "--direct=1",
        ])
        .args([
            "--ioengine=libaio",
            "--time_based",
            "--runtime=300",
            "--readonly",
            "--eta=never",
        ])
        .arg(format!("--filename={}", disk.device))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("the neighbour's reads", || disk.reads() > 500);
    let iodyno = Iodyno::new();
    let knob = [
        "--knob",
        "scheduler=none",
        "--iodepth",
        "8",
        "--layers",
        "off",
    ];
    let rest = ["--budget", "100s", "--wait-quiet", "2s"];
    let (document, output) =
        iodyno.json(&[&["tune", disk.device.as_str()], &knob[..], &rest[..]].concat());
    neighbour.kill().unwrap();
    neighbour.wait().unwrap();
    let words = text(&output.stderr);
    assert!(
        words.contains("was not quiet for 3 s within 2.0 s"),
        "{words}"
    );
    let verdict = &document["record"]["trials"][0]["verdict"];
    assert!(
        !verdict["pairs"].as_array().unwrap().is_empty(),
        "{verdict:#}"
    );
    // They are no reason to give up; that the load gains what they lose is a finding, and one value may do that here.
    let said = verdict["sentence"].as_str().unwrap();
    let is_robbery = said.starts_with("Other programs lose what this load gains");
    assert!(verdict["reason"] != "foreign-io" || is_robbery, "{said}");
    let foreign = verdict["foreign"].as_array().unwrap();
    assert_eq!(foreign.len(), 2);
    let shares = [0, 1].map(|arm| foreign[arm]["share"].as_f64().unwrap());
    let is_true = shares.iter().all(|share| (0.1..0.95).contains(share));
    skip::measured(Outcome::right_if(is_true), format!("{shares:.2?}"));
    assert!(words.contains("others did "), "{words}");
    assert!(disk.settings().contains(&"scheduler=bfq".into()), "{words}");
}

/// What each of two settings gives alone says little about both: here either lifts the same bottleneck.
#[test]
#[ignore = "live"]
fn what_is_put_in_place_together_was_proved_together() {
    let Some(disk) = Loop::new(64) else { return };
    for (name, value) in [
        ("scheduler", "none"),
        ("nr_requests", "4"),
        ("max_sectors_kb", "16"),
    ] {
        disk.set(name, value);
    }
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let load = ["--bs", "256k", "--rw", "randread", "--iodepth", "16"];
    let knobs = ["--knob", "max_sectors_kb=1280", "--knob", "nr_requests=128"];
    let rest = ["--layers", "off", "--accept-worse-p99", "--budget", "4m"];
    let (document, output) =
        iodyno.json(&[&["tune", disk.device.as_str()], &load[..], &knobs, &rest].concat());
    let said = text(&output.stderr);
    assert_eq!(disk.settings(), before, "{said}");
    let trials = document["record"]["trials"].as_array().unwrap();
    let won = |trial: &&serde_json::Value| trial["verdict"]["verdict"] == "better";
    let number = document["id"].as_i64().unwrap().to_string();
    let all = iodyno.run(&["apply", &number, "--dry-run"]);
    let is_decided = trials.iter().take(2).filter(won).count() == 2;
    skip::measured(Outcome::won_if(is_decided), &document["record"]["summary"]);
    if !is_decided {
        // A busy machine may leave one of them undecided, and then nothing is said about both.
        assert!(
            trials.iter().all(|trial| trial["knob"] != "together"),
            "{said}"
        );
        return;
    }
    let set = &trials[2];
    assert_eq!(set["knob"], "together", "{said}");
    assert_eq!(set["set"].as_array().unwrap().len(), 2, "{set:#}");
    let words = text(&all.stdout) + &text(&all.stderr);
    if won(&set) {
        assert_eq!(code(&all), 0, "{words}");
        assert!(
            words.contains("16 → 1280") && words.contains("4 → 128"),
            "{words}"
        );
        let headline = document["record"]["summary"].as_str().unwrap();
        assert!(
            headline.starts_with("max_sectors_kb=1280 and nr_requests=128 together: +"),
            "{headline}"
        );
    } else {
        assert_eq!(code(&all), 4, "{words}");
        assert!(words.contains("--only"), "{words}");
    }
    let one = iodyno.run(&["apply", &number, "--only", "nr_requests", "--dry-run"]);
    let words = text(&one.stdout);
    assert!(
        words.contains("4 → 128") && !words.contains("1280"),
        "{words}"
    );
}

/// Whether a trial of a tune only selected.
fn is_selected(trial: &&serde_json::Value) -> bool {
    trial["verdict"]["reason"] == "selected"
}

/// Whether a value that was tried was ahead in such a trial.
fn is_ahead(trial: &&serde_json::Value) -> bool {
    is_selected(trial) && trial["verdict"]["arm"] != trial["arms"][0]
}

/// Without a knob: what is suspect comes first, each knob is selected on top of what is ahead, and one proof of all of it
/// against what was found is the headline. What was only selected cannot be put in place alone.
#[test]
#[ignore = "live"]
fn without_a_knob_what_is_ahead_is_proved_once() {
    let Some(disk) = Loop::in_memory(64) else {
        return;
    };
    for (name, value) in [
        ("scheduler", "none"),
        ("nr_requests", "4"),
        ("max_sectors_kb", "4"),
    ] {
        disk.set(name, value);
    }
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let load = ["--bs", "256k", "--rw", "randread", "--iodepth", "16"];
    let rest = ["--layers", "off", "--accept-worse-p99", "--budget", "6m"];
    let (document, output) =
        iodyno.json(&[&["tune", disk.device.as_str()], &load[..], &rest].concat());
    let said = text(&output.stderr);
    assert_eq!(disk.settings(), before, "{said}");
    assert!([0, 6].contains(&code(&output)), "{said}");
    let is_suspect = said.contains("suspect: max_sectors_kb (requests_split)");
    skip::measured(Outcome::won_if(is_suspect), "max_sectors_kb is suspect");
    let trials = document["record"]["trials"].as_array().unwrap();
    for trial in trials.iter().filter(is_selected) {
        let stages = trial["verdict"]["stages"].as_array().unwrap();
        assert!(
            stages.iter().all(|cost| cost["stage"] != "holdout"),
            "{trial:#}"
        );
    }
    // Each knob was tried on top of what was ahead before it.
    let mut base = 0;
    for trial in trials.iter().filter(is_selected) {
        assert_eq!(trial["base"].as_array().map_or(0, Vec::len), base, "{said}");
        base += usize::from(is_ahead(&trial));
    }
    // A busy machine may leave the proof undecided.
    let mut ahead = trials.iter().filter(is_ahead);
    let is_ahead = ahead.any(|trial| trial["knob"] == "max_sectors_kb");
    let won = is_ahead && trials[0]["verdict"]["verdict"] == "better";
    skip::measured(Outcome::won_if(won), &document["record"]["summary"]);
    if !won {
        return;
    }
    assert!(
        !is_selected(&&trials[0]) && trials[0]["verdict"]["reason"] == "confirmed",
        "{said}"
    );
    let headline = document["record"]["summary"].as_str().unwrap();
    assert!(headline.contains("max_sectors_kb"), "{headline}\n{said}");
    let number = document["id"].as_i64().unwrap().to_string();
    let all = iodyno.run(&["apply", &number, "--dry-run"]);
    let words = text(&all.stdout) + &text(&all.stderr);
    assert_eq!(code(&all), 0, "{words}");
    assert!(
        words.contains("max_sectors_kb") && words.contains("4 → "),
        "{words}"
    );
    if trials[0]["knob"] == "together" && trials[0]["set"].as_array().unwrap().len() > 1 {
        let one = iodyno.run(&["apply", &number, "--only", "max_sectors_kb", "--dry-run"]);
        assert_eq!(code(&one), 4, "{}", text(&one.stderr));
        assert!(text(&one.stderr).contains("leave --only out"));
    }
}
