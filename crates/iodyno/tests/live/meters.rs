//! `tune --metric` on a loop device: what each meter reads, and that a verdict carries it.

use crate::support::{Iodyno, Loop, code, text};
use serde_json::Value;
use skip::Outcome;

/// The verdict on a scheduler, with the words that the tune printed.
fn verdict(disk: &Loop, metric: &str, job: &[&str]) -> (Value, String) {
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let knob = ["--knob", "scheduler=none,mq-deadline", "--budget", "45s"];
    let words = ["tune", &disk.device, "--metric", metric];
    let (document, output) = iodyno.json(&[&words[..], &knob[..], job].concat());
    assert!([0, 6].contains(&code(&output)), "{}", text(&output.stderr));
    assert_eq!(disk.settings(), before, "every setting is back");
    let trial = document["record"]["trials"][0].clone();
    assert!(!trial["verdict"].is_null(), "{metric}: {document}");
    (trial, text(&output.stderr))
}

/// The middle of the windows' values, in the metric's unit.
fn typical(trial: &Value) -> f64 {
    let windows = trial["windows"].as_array().unwrap();
    let mut values: Vec<f64> = windows
        .iter()
        .filter(|window| window["half_depth"] != true)
        .map(|window| window["rate"].as_f64().unwrap())
        .collect();
    assert!(values.len() > 4, "{trial}");
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
#[ignore = "live"]
fn a_load_with_a_fixed_rate_is_judged_by_its_latency() {
    let Some(disk) = Loop::in_memory(64) else {
        return;
    };
    let (trial, said) = verdict(&disk, "latency", &["--rate-iops", "1500"]);
    let metric = &trial["verdict"]["metric"];
    assert_eq!(
        (&metric["name"], &metric["unit"], &metric["better"]),
        (&"mean latency".into(), &"ns".into(), &"lower".into())
    );
    assert!(
        said.contains("judged by mean latency, lower is better"),
        "{said}"
    );
    let windows = trial["windows"].as_array().unwrap();
    let whole = |member: &str| {
        windows
            .iter()
            .all(|window| window[member].as_u64().unwrap() % 100 == 0)
    };
    assert!(whole("length_ms") && whole("discard_ms"), "{trial}");
    let latency_ns = typical(&trial);
    let is_true = (1e3..1e8).contains(&latency_ns);
    skip::measured(Outcome::right_if(is_true), format!("{latency_ns} ns"));
    // Every pair says of the same two windows which latency was the lower one.
    for pair in trial["verdict"]["pairs"].as_array().unwrap() {
        let of = |member: &str| pair[member].as_f64().unwrap();
        assert_eq!(
            of("effect_ln") > 0.0,
            of("rate_arm") < of("rate_default"),
            "{pair}"
        );
    }
}

#[test]
#[ignore = "live"]
fn bytes_of_the_load_and_of_the_device_agree_where_nothing_lies_between() {
    let Some(disk) = Loop::in_memory(64) else {
        return;
    };
    let job = ["--bs", "64k", "--rate-iops", "800"];
    let expected = 800.0 * 65_536.0;
    for metric in ["bandwidth", "device_bandwidth"] {
        let (trial, _) = verdict(&disk, metric, &job);
        assert_eq!(trial["verdict"]["metric"]["unit"], "bytes/s");
        let found = typical(&trial);
        let is_true = (0.7..1.3).contains(&(found / expected));
        let figures = format!("{metric}: {found} bytes/s, {expected} were asked for");
        skip::measured(Outcome::right_if(is_true), figures);
    }
}
