//! Where the time of an I/O goes: a planted CPU quota, programs that take the CPUs and a slow journal are named, and every account
//! adds up.

use crate::mounts::Mounted;
use crate::support::{Iodyno, Killed, Loop, code, is_root, text};
use serde_json::Value;
use skip::Outcome;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Room for the scratch of a quick check and the reserve beside it.
const MIB: u64 = 640;

/// The check that a command made; every load has an account that adds up.
fn checked(output: &Output) -> Value {
    let said = text(&output.stderr);
    assert_eq!(code(output), 0, "{said}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    for account in document["accounts"].as_array().into_iter().flatten() {
        let parts = account["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|one| one["share"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{account:#}");
    }
    document
}

/// A finding that has to be there in truth, and stands; that it is found is an outcome.
fn finding<'a>(check: &'a Value, rule: &str) -> Option<&'a Value> {
    let findings = check["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|one| one["rule"] == rule && one["withdrawn"].is_null());
    let figures = match found {
        Some(found) => found["claim"].to_string(),
        None => {
            let all: Vec<&Value> = findings.iter().map(|one| &one["rule"]).collect();
            format!("{rule} is not among {all:?}")
        }
    };
    skip::measured(Outcome::won_if(found.is_some()), figures);
    found
}

/// The check as a child of another program: in a shell that does something first.
fn check_after(first: &str, iodyno: &Iodyno, target: &str) -> Output {
    let inner = iodyno.command(&["check", target, "--quick", "--json"]);
    let mut command = Command::new("sh");
    let script = format!("{first} exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(inner.get_program());
    command.args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
#[ignore = "live"]
fn every_load_of_a_check_has_an_account() {
    let Some(mounted) = Mounted::new(MIB) else {
        return;
    };
    let iodyno = Iodyno::new();
    let check = checked(&iodyno.run(&["check", mounted.point(), "--quick", "--json"]));
    let accounts = check["accounts"].as_array().unwrap();
    let loads = check["probes"].as_array().unwrap().len() - 1;
    assert_eq!(accounts.len(), loads, "all but idle time: {accounts:#?}");
    let mut off: Vec<f64> = accounts
        .iter()
        .map(|one| one["off"].as_f64().unwrap())
        .collect();
    off.sort_by(f64::total_cmp);
    // Where the kernel takes programs they time sleep, which is nearly what the kernel counts.
    let one = &check["probes"][1];
    if one["layers"]["source"] == "eBPF full" {
        assert!(one["tasks"]["off_cpu"].is_object(), "{one:#}");
        let off = off[off.len() / 2];
        skip::measured(Outcome::right_if(off <= 0.05), format!("off by {off}"));
    }
    let said = text(&iodyno.run(&["check", mounted.point(), "--quick"]).stdout);
    assert!(
        said.contains("Where the time of an I/O goes") && said.contains("one read at a time"),
        "{said}"
    );
}

/// A control group of version 1 with a CPU quota; removed also when the test fails.
struct QuotaGroup(PathBuf);

impl QuotaGroup {
    fn new(quota_us: u32) -> Option<QuotaGroup> {
        let hierarchy = Path::new("/sys/fs/cgroup/cpu");
        if !is_root() || !hierarchy.is_dir() {
            skip::missing("cgroup", "no control groups of version 1 with a CPU quota");
            return None;
        }
        let group = QuotaGroup(hierarchy.join(format!("iodyno-quota-{}", std::process::id())));
        std::fs::create_dir(&group.0).unwrap();
        std::fs::write(group.0.join("cpu.cfs_quota_us"), quota_us.to_string()).unwrap();
        Some(group)
    }
}

impl Drop for QuotaGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
#[ignore = "live"]
fn a_cpu_quota_is_named_with_what_it_takes() {
    let Some(group) = QuotaGroup::new(10_000) else {
        return;
    };
    let Some(mounted) = Mounted::new(MIB) else {
        return;
    };
    let enter = format!("echo $$ >{}/cgroup.procs;", group.0.display());
    let check = checked(&check_after(&enter, &Iodyno::new(), mounted.point()));
    if let Some(held) = finding(&check, "cpu_quota_holds_load") {
        assert_eq!(held["level"], "warning", "{held:#}");
    }
}

#[test]
#[ignore = "live"]
fn programs_that_take_the_cpus_are_named_to_one_that_starves() {
    let Some(mounted) = Mounted::new(MIB) else {
        return;
    };
    let cpus = std::thread::available_parallelism().unwrap().get();
    let busy = || {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]);
        Killed(command.stdin(Stdio::null()).spawn().unwrap())
    };
    let _hogs: Vec<Killed> = (0..cpus).map(|_| busy()).collect();
    let nice = "renice -n 19 $$ >/dev/null;";
    let check = checked(&check_after(nice, &Iodyno::new(), mounted.point()));
    if let Some(taken) = finding(&check, "cpus_taken_by_others") {
        let claim = taken["claim"].as_str().unwrap();
        assert!(claim.contains("at nice 19"), "{claim}");
        skip::measured(Outcome::right_if(claim.contains("sh (process")), claim);
    }
}

/// An ext4 whose journal lies on a device over two file systems that write everything at once. What is mounted lies on what is
/// dropped after it.
pub struct SlowJournal {
    pub mounted: Mounted,
    _journal: Loop,
    _second: Mounted,
    _first: Mounted,
}

impl SlowJournal {
    pub fn new() -> Option<SlowJournal> {
        let ground = Loop::new(320)?;
        let disk = ground.beside(MIB)?;
        let slow = |disk| Mounted::formatted(disk, "ext4", &["-b", "4096"], "sync,data=journal");
        let inside = |mounted: &Mounted, mib| mounted.disk.inside(Path::new(mounted.point()), mib);
        let first = slow(ground)?;
        let second = slow(inside(&first, 128)?)?;
        let journal = inside(&second, 32)?;
        let words = ["-q", "-F", "-O", "journal_dev", "-b", "4096"];
        let mut made = Command::new("mke2fs");
        let made = made.args(words).arg(&journal.device).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        let words = ["-b", "4096", "-J", &format!("device={}", journal.device)];
        let mounted = Mounted::formatted(disk, "ext4", &words, "relatime")?;
        Some(SlowJournal {
            mounted,
            _journal: journal,
            _second: second,
            _first: first,
        })
    }
}

#[test]
#[ignore = "live"]
fn a_journal_that_is_slower_than_the_disk_is_named() {
    let Some(ground) = SlowJournal::new() else {
        return;
    };
    let mounted = &ground.mounted;
    let check = checked(&Iodyno::new().run(&["check", mounted.point(), "--quick", "--json"]));
    if let Some(slow) = finding(&check, "journal_commit_slow") {
        let claim = slow["claim"].as_str().unwrap();
        assert!(claim.contains("jbd2_log_wait_commit"), "{claim}");
    }
}
