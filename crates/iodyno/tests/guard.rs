//! `guard`: what visits notice, whom they tell, and what they leave.

use crate::support::{Dir, Iodyno, Loop, code, text, until};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;

/// A visit that compares settings alone.
fn look(iodyno: &Iodyno, disk: &Loop, more: &[&str]) -> (Value, Output) {
    iodyno.json(&[&["guard", &disk.device, "--no-load"], more].concat())
}

#[test]
fn a_setting_that_somebody_changed_is_an_alarm_until_it_is_back_or_accepted() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    disk.set("read_ahead_kb", "128");
    let (first, output) = look(&iodyno, &disk, &[]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(
        (&first["state"], &first["done"]["skipped"]),
        (&json!("learning"), &json!("--no-load"))
    );
    disk.set("read_ahead_kb", "2048");
    let (changed, output) = look(&iodyno, &disk, &[]);
    assert_eq!(
        (code(&output), &changed["state"]),
        (1, &json!("alarm")),
        "{changed:#}"
    );
    assert_eq!(changed["raised"][0]["setting"]["name"], "read_ahead_kb");
    assert_eq!(
        (
            &changed["changes"][0]["difference"]["a"],
            &changed["changes"][0]["difference"]["b"]
        ),
        (&json!("128"), &json!("2048"))
    );
    // It stays one, and is not new any more.
    let (again, output) = look(&iodyno, &disk, &[]);
    assert_eq!((code(&output), &again["raised"]), (1, &json!([])));
    assert_eq!(
        again["changes"][0]["since"]["record"],
        changed["visit"]["record"]
    );
    disk.set("read_ahead_kb", "128");
    let (back, output) = look(&iodyno, &disk, &[]);
    assert_eq!(
        (code(&output), &back["cleared"][0]["setting"]["name"]),
        (0, &json!("read_ahead_kb"))
    );
    disk.set("read_ahead_kb", "2048");
    assert_eq!(code(&look(&iodyno, &disk, &[]).1), 1);
    // As it was printed.
    let accept = changed["accept"].as_str().unwrap();
    let words: Vec<&str> = accept.strip_prefix("iodyno ").unwrap().split(' ').collect();
    assert_eq!(code(&iodyno.run(&words)), 0);
    assert_eq!(code(&look(&iodyno, &disk, &[]).1), 0);
    assert_eq!(disk.value("read_ahead_kb"), "2048");
}

#[test]
fn what_iodyno_was_told_to_set_is_no_alarm_until_somebody_changes_it() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    disk.set("read_ahead_kb", "128");
    look(&iodyno, &disk, &[]);
    assert_eq!(
        code(&iodyno.run(&["set", "read_ahead_kb=512", &disk.device])),
        0
    );
    let (own, output) = look(&iodyno, &disk, &[]);
    assert_eq!(code(&output), 0, "{own:#}");
    let by = own["changes"][0]["put_by"].as_str().unwrap();
    assert_eq!(iodyno.json(&["status"]).0["journals"][0]["id"], by);
    disk.set("read_ahead_kb", "4096");
    assert_eq!(code(&look(&iodyno, &disk, &[]).1), 1);
    // It is no unfinished one, so that no visit takes it back.
    let undone = iodyno.run(&["undo", "--unfinished"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(disk.value("read_ahead_kb"), "4096");
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
}

/// A file system on a device of the test's own, where nobody else loads; unmounted when it is dropped.
struct Mounted(Dir);

impl Mounted {
    fn new(disk: &Loop) -> Option<Mounted> {
        let succeeds = |program: &str, words: &[&str]| {
            let output = std::process::Command::new(program).args(words).output();
            output.is_ok_and(|output| output.status.success())
        };
        if !succeeds("mkfs.ext4", &["-q", "-F", &disk.device]) {
            skip::missing("mkfs.ext4", "mkfs.ext4 made no file system");
            return None;
        }
        let point = Dir::new("guarded");
        assert!(succeeds(
            "mount",
            &[&disk.device, point.path().to_str().unwrap()]
        ));
        Some(Mounted(point))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A ring gives its files back a moment after its process is gone.
        until("a file system that nobody uses", || {
            let mut umount = std::process::Command::new("umount");
            let done = umount.arg(self.path()).output();
            done.is_ok_and(|done| done.status.success())
        });
    }
}

/// Whatever others do to the device, and in as little room as the test's disk has.
const ANYWAY: [&str; 6] = ["--busy", "100%", "--keep-free", "4m", "--budget", "15s"];

#[test]
fn a_visit_loads_and_leaves_nothing_behind() {
    let Some(disk) = Loop::in_memory(128) else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let Some(dir) = Mounted::new(&disk) else {
        return;
    };
    for target in [disk.device.as_str(), dir.path().to_str().unwrap()] {
        let words = [&["guard", target], &ANYWAY[..]].concat();
        let (visit, output) = iodyno.json(&words);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert_eq!(visit["done"]["skipped"], Value::Null, "{visit:#}");
        let levels = visit["levels"].as_array().unwrap();
        let has_writes = levels.iter().any(|level| level["load"] == "random writes");
        let writes = target != disk.device;
        assert!(writes || !has_writes, "{visit:#}");
        let written = visit["done"]["written_bytes"].as_u64().unwrap();
        assert_eq!(written > 1 << 20, writes, "{written}");
        let record = visit["visit"]["record"].to_string();
        let (shown, _) = iodyno.json(&["show", &record]);
        assert_eq!(shown["record"]["check"]["mode"], "guard");
    }
    let left = std::fs::read_dir(dir.path()).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["lost+found"]);
    assert_eq!(disk.settings(), before);
    iodyno.assert_nothing_is_changed();
    // Of two places: neither is the other's past.
    let (listed, _) = iodyno.json(&["list", "--tag", "guard"]);
    assert_eq!(listed["records"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_killed_experiment_left_is_put_back_by_the_next_visit() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    look(&iodyno, &disk, &[]);
    let scene = "quiet_nvme,scheduler=mq-deadline:+8%";
    let tune = [
        "tune",
        &disk.device,
        "--rehearse",
        scene,
        "--knob",
        "scheduler=none,mq-deadline",
    ];
    let mut sleeps = (20..400).step_by(7);
    let is_changed = |sleep: u32| {
        let output = iodyno
            .command(&tune)
            .env("IODYNO_STAGE", format!("through,{sleep}:9"))
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), Some(9), "{}", text(&output.stderr));
        let is_changed = disk.settings() != before;
        if !is_changed {
            iodyno.run(&["undo", "--unfinished"]);
        }
        is_changed
    };
    assert!(sleeps.any(is_changed), "no kill left the other scheduler");
    let (visit, output) = look(&iodyno, &disk, &[]);
    assert_eq!(code(&output), 0, "{visit:#}");
    assert_eq!(disk.settings(), before);
    iodyno.assert_nothing_is_changed();
}

