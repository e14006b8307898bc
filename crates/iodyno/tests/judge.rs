//! `judge` over pipes, with a simulated disk on the other side.

use crate::support::{Iodyno, code, text};
use serde_json::{Value, json};
use simulator::{Device, Scenario};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

fn scenario(name: &str) -> Scenario {
    simulator::public()
        .into_iter()
        .find(|scenario| scenario.name == name)
        .unwrap()
}

/// Plays a disk until the verdict; the exit code comes with it.
pub fn judge(arguments: &[&str], arms: &[&str], mut device: Device) -> (Value, i32) {
    let iodyno = Iodyno::new();
    let mut command = iodyno.command(&[&["judge"], arguments].concat());
    for arm in arms {
        command.args(["--arm", arm]);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to_judge = child.stdin.take().unwrap();
    let from_judge = BufReader::new(child.stdout.take().unwrap());
    let mut verdict = Value::Null;
    for line in from_judge.lines() {
        let said: Value = serde_json::from_str(&line.unwrap()).unwrap();
        match said["type"].as_str().unwrap() {
            "hello" => assert_eq!(said["schema"], "iodyno.judge/1"),
            "window" => {
                let arm = arms.iter().position(|arm| said["arm"] == *arm).unwrap();
                let rates = device.run(arm, said["duration_ms"].as_u64().unwrap());
                writeln!(
                    to_judge,
                    "{}",
                    json!({"type": "result", "id": said["id"], "rates": rates})
                )
                .unwrap();
            }
            "verdict" => verdict = said,
            other => panic!("an unknown line: {other}"),
        }
    }
    drop(to_judge);
    (verdict, child.wait().unwrap().code().unwrap())
}

#[test]
fn finds_an_effect_that_is_there() {
    let device = Device::new(&scenario("quiet_nvme"), &[0.0, 0.1], 11);
    let (verdict, exit) = judge(&["--seed", "7"], &["A", "B"], device);
    assert_eq!(
        (verdict["verdict"].as_str(), verdict["arm"].as_str(), exit),
        (Some("better"), Some("B"), 0),
        "{verdict}"
    );
    let (low, high) = (
        verdict["low"].as_f64().unwrap(),
        verdict["high"].as_f64().unwrap(),
    );
    let truth = 0.1f64.exp_m1();
    assert!(
        low - 0.01 < truth && truth < high + 0.01,
        "{low} to {high} should hold {truth}"
    );
    assert!(verdict["windows"].as_u64().unwrap() > 0 && verdict["device_ms"].as_u64().unwrap() > 0);
}

#[test]
fn finds_none_that_is_not() {
    for seed in 1..=5u64 {
        let device = Device::new(&scenario("cloud"), &[0.0, 0.0], seed);
        let (verdict, exit) = judge(&["--seed", &seed.to_string()], &["A", "B"], device);
        assert_ne!(verdict["verdict"], "better", "seed {seed}: {verdict}");
        assert!([0, 6].contains(&exit));
    }
}

#[test]
fn picks_among_six() {
    let effects = [0.0, -0.05, 0.02, 0.25, -0.1, 0.03];
    let device = Device::new(&scenario("ar_ssd"), &effects, 3);
    let (verdict, exit) = judge(&["--seed", "3"], &["a", "b", "c", "d", "e", "f"], device);
    assert_eq!((verdict["arm"].as_str(), exit), (Some("d"), 0), "{verdict}");
}

#[test]
fn the_same_seed_and_rates_give_the_same_verdict() {
    let run = || {
        judge(
            &["--seed", "5"],
            &["A", "B"],
            Device::new(&scenario("drift"), &[0.0, 0.05], 9),
        )
    };
    assert_eq!(run(), run());
}

/// Feeds these lines to a judge and returns exit code and stderr.
fn feed(lines: &str) -> (i32, String) {
    let iodyno = Iodyno::new();
    let mut command = iodyno.command(&["judge", "--arm", "A", "--arm", "B", "--seed", "7"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The judge may leave before it has read all; that is its right.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    (code(&output), text(&output.stderr))
}

#[test]
fn a_malformed_line_is_named_with_its_number() {
    let (exit, said) = feed("{\"type\":\"failed\",\"id\":1,\"why\":\"busy\"}\nnonsense\n");
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("line 2"), "{said}");
    let (exit, said) = feed("{\"type\":\"result\",\"id\":1,\"rates\":[1]}\n");
    assert!(
        exit == 2 && said.contains("line 1") && said.contains("10 ms"),
        "{said}"
    );
    let (exit, said) = feed("{\"type\":\"result\",\"id\":9,\"rates\":[]}\n");
    assert!(exit == 2 && said.contains("window 9"), "{said}");
    let (exit, said) = feed("");
    assert!(exit == 2 && said.contains("ended"), "{said}");
}

#[test]
fn a_driver_that_always_fails_gets_a_verdict() {
    let lines: String = (1..40)
        .map(|id| format!("{{\"type\":\"failed\",\"id\":{id},\"why\":\"no device\"}}\n"))
        .collect();
    let (exit, said) = feed(&lines);
    assert!(
        exit == 6 || (exit == 2 && said.contains("was not asked for")),
        "{exit}: {said}"
    );
}
