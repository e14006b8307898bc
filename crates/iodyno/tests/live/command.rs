//! `--command`: a program of the user's makes the load, and a setting is judged by the rate that it prints.

use crate::live::verdicts::judged;
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
#[ignore = "live"]
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
        "5m",
    ];
    let (document, output) = iodyno.json(&[&words[..], &rest[..]].concat());
    let said = text(&output.stderr);
    assert_eq!(disk.settings(), before, "every setting is back");
    let record = &document["record"];
    let verdict = &record["trials"][0]["verdict"];
    assert_eq!(verdict["metric"]["name"], "MBs", "{verdict:#}");
    assert_eq!(record["job"]["engine_options"]["command"], command.as_str());
    assert!([0, 6].contains(&code(&output)), "{said}\n{verdict:#}");
    // Requests of 4 KiB are a fraction of what requests of 1 MiB are.
    let found = record["trials"][0]["arms"][0].as_str().unwrap();
    let (outcome, figures) = judged(&record["trials"][0], found);
    skip::measured(outcome, figures);
    assert!(said.contains("judged by MBs"), "{said}");
}

#[test]
#[ignore = "live"]
fn a_bound_that_is_crossed_puts_everything_back_and_ends_the_tune() {
    let Some((disk, _dir, command)) = reader() else {
        return;
    };
    let before = disk.settings();
    // Requests of 4 KiB come at many times the rate of those of 1 MiB, of which no memory copies 20,000 in a second: only
    // the value that is tried crosses the bound, and on a machine that is busy none may.
    let words = [
        "tune",
        &disk.device,
        "--command",
        &command,
        "--metric-regex",
        "read at ([0-9.]+)",
    ];
    let knobs = ["--knob", "max_sectors_kb=4", "--knob", "nr_requests=64"];
    let stop = ["--layers", "off", "--stop-if", "iops>20k"];
    let rest = [&stop[..], &["--budget", "2m"]].concat();
    let (document, output) = Iodyno::new().json(&[&words[..], &knobs, &rest].concat());
    let said = text(&output.stderr);
    assert_eq!(disk.settings(), before, "{said}");
    let trials = document["record"]["trials"].as_array().unwrap();
    let verdict = &trials[0]["verdict"];
    let sentence = verdict["sentence"].as_str().unwrap();
    let is_crossed = verdict["reason"] == "bound-crossed";
    skip::measured(skip::Outcome::won_if(is_crossed), sentence);
    if !is_crossed {
        return;
    }
    assert_eq!(code(&output), 6, "{said}");
    assert_eq!(trials.len(), 1, "no further knob is tried: {said}");
    let crossed = "Stopped at once: with 4 in place the device's rate was ";
    assert!(sentence.starts_with(crossed), "{sentence}");
    assert!(
        sentence.contains("(--stop-if 'iops>20k'); everything was back "),
        "{sentence}"
    );
    assert!(
        said.contains("puts everything back at once and ends where iops>20k on loop"),
        "{said}"
    );
}