/// A program of that name that keeps what it reads, and what it was started with, and ends so.
fn curl(dir: &Path, status: u32) -> String {
    let script = format!(
        "#!/bin/sh\ncat >>'{0}/read'\nprintf '%s\\n' \"$@\" >>'{0}/words'\n[ {status} = 0 ] || echo 'curl: (22) refused' >&2\n\
         exit {status}\n",
        dir.display()
    );
    let program = dir.join("curl");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    until("a script that runs", || {
        std::process::Command::new(&program)
            .arg("--version")
            .stdin(std::process::Stdio::null())
            .output()
            .is_ok()
    });
    std::fs::write(dir.join("read"), "").unwrap();
    let path = std::env::var("PATH").unwrap();
    format!("{}:{path}", dir.display())
}

#[test]
fn a_webhook_is_told_of_news_once_and_its_url_stays_a_secret() {
    const URL: &str = "https://hooks.example/services/T0/s3cr3t";
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (iodyno, dir) = (Iodyno::new(), Dir::new("webhook"));
    let url = dir.path().join("url");
    std::fs::write(&url, format!("{URL}\n")).unwrap();
    std::fs::set_permissions(&url, std::fs::Permissions::from_mode(0o644)).unwrap();
    let visit = |path: &str| {
        let words = ["--json", "guard", &disk.device, "--no-load", "--webhook"];
        let mut command = iodyno.command(&words);
        command.arg(&url).env("PATH", path).output().unwrap()
    };
    let path = curl(dir.path(), 22);
    let open = visit(&path);
    assert_eq!(code(&open), 4);
    assert!(
        text(&open.stderr).contains("chmod 600"),
        "{}",
        text(&open.stderr)
    );
    std::fs::set_permissions(&url, std::fs::Permissions::from_mode(0o600)).unwrap();
    disk.set("read_ahead_kb", "128");
    assert_eq!(code(&visit(&path)), 0, "nothing is new, and nobody is told");
    disk.set("read_ahead_kb", "2048");
    let undelivered = visit(&path);
    assert_eq!(
        code(&undelivered),
        1,
        "an alarm is one also where nobody hears it"
    );
    let said = text(&undelivered.stderr);
    assert!(
        said.contains("curl: (22) refused") && !said.contains("s3cr3t"),
        "{said}"
    );
    // What was not delivered is delivered by the next visit, and then no more, until it is accepted.
    let path = curl(dir.path(), 0);
    let posted = || std::fs::read_to_string(dir.path().join("read")).unwrap();
    for _ in 0..3 {
        assert_eq!(code(&visit(&path)), 1);
    }
    assert_eq!(posted().matches("data-raw").count(), 1, "{}", posted());
    assert_eq!(code(&iodyno.run(&["guard", &disk.device, "--accept"])), 0);
    for _ in 0..2 {
        assert_eq!(code(&visit(&path)), 0);
    }
    let read = posted();
    assert_eq!(read.matches("data-raw").count(), 2, "{read}");
    assert!(
        read.contains(&format!("url = \"{URL}\"")) && read.contains("read_ahead_kb"),
        "{read}"
    );
    let words = std::fs::read_to_string(dir.path().join("words")).unwrap();
    assert!(!words.contains("s3cr3t"), "{words}");
    let (listed, _) = iodyno.json(&["list", "--tag", "guard"]);
    for row in listed["records"].as_array().unwrap() {
        let shown = iodyno.run(&["--json", "show", &row["id"].to_string()]);
        assert!(!text(&shown.stdout).contains("s3cr3t"));
    }
}

