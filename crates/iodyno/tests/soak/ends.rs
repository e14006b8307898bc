//! Signals at random moments of every verb that changes something: all of it is back, within a second, whatever the programs of
//! the load do.

use super::killed::random_moments;
use crate::support::{Iodyno, Loop, rounds, signal};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const SIGNALS: [&str; 4] = ["INT", "TERM", "HUP", "QUIT"];

/// A load that leaves a daemon behind, which keeps the output open, and does not end when it is asked to.
const DEAF: &str = "trap '' TERM; setsid sleep 30 & while :; do echo rate 100; sleep 0.01; done";

/// Words of a verb for a device, and whether it ends by itself.
fn verbs(device: &str) -> Vec<(&'static str, Vec<String>)> {
    let words = |line: &str| {
        line.split(' ')
            .map(|word| word.replace("DEVICE", device))
            .collect()
    };
    let tune = "tune DEVICE --knob scheduler=none,mq-deadline --knob nomerges=0,2 --budget 10m";
    let mut deaf: Vec<String> =
        words("tune DEVICE --knob nomerges=0,2 --budget 10m --metric-regex");
    deaf.extend(["rate ([0-9]+)", "--command", DEAF].map(String::from));
    let mut beside: Vec<String> = words("tune DEVICE --knob nomerges=0,2 --budget 10m --beside");
    beside.push(DEAF.into());
    vec![
        ("tune", words(tune)),
        ("tune of a command", deaf),
        ("tune beside a command", beside),
        (
            "set",
            words("set scheduler=mq-deadline nomerges=2 read_ahead_kb=64 DEVICE"),
        ),
        (
            "set --confirm",
            words("set scheduler=mq-deadline nomerges=2 DEVICE --confirm 1m"),
        ),
    ]
}

/// When the settings were as before, after a signal; none when the process was over before it.
fn back_after(child: &mut Child, name: &str, is_back: impl Fn() -> bool) -> Option<Duration> {
    if child.try_wait().unwrap().is_some() {
        return None;
    }
    signal(child.id(), name);
    let sent = Instant::now();
    while !is_back() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let took = sent.elapsed();
    child.wait().unwrap();
    Some(took)
}

#[test]
#[ignore = "soak"]
fn a_signal_at_any_moment_of_any_verb_has_everything_back_within_a_second() {
    let Some(disk) = Loop::in_memory(32) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    let iodyno = Iodyno::new();
    disk.set("scheduler", "none");
    disk.set("nomerges", "0");
    let before = disk.settings();
    let seed = std::process::id().into();
    println!("seed {seed}");
    let mut random = random_moments(seed);
    let (mut counts, mut slowest) = ([0; 3], Duration::ZERO);
    for round in 0..rounds("IODYNO_SIGNALS_ROUNDS", 100) {
        let verbs = verbs(&disk.device);
        let (verb, words) = &verbs[round as usize % verbs.len()];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let most_ms = if verb.starts_with("tune") { 8_000 } else { 400 };
        let mut command = iodyno.command(&words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(random(most_ms)));
        let was_changed = disk.settings() != before;
        let name = SIGNALS[random(4) as usize];
        let took = back_after(&mut child, name, || disk.settings() == before);
        let status = child.wait().unwrap();
        match took {
            // A `set` that was done before the signal stays, and can be taken back.
            _ if status.success() => {
                counts[0] += 1;
                assert!(iodyno.run(&["undo", "--all"]).status.success(), "{verb}");
            }
            Some(took) => {
                counts[1] += 1;
                counts[2] += i32::from(was_changed);
                slowest = slowest.max(took);
                assert!(
                    took < Duration::from_secs(1),
                    "{verb}, {name}: back after {took:?}"
                );
            }
            None => panic!("{verb} ended by itself: {status}"),
        }
        assert_eq!(disk.settings(), before, "{verb}, {name}, {status}");
        iodyno.assert_nothing_is_changed();
    }
    let [done, signalled, changed] = counts;
    println!(
        "{signalled} signals, {changed} with something changed, back within {slowest:?}; {done} were done before"
    );
}
