//! Limits of a control group: put in place, tried, killed in the middle and put back, in a group of the test's own and on a
//! loop device of its own. Lines of other devices in the same file stay as they are.

use crate::support::{Iodyno, Loop, code, is_root, text};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The hierarchy of version 1 that limits I/O; version 2 is tried in a guest.
const HIERARCHY: &str = "/sys/fs/cgroup/blkio";

const FILE: &str = "blkio.throttle.read_iops_device";

/// A control group; removed also when the test fails.
pub struct TestGroup {
    pub name: String,
}

impl TestGroup {
    pub fn new() -> Option<TestGroup> {
        if !is_root() || !Path::new(HIERARCHY).is_dir() {
            skip::missing("cgroup", "no control groups of version 1 that limit I/O");
            return None;
        }
        let unique = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_nanos();
        let group = TestGroup {
            name: format!("/test-{}-{unique}", std::process::id()),
        };
        std::fs::create_dir(group.path()).unwrap();
        Some(group)
    }

    /// A group directly below.
    pub fn below(&self, name: &str) -> TestGroup {
        let group = TestGroup {
            name: format!("{}/{name}", self.name),
        };
        std::fs::create_dir(group.path()).unwrap();
        group
    }

    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("{HIERARCHY}{}", self.name))
    }

    fn make_anew(&self) {
        std::fs::remove_dir(self.path()).unwrap();
        std::fs::create_dir(self.path()).unwrap();
    }

    pub fn limit(&self, line: &str) {
        std::fs::write(self.path().join(FILE), line).unwrap();
    }

    /// Its limits on reads, a line for each device, sorted.
    pub fn limits(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path().join(FILE)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    }

    /// A command that enters the group and becomes iodyno.
    pub fn inside(&self, iodyno: &Iodyno, arguments: &[&str]) -> Command {
        let entered = iodyno.command(arguments);
        let mut command = Command::new("sh");
        let procs = self.path().join("cgroup.procs");
        let script = format!("echo $$ >{} && exec \"$0\" \"$@\"", procs.display());
        command.args(["-c", &script]).arg(entered.get_program());
        command.args(entered.get_args());
        for (name, value) in entered.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command.stdin(std::process::Stdio::null());
        command
    }
}