#[test]
fn a_textfile_says_what_stands_for_any_name_of_a_target() {
    let Some(_turn) = Loop::in_memory(16) else {
        return;
    };
    let (iodyno, dir) = (Iodyno::new(), Dir::new("textfile"));
    let odd = dir.path().join("a \"b\"\nc");
    std::fs::create_dir(&odd).unwrap();
    let (odd, file) = (odd.to_str().unwrap(), dir.path().join("guard.prom"));
    let visit = |file: &Path| {
        let words = [
            "guard",
            odd,
            "--no-load",
            "--textfile",
            file.to_str().unwrap(),
        ];
        iodyno.run(&words)
    };
    let output = visit(&file);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let metrics = std::fs::read_to_string(&file).unwrap();
    let alarms = metrics
        .lines()
        .find(|line| line.starts_with("iodyno_guard_alarms{"));
    assert!(alarms.unwrap().ends_with(r#"/a \"b\"\nc"} 0"#), "{metrics}");
    let wrong = visit(&dir.path().join("guard.txt"));
    assert_eq!(code(&wrong), 2);
    assert!(text(&wrong.stderr).contains(".prom"));
}

/// What a stranger offers in place of the directory, or another visit, keeps the loads away; settings are compared all the same.
#[test]
fn a_strangers_link_and_a_second_visit_load_nothing() {
    let Some(disk) = Loop::in_memory(128) else {
        return;
    };
    let (iodyno, dir) = (Iodyno::new(), Dir::new("strangers"));
    let Some(target) = Mounted::new(&disk) else {
        return;
    };
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(target.path(), &link).unwrap();
    std::os::unix::fs::lchown(&link, Some(65_534), Some(65_534)).unwrap();
    let skipped = |target: &Path| {
        let words = [&["guard", target.to_str().unwrap()], &ANYWAY[..]].concat();
        let (visit, output) = iodyno.json(&words);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        visit["done"]["skipped"].to_string()
    };
    let why = skipped(&link);
    assert!(why.contains(link.to_str().unwrap()), "{why}");
    let purpose = "guard elsewhere";
    let host = host::Host::live();
    let lock = host::DeviceLock::take(&host, &disk.name, host::Reach::Device, purpose).unwrap();
    let why = skipped(target.path());
    assert!(why.contains(purpose), "{why}");
    drop(lock);
    assert_eq!(skipped(target.path()), "null");
}

/// A visit is made and says so where a journal cannot be read.
#[test]
fn a_journal_that_cannot_be_read_is_said_and_keeps_no_visit_away() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    look(&iodyno, &disk, &[]);
    let journals = iodyno.state.path().join("journal");
    std::fs::create_dir_all(&journals).unwrap();
    std::fs::set_permissions(&journals, std::fs::Permissions::from_mode(0o700)).unwrap();
    let journal = journals.join("1790000000000-1.journal");
    std::fs::write(&journal, "no journal\n").unwrap();
    std::fs::set_permissions(&journal, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (visit, output) = look(&iodyno, &disk, &[]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(visit["visits"], 2);
    assert!(
        text(&output.stderr).contains("1790000000000-1"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn what_cannot_be_visited_is_said_and_nothing_is_kept() {
    let iodyno = Iodyno::new();
    for (words, exit, why) in [
        (
            vec!["guard", "/no/such/place", "--no-load"],
            5,
            "/no/such/place",
        ),
        (vec!["guard", "/tmp", "--accept"], 2, "has not been visited"),
        (vec!["guard", "/tmp", "--budget", "5s"], 2, "15s at least"),
    ] {
        let output = iodyno.run(&words);
        let said = text(&output.stderr);
        assert_eq!(code(&output), exit, "{words:?}: {said}");
        assert!(said.contains(why), "{words:?}: {said}");
    }
    assert_eq!(iodyno.json(&["list"]).0["records"], json!([]));
}
