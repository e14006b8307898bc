//! `--command`: a program of the user's makes the load, and a setting is judged by the rate that it prints.

use crate::support::{Dir, Iodyno, Loop, code, text};
use std::path::PathBuf;

/// Reads 1 MiB at a time past the page cache and prints its rate four times a second, as a client of a server would.
const READER: &str = r#"
import mmap, os, sys, time
device = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
buffer, size = mmap.mmap(-1, 1 << 20), os.lseek(device, 0, os.SEEK_END)
at, done, since = 0, 0, time.monotonic()
while True:
    done += os.preadv(device, [buffer], at)
    at = (at + (1 << 20)) % size
    now = time.monotonic()
    if now - since >= 0.25:
        print("read at %.1f MB/s" % (done / 1e6 / (now - since)), flush=True)
        done, since = 0, now
"#;

/// A loop device, a directory with the reader in it, and the reader's command on that device.
fn reader() -> Option<(Loop, Dir, String)> {
    if skip::lacks("python3") {
        return None;
    }
    let disk = Loop::in_memory(64)?;
    let dir = Dir::new("command");
    let script: PathBuf = dir.path().join("reader.py");
    std::fs::write(&script, READER).unwrap();
    let command = format!("exec python3 {} {}", script.display(), disk.device);
    Some((disk, dir, command))
}

#[test]
fn a_setting_is_judged_by_what_the_command_prints() {
    let Some((disk, _dir, command)) = reader() else {
        return;
    };
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let regex = "read at (?<MBs>[0-9.]+)";
    let words = [
        "tune",
        &disk.device,
        "--command",
        &command,
        "--metric-regex",
        regex,
    ];
    let rest = [
        "--knob",
        "max_sectors_kb=4",
        "--layers",
        "off",
        "--budget",
        "2m",
    ];
    let (document, output) = iodyno.json(&[&words[..], &rest[..]].concat());
    let said = text(&output.stderr);
    assert_eq!(disk.settings(), before, "every setting is back");
    let record = &document["record"];
    let verdict = &record["trials"][0]["verdict"];
    assert_eq!(verdict["metric"]["name"], "MBs", "{verdict:#}");
    assert_eq!(record["job"]["engine_options"]["command"], command.as_str());
    // Requests of 4 KiB are a fraction of what requests of 1 MiB are. On a busy machine the budget may end before all is
    // proved, never for another value.
    let end = (code(&output), verdict["verdict"].as_str().unwrap());
    let ends = [
        (0, "better"),
        (0, "equal"),
        (6, "inconclusive"),
        (6, "refused"),
    ];
    assert!(ends.contains(&end), "{end:?}: {said}\n{verdict:#}");
    assert_eq!(verdict["arm"], record["trials"][0]["arms"][0], "{said}");
    let pairs = verdict["pairs"].as_array().unwrap();
    let is_less = |pair: &serde_json::Value| pair["effect_ln"].as_f64().unwrap() < 0.0;
    let less = pairs.iter().filter(|pair| is_less(pair)).count();
    assert!(
        pairs.len() >= 4 && less * 4 > pairs.len() * 3,
        "{verdict:#}"
    );
    assert!(said.contains("judged by MBs"), "{said}");
}

#[test]
fn a_bound_that_is_crossed_puts_everything_back_and_ends_the_tune() {
    let Some((disk, _dir, command)) = reader() else {
        return;
    };
    let before = disk.settings();
    // Requests of 4 KiB come at many times the rate of those of 1 MiB, of which no memory copies 10,000 in a second: only
    // the value that is tried crosses the bound, also where the machine is busy.
    let words = [
        "tune",
        &disk.device,
        "--command",
        &command,
        "--metric-regex",
        "read at ([0-9.]+)",
    ];
    let knobs = ["--knob", "max_sectors_kb=4", "--knob", "nr_requests=64"];
    let rest = ["--layers", "off", "--stop-if", "iops>10k"];
    let (document, output) = Iodyno::new().json(&[&words[..], &knobs, &rest].concat());
    let said = text(&output.stderr);
    assert_eq!((code(&output), disk.settings()), (6, before), "{said}");
    let trials = document["record"]["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 1, "no further knob is tried: {said}");
    let verdict = &trials[0]["verdict"];
    assert_eq!(verdict["reason"], "bound-crossed", "{verdict:#}");
    let sentence = verdict["sentence"].as_str().unwrap();
    let crossed = "Stopped at once: with 4 in place the device's rate was ";
    assert!(sentence.starts_with(crossed), "{sentence}");
    assert!(
        sentence.contains("(--stop-if 'iops>10k'); everything was back "),
        "{sentence}"
    );
    assert!(
        said.contains("puts everything back at once and ends where iops>10k on loop"),
        "{said}"
    );
}

#[test]
fn run_watches_a_command_until_it_ends() {
    let Some(disk) = Loop::new(16) else { return };
    let iodyno = Iodyno::new();
    let read = format!(
        "dd if={} of=/dev/null bs=64k iflag=direct 2>&1",
        disk.device
    );
    let (document, output) = iodyno.json(&["run", &disk.device, "--command", &read]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let load = &document["record"]["load"];
    assert_eq!(load["read"]["bytes"], 16 << 20, "{load:#}");
    assert!(
        load["engine"]
            .as_str()
            .unwrap()
            .starts_with("the command `dd if=/dev/loop"),
        "{load:#}"
    );
}

#[test]
fn a_command_that_fails_ends_the_tune_with_its_words() {
    let Some(disk) = Loop::new(16) else { return };
    let before = disk.settings();
    let tune = |command: &str| {
        let words = [
            "tune",
            &disk.device,
            "--command",
            command,
            "--knob",
            "nr_requests=64",
        ];
        let output = Iodyno::new().run(&words);
        assert_eq!(disk.settings(), before);
        (code(&output), text(&output.stderr))
    };
    let (exit, said) = tune("echo no route to the server; exit 2");
    assert_eq!(exit, 5, "{said}");
    assert!(
        said.contains("it ended with status 2; its last words: no route to the server"),
        "{said}"
    );
    let (exit, said) = tune("for i in 1 2 3; do echo progress: $i.0 s, 10 tps; sleep 0.3; done");
    assert_eq!(exit, 5, "{said}");
    assert!(
        said.contains("the load ended before the experiment did"),
        "{said}"
    );
}

#[test]
fn a_plan_for_a_directory_promises_no_scratch_file() {
    let dir = Dir::new("command");
    let target = dir.path().to_string_lossy().into_owned();
    let words = ["tune", &target, "--command", "sleep 9", "--dry-run"];
    let output = Iodyno::new().run(&words);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(
        said.contains("judged by printed rate") && !said.contains("scratch"),
        "{said}"
    );
}

#[test]
fn a_command_that_nobody_typed_is_not_run() {
    let dir = Dir::new("command");
    let marker = dir.path().join("was-run");
    let option = format!("command=touch {}", marker.display());
    let target = dir.path().to_string_lossy().into_owned();
    let words = [
        "run",
        &target,
        "--ioengine",
        "command",
        "--engine-option",
        &option,
        "--runtime",
        "1s",
    ];
    let output = Iodyno::new().run(&words);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    assert!(said.contains("give it with --command"), "{said}");
    assert!(!marker.exists());
    let both = Iodyno::new().run(&["run", &target, "--command", "true", "--rw", "read"]);
    assert_eq!(code(&both), 2, "{}", text(&both.stderr));
}
