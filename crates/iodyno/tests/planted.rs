//! Bad settings that are planted below real programs, and found by what those get done: by sysbench's events, by each run of
//! a command, by a load that is none of ours, and by that of one control group beside others.

use crate::mounts::Mounted;
use crate::support::{Iodyno, Killed, Loop, code, text, until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Tries a tune three times at the most on a disk whose setting is bad, until it says that `better` is better, and gives the
/// trial. A machine that is busy with other things may not decide in so short a time; never for the bad value, and its
/// windows show all the same which value was faster.
pub fn found(disk: &Loop, better: &str, words: &[&str]) -> Value {
    let before = disk.settings();
    let words = [&["tune", &disk.device][..], words, &["--layers", "off"]].concat();
    for attempt in 1.. {
        let (document, output) = Iodyno::new().json(&words);
        let said = text(&output.stderr);
        assert_eq!(disk.settings(), before, "every setting is back: {said}");
        let trial = document["record"]["trials"][0].clone();
        let verdict = &trial["verdict"];
        let end = (code(&output), verdict["verdict"].as_str().unwrap_or("none"));
        if end == (0, "better") {
            assert_eq!(verdict["arm"], better, "{said}\n{verdict:#}");
            return trial;
        }
        let undecided = [(6, "inconclusive"), (6, "refused")];
        assert!(undecided.contains(&end), "{end:?}: {said}\n{verdict:#}");
        if attempt == 3 {
            must_be_faster(&trial, &said);
            return trial;
        }
    }
    unreachable!()
}

/// The second value's windows are faster than those of the first, which was planted.
pub fn must_be_faster(trial: &Value, said: &str) {
    let of = |arm: u64| {
        let windows = trial["windows"].as_array().unwrap().iter();
        let own = windows
            .filter(|window| window["arm"] == arm && window["length_ms"].as_u64() > Some(500));
        let mut values: Vec<f64> = own.map(|one| one["rate"].as_f64().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    assert!(of(1) > 1.2 * of(0), "{} against {}: {said}", of(1), of(0));
}

/// A mounted disk with sysbench's files on it, and a bad setting below; the command that reads them, but for its end.
fn with_files() -> Option<(Mounted, String)> {
    if skip::lacks("sysbench") {
        return None;
    }
    let mounted = Mounted::new(160)?;
    let files = format!(
        "cd {}; sysbench fileio --file-num=2 --file-total-size=96M --file-block-size=1M --file-extra-flags=direct \
         --file-test-mode=rndrd",
        mounted.point()
    );
    let made = Command::new("sh")
        .args(["-c", &format!("{files} prepare")])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", text(&made.stdout));
    mounted.disk.set("max_sectors_kb", "4");
    Some((mounted, files))
}

#[test]
fn a_planted_setting_is_found_by_the_events_of_sysbench() {
    let Some((mounted, files)) = with_files() else {
        return;
    };
    let command = format!("{files} --time=600 --report-interval=1 run");
    let knob = "max_sectors_kb=1280";
    let words = ["--command", &command, "--knob", knob, "--budget", "150s"];
    let trial = found(&mounted.disk, "1280", &words);
    assert_eq!(trial["verdict"]["metric"]["name"], "printed rate");
}

#[test]
fn a_planted_setting_is_found_by_runs_of_a_command() {
    let Some((mounted, files)) = with_files() else {
        return;
    };
    let command = format!("{files} --time=1 run");
    let knob = "max_sectors_kb=1280";
    let words = ["--command", &command, "--run-again", "--knob", knob];
    let trial = found(&mounted.disk, "1280", &words);
    let verdict = &trial["verdict"];
    assert_eq!(
        (&verdict["metric"]["name"], &verdict["metric"]["is_of_runs"]),
        (&"printed rate".into(), &true.into()),
        "{verdict:#}"
    );
    let runs = trial["windows"].as_array().unwrap();
    assert!((16..=32).contains(&runs.len()), "{trial:#}");
    // One that prints no number is judged by its duration, of which less is better.
    let disk = &mounted.disk;
    let copy = format!(
        "for n in 1 2 3 4 5 6 7 8; do dd if={} of=/dev/null bs=1M count=120 iflag=direct; done 2>&1 | grep -c nothing; :",
        disk.device
    );
    let words = ["--command", &copy, "--run-again", "--knob", knob];
    let trial = found(disk, "1280", &words);
    let metric = &trial["verdict"]["metric"];
    assert_eq!(
        (&metric["name"], &metric["better"]),
        (&"duration".into(), &"lower".into())
    );
}

#[test]
fn runs_that_the_budget_cannot_hold_are_refused_before_anything_is_touched() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let before = disk.settings();
    let tune = |words: &[&str]| {
        let knob = ["--knob", "nr_requests=64"];
        let words = [&["tune", &disk.device, "--run-again"][..], words, &knob].concat();
        let output = Iodyno::new().run(&words);
        assert_eq!(disk.settings(), before);
        (code(&output), text(&output.stderr))
    };
    let (exit, said) = tune(&["--command", "sleep 1", "--budget", "10s"]);
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("a run of the command took 1.0"), "{said}");
    assert!(said.contains("Give --budget 1m"), "{said}");
    let (exit, said) = tune(&["--command", "true"]);
    assert!(
        exit == 2 && said.contains("the start of a program"),
        "{said}"
    );
    let (exit, said) = tune(&["--command", "echo no disk; exit 3"]);
    assert!(
        exit == 5 && said.contains("its last words: no disk"),
        "{said}"
    );
    let (exit, said) = tune(&["--command", "sleep 1", "--metric-regex", "got ([0-9]+)"]);
    assert!(exit == 2 && said.contains("printed no line"), "{said}");
    let (exit, said) = tune(&["--command", "sleep 1", "--metric", "device_iops"]);
    assert!(
        exit == 2 && said.contains("judged by result or duration"),
        "{said}"
    );
}

/// fio in one process, so that no child of it goes on, which reads a disk in large requests until it is killed.
fn reader(disk: &Loop, group: Option<&Path>) -> Killed {
    let fio = format!(
        "exec fio --name=r --thread --filename={} --direct=1 --rw=read --bs=1M --ioengine=psync --time_based --runtime=900",
        disk.device
    );
    let enter = group.map(|group| format!("echo $$ >{}/cgroup.procs;", group.display()));
    let child = Command::new("sh")
        .args(["-c", &format!("{}{fio}", enter.unwrap_or_default())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Killed(child.unwrap())
}

#[test]
fn a_planted_setting_is_found_under_a_load_that_is_none_of_ours() {
    let Some(disk) = Loop::in_memory(64).filter(|_| !skip::lacks("fio")) else {
        return;
    };
    disk.set("max_sectors_kb", "4");
    let _load = reader(&disk, None);
    let words = ["--ioengine", "none", "--metric", "device_bandwidth"];
    let knob = ["--knob", "max_sectors_kb=1280", "--budget", "45s"];
    found(&disk, "1280", &[&words[..], &knob].concat());
}

/// A control group of the test's own.
struct OwnGroup(PathBuf);

impl OwnGroup {
    fn new() -> Option<OwnGroup> {
        let old = Path::new("/sys/fs/cgroup/blkio");
        let root = if old.exists() {
            old
        } else {
            Path::new("/sys/fs/cgroup")
        };
        let path = root.join(format!("iodyno-test-{}", std::process::id()));
        if std::fs::create_dir(&path).is_err() {
            skip::missing("cgroup", "no control group can be made");
            return None;
        }
        Some(OwnGroup(path))
    }

    fn name(&self) -> String {
        self.0.file_name().unwrap().to_string_lossy().into_owned()
    }

    /// Makes the kernel count what groups send to a disk. Whether it does.
    fn counts(&self, disk: &Loop) -> bool {
        let number = std::fs::read_to_string(format!("/sys/block/{}/dev", disk.name)).unwrap();
        let limit = format!("{} 1000000000000", number.trim());
        let file = self.0.join("blkio.throttle.read_bps_device");
        let counts = std::fs::write(file, limit).is_ok() || self.0.join("io.stat").exists();
        if !counts {
            skip::missing("cgroup", "groups do not count I/O here");
        }
        counts
    }
}

impl Drop for OwnGroup {
    fn drop(&mut self) {
        // A group is busy for a moment after its last process has ended.
        until("the group is empty", || {
            std::fs::remove_dir(&self.0).is_ok() || !self.0.exists()
        });
    }
}

#[test]
fn a_planted_setting_is_found_by_the_load_of_one_group_beside_others() {
    let Some(disk) = Loop::in_memory(64).filter(|_| !skip::lacks("fio")) else {
        return;
    };
    let Some(group) = OwnGroup::new() else { return };
    let knob = ["--knob", "max_sectors_kb=1280", "--budget", "45s"];
    let name = group.name();
    let words = [
        "--ioengine",
        "none",
        "--metric",
        "group_bandwidth",
        "--cgroup",
        &name,
    ];
    disk.set("max_sectors_kb", "4");
    // What the kernel does not count is told before anything is touched.
    let output = Iodyno::new().run(&[&["tune", &disk.device][..], &words[..], &knob].concat());
    let said = text(&output.stderr);
    assert_eq!(code(&output), 5, "{said}");
    let is_told = said.contains("the kernel does not count") || said.contains("sent nothing");
    assert!(is_told || said.contains("completed nothing"), "{said}");
    if !group.counts(&disk) {
        return;
    }
    let own = reader(&disk, Some(&group.0));
    let _others = Killed(
        Command::new("fio")
            .args([
                "--name=o",
                "--thread",
                "--direct=1",
                "--rw=randread",
                "--bs=4k",
                "--rate_iops=300",
            ])
            .args(["--ioengine=psync", "--time_based", "--runtime=900"])
            .arg(format!("--filename={}", disk.device))
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    // Named by its path, and by a process in it.
    let trial = found(&disk, "1280", &[&words[..], &knob].concat());
    assert_eq!(trial["verdict"]["metric"]["name"], "group bandwidth");
    let pid = own.0.id().to_string();
    let words = [
        "tune",
        &disk.device,
        "--ioengine",
        "none",
        "--metric",
        "group_iops",
    ];
    let rest = ["--cgroup", &pid, "--knob", "nr_requests=64", "--dry-run"];
    let output = Iodyno::new().run(&[&words[..], &rest].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
}
