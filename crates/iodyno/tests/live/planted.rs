//! Bad settings that are planted below real programs, and found by what those get done: by sysbench's events, by each run of
//! a command, by a load that is none of ours, and by that of one control group beside others.

use crate::live::verdicts::tuned;
use crate::mounts::Mounted;
use crate::support::{Iodyno, Killed, Loop, code, text, until};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
#[ignore = "live"]
fn a_planted_setting_is_found_by_the_events_of_sysbench() {
    let Some((mounted, files)) = with_files() else {
        return;
    };
    let command = format!("{files} --time=600 --report-interval=1 run");
    let knob = "max_sectors_kb=1280";
    let words = ["--command", &command, "--knob", knob, "--budget", "4m"];
    let trial = tuned(&mounted.disk, "1280", &words);
    assert_eq!(trial["verdict"]["metric"]["name"], "printed rate");
}

#[test]
#[ignore = "live"]
fn a_planted_setting_is_found_by_runs_of_a_command() {
    let Some((mounted, files)) = with_files() else {
        return;
    };
    let command = format!("{files} --time=1 run");
    let knob = "max_sectors_kb=1280";
    let words = ["--command", &command, "--run-again", "--knob", knob];
    let trial = tuned(&mounted.disk, "1280", &words);
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
    let trial = tuned(disk, "1280", &words);
    let metric = &trial["verdict"]["metric"];
    assert_eq!(
        (&metric["name"], &metric["better"]),
        (&"duration".into(), &"lower".into())
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
#[ignore = "live"]
fn a_planted_setting_is_found_under_a_load_that_is_none_of_ours() {
    let Some(disk) = Loop::in_memory(64).filter(|_| !skip::lacks("fio")) else {
        return;
    };
    disk.set("max_sectors_kb", "4");
    let _load = reader(&disk, None);
    let words = ["--ioengine", "none", "--metric", "device_bandwidth"];
    let knob = ["--knob", "max_sectors_kb=1280", "--budget", "4m"];
    tuned(&disk, "1280", &[&words[..], &knob].concat());
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
#[ignore = "live"]
fn a_planted_setting_is_found_by_the_load_of_one_group_beside_others() {
    let Some(disk) = Loop::in_memory(64).filter(|_| !skip::lacks("fio")) else {
        return;
    };
    let Some(group) = OwnGroup::new() else { return };
    let knob = ["--knob", "max_sectors_kb=1280", "--budget", "4m"];
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
    let trial = tuned(&disk, "1280", &[&words[..], &knob].concat());
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