impl Drop for TestGroup {
    fn drop(&mut self) {
        // A process that was just killed is in it for a moment more.
        for _ in 0..100 {
            if std::fs::remove_dir(self.path()).is_ok() || !self.path().exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// A group with a limit on another device, the line of that limit, and the device to work on with its number.
pub fn ground() -> Option<(TestGroup, [Loop; 2], [String; 2])> {
    around(Loop::in_memory(64)?)
}

pub fn around(disk: Loop) -> Option<(TestGroup, [Loop; 2], [String; 2])> {
    let other = disk.beside(16)?;
    let group = TestGroup::new()?;
    let number = |disk: &Loop| {
        let dev = format!("/sys/block/{}/dev", disk.name);
        std::fs::read_to_string(dev).unwrap().trim().to_string()
    };
    let (own, others) = (number(&disk), format!("{} 600", number(&other)));
    group.limit(&others);
    Some((group, [disk, other], [own, others]))
}

#[test]
fn only_the_devices_own_limit_is_set_and_taken_back() {
    let Some((group, [disk, _other], [own, others])) = ground() else {
        return;
    };
    let iodyno = Iodyno::new();
    let setting = format!("riops@{}=500", group.name);
    let (set, output) = iodyno.json(&["set", &setting, &disk.device]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 0, "{said}");
    assert_eq!(set["values"][0]["was"], "max", "{set:#}");
    let again = format!("--ioengine none --knob riops@{}=max", group.name);
    assert!(said.contains(&again), "{said}");
    let mut both = vec![format!("{own} 500"), others.clone()];
    both.sort();
    assert_eq!(group.limits(), both);
    let status = text(&iodyno.run(&["status"]).stdout);
    let told = format!("riops of the control group {}", group.name);
    assert!(
        status.contains(&told) && status.contains("was max, is 500"),
        "{status}"
    );
    let undone = iodyno.run(&["undo", set["journal"].as_str().unwrap()]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(group.limits(), [others]);
}

#[test]
fn a_command_beside_the_load_that_ends_or_fails_ends_the_tune() {
    let Some(disk) = Loop::in_memory(64) else {
        return;
    };
    let iodyno = Iodyno::new();
    let before = disk.settings();
    let told = |command: &str| {
        let words = [
            "tune",
            &disk.device,
            "--knob",
            "nr_requests=16",
            "--beside",
            command,
            "--budget",
            "2m",
        ];
        let output = iodyno.run(&words);
        assert_eq!(code(&output), 5, "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let well = told("sleep 2");
    assert!(
        well.contains("still ran") && well.contains("while COMMAND"),
        "{well}"
    );
    let failed = told("echo no room on it; exit 3");
    assert!(
        failed.contains("status 3; its last words: no room on it"),
        "{failed}"
    );
    assert_eq!(disk.settings(), before);
    iodyno.assert_nothing_is_changed();
}

#[test]
fn a_group_made_anew_or_gone_is_left_alone() {
    let Some((group, [disk, _other], [own, _])) = ground() else {
        return;
    };
    let iodyno = Iodyno::new();
    let setting = format!("riops@{}=500", group.name);
    let (set, _) = iodyno.json(&["set", &setting, &disk.device]);
    let journal = set["journal"].as_str().unwrap();
    group.make_anew();
    group.limit(&format!("{own} 7"));
    let other = iodyno.run(&["undo", journal]);
    let said = text(&other.stdout);
    assert_ne!(code(&other), 0, "{said}");
    assert!(said.contains("is there now: nothing was written"), "{said}");
    assert_eq!(group.limits(), [format!("{own} 7")]);
    std::fs::remove_dir(group.path()).unwrap();
    let gone = iodyno.run(&["undo", journal]);
    let said = text(&gone.stdout);
    assert!(
        said.contains("which is gone: nothing was written"),
        "{said}"
    );
    assert_eq!(code(&iodyno.run(&["undo", "--forget", journal])), 0);
    iodyno.assert_nothing_is_changed();
}

#[test]
fn what_cannot_be_or_cannot_matter_is_said_before_anything_is_written() {
    let Some((group, [disk, _other], [_, others])) = ground() else {
        return;
    };
    let iodyno = Iodyno::new();
    let said = |words: &[&str]| {
        let output = iodyno.run(words);
        (code(&output), text(&output.stdout) + &text(&output.stderr))
    };
    let (exit, nobody) = said(&["set", "riops@/no/such=5", &disk.device]);
    assert!(exit == 5 && nobody.contains("no such group"), "{nobody}");
    let (exit, unnamed) = said(&["set", "riops=5", &disk.device]);
    assert!(exit == 2 && unnamed.contains("riops@self"), "{unnamed}");
    let none = format!("riops@{}=0", group.name);
    let (exit, none) = said(&["set", &none, &disk.device]);
    assert!(exit == 2 && none.contains("max for no limit"), "{none}");
    let weight = format!("bfq_weight@{}=500", group.name);
    disk.set("scheduler", "none");
    let (exit, weight) = said(&["set", &weight, &disk.device]);
    assert!(exit == 2 && weight.contains("scheduler none"), "{weight}");
    let knob = format!("riops@{}=500", group.name);
    let tune = ["tune", &disk.device, "--dry-run", "--knob", &knob];
    let (exit, outside) = said(&tune);
    assert!(
        exit == 2 && outside.contains("this load is not in the control group"),
        "{outside}"
    );
    let (exit, asked) = said(&[&tune[..], &["--even-if-pointless"]].concat());
    assert!(exit == 0 && asked.contains("not in the control"), "{asked}");
    let (exit, running) = said(&[&tune[..], &["--ioengine", "none"]].concat());
    assert!(exit == 0 && !running.contains("expect no"), "{running}");
    assert_eq!(group.limits(), [others]);
}

#[test]
fn undoing_a_change_of_scheduler_gives_back_the_weights_of_groups() {
    let Some((group, [disk, _other], [own, _])) = ground() else {
        return;
    };
    if disk.lacks_scheduler("bfq") {
        return;
    }
    disk.set("scheduler", "bfq");
    let weights = group.path().join("blkio.bfq.weight_device");
    let weight = format!("{own} 500");
    std::fs::write(&weights, &weight).unwrap();
    let has_it = || {
        let text = std::fs::read_to_string(&weights).unwrap();
        text.lines().any(|line| line == weight)
    };
    let iodyno = Iodyno::new();
    let (set, output) = iodyno.json(&["set", "scheduler=none", &disk.device]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(!has_it(), "this kernel keeps them");
    let undone = iodyno.run(&["undo", set["journal"].as_str().unwrap()]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert!(has_it());
    let other = format!("bfq_weight@{}=900", group.name);
    let refused = iodyno.run(&["set", "scheduler=none", &other, &disk.device]);
    assert_eq!(code(&refused), 2, "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("makes bfq_weight anew"));
}
