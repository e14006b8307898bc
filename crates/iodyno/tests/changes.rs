//! Changes that meet: second instances, other state directories, deaths, damage, devices that are exchanged. Whatever
//! happens, a setting that is changed is told, and what is said to be back is back.

use crate::support::{Dir, Iodyno, Killed, Loop, code, signal, text, until};
use crate::undo::store_a_win;
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

pub fn scheduler(disk: &Loop) -> String {
    disk.settings()
        .iter()
        .find_map(|line| line.strip_prefix("scheduler="))
        .unwrap()
        .to_string()
}

/// A loop device at `none` whose kernel has the other two.
pub fn disk() -> Option<Loop> {
    let disk = Loop::in_memory(16)?;
    if disk.lacks_scheduler("mq-deadline") || disk.lacks_scheduler("bfq") {
        return None;
    }
    disk.set("scheduler", "none");
    Some(disk)
}

pub fn apply(iodyno: &Iodyno, disk: &Loop, to: &str) -> String {
    let record = store_a_win(iodyno, &disk.name, &scheduler(disk), to);
    let (applied, output) = iodyno.json(&["apply", &record]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    applied["journal"].as_str().unwrap().to_string()
}

const TUNE: [&str; 9] = [
    "--knob",
    "scheduler=none,mq-deadline",
    "--budget",
    "5m",
    "--bs",
    "4k",
    "--rw",
    "randread",
    "--size=8m",
];

/// A tune that has begun to switch: it is at mq-deadline at this moment, or was a moment ago.
fn tuning(iodyno: &Iodyno, disk: &Loop) -> Tuning {
    let mut tune = Tuning(iodyno.spawn(&[&["tune", &disk.device], &TUNE[..]].concat()));
    iodyno.wait_for_journal(&mut tune);
    until("a switch", || scheduler(disk) == "mq-deadline");
    tune
}

/// A tune that ends with its test, however that ends, and puts everything back: also one that was stopped.
struct Tuning(Killed);

impl std::ops::Deref for Tuning {
    type Target = Killed;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl std::ops::DerefMut for Tuning {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Drop for Tuning {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            signal(self.0.id(), "CONT");
            signal(self.0.id(), "INT");
            let _ = self.0.wait();
        }
    }
}

/// A tune that died while it had the other scheduler set.
fn dead_tune(iodyno: &Iodyno, disk: &Loop) {
    for _ in 0..50 {
        let mut child = tuning(iodyno, disk);
        child.kill().unwrap();
        child.wait().unwrap();
        if scheduler(disk) == "mq-deadline" {
            return;
        }
        assert_eq!(code(&iodyno.run(&["undo"])), 0);
    }
    panic!("no kill met the other scheduler");
}

pub fn journals(iodyno: &Iodyno) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(iodyno.state.path().join("journal")) else {
        return Vec::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "journal"))
        .collect()
}

#[test]
fn the_first_of_two_changes_is_not_taken_from_beneath_the_second() {
    let Some(disk) = disk() else { return };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let first = apply(&iodyno, &disk, "mq-deadline");
    let second = apply(&iodyno, &disk, "bfq");
    let refused = iodyno.run(&["undo", &first]);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    let words = said(&refused);
    assert!(
        words.contains(&second) && words.contains(&format!("iodyno undo --with-later {first}")),
        "{words}"
    );
    assert_eq!(scheduler(&disk), "bfq", "nothing was written");
    let both = iodyno.run(&["undo", "--with-later", &first]);
    assert_eq!(code(&both), 0, "{}", said(&both));
    assert!(
        said(&both).contains(&format!("also taken back: apply 4 ({second})")),
        "{}",
        said(&both)
    );
    assert_eq!(disk.settings(), before);
    assert_eq!(iodyno.json(&["status"]).0["journals"], json!([]));
}

#[test]
fn nothing_is_changed_over_a_tune_that_died_whoever_asks() {
    let Some(disk) = disk() else { return };
    let (before, iodyno, other) = (disk.settings(), Iodyno::new(), Iodyno::new());
    dead_tune(&iodyno, &disk);
    for asks in [&iodyno, &other] {
        let refused = asks.run(&[&["tune", &disk.device], &TUNE[..]].concat());
        assert_eq!(code(&refused), 4, "{}", said(&refused));
        let words = said(&refused);
        let command = words
            .lines()
            .find_map(|line| line.split_once("First put it back: "))
            .unwrap()
            .1;
        assert_eq!(
            command.starts_with("IODYNO_STATE_DIR="),
            std::ptr::eq(asks, &other),
            "{words}"
        );
        let record = store_a_win(asks, &disk.name, "none", "bfq");
        assert_eq!(code(&asks.run(&["apply", &record])), 4);
        let status = said(&asks.run(&["status"]));
        assert!(
            status.contains("scheduler  was none, is mq-deadline"),
            "both state directories tell: {status}"
        );
        if std::ptr::eq(asks, &other) {
            // The command that was printed, pasted into a shell.
            let paste = command.replace(
                "iodyno undo",
                &format!("{} undo", env!("CARGO_BIN_EXE_iodyno")),
            );
            let done = Command::new("sh").args(["-c", &paste]).output().unwrap();
            assert_eq!(code(&done), 0, "{paste}: {}", said(&done));
        }
    }
    assert_eq!(disk.settings(), before);
}

#[test]
fn whoever_comes_while_a_tune_runs_is_told_so_and_changes_nothing() {
    let Some(disk) = disk() else { return };
    let (before, iodyno, other) = (disk.settings(), Iodyno::new(), Iodyno::new());
    let kept = apply(&iodyno, &disk, "bfq");
    let mut child = tuning(&iodyno, &disk);
    let pid = format!("process {}", child.id());
    for asks in [&iodyno, &other] {
        let record = store_a_win(asks, &disk.name, "none", "bfq");
        let tune = [&["tune", &disk.device], &TUNE[..]].concat();
        for words in [&["apply", &record][..], &tune[..]] {
            let refused = asks.run(words);
            assert_eq!(code(&refused), 4, "{words:?}: {}", said(&refused));
            assert!(
                said(&refused).contains(&pid),
                "{words:?}: {}",
                said(&refused)
            );
        }
    }
    for undo in [&["undo"][..], &["undo", &kept], &["undo", "--all"]] {
        let refused = iodyno.run(undo);
        assert_eq!(code(&refused), 4, "{undo:?}: {}", said(&refused));
        assert!(
            said(&refused).contains(&pid),
            "{undo:?}: {}",
            said(&refused)
        );
    }
    signal(child.id(), "STOP");
    let beside = other.run(&["undo"]);
    assert_eq!(code(&beside), 0, "{}", said(&beside));
    for words in [
        &pid,
        "still holds settings",
        &format!("kill -CONT {}", child.id()),
        &format!("IODYNO_STATE_DIR={}", iodyno.state.path().display()),
        "Nothing to undo here",
    ] {
        assert!(said(&beside).contains(words), "{words}: {}", said(&beside));
    }
    let refused = iodyno.run(&["undo"]);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    assert!(
        said(&refused).contains(&format!("kill -CONT {}", child.id())),
        "{}",
        said(&refused)
    );
    assert!(!said(&refused).contains("is back"), "{}", said(&refused));
    signal(child.id(), "CONT");
    signal(child.id(), "INT");
    child.wait().unwrap();
    assert_eq!(scheduler(&disk), "bfq", "the tune puts back what it found");
    assert_eq!(code(&iodyno.run(&["undo", "--all"])), 0);
    assert_eq!(disk.settings(), before);
}

#[test]
fn a_damaged_journal_stays_and_says_what_is_whole() {
    let Some(disk) = disk() else { return };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    dead_tune(&iodyno, &disk);
    let path = journals(&iodyno).remove(0);
    let whole = std::fs::read(&path).unwrap();
    let with = |bit: usize| {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    let last = whole.len() * 8 - 1;
    for damaged in [
        with(last - 200),
        with(last),
        with(300),
        vec![0; whole.len()],
        b"x\n".to_vec(),
        Vec::new(),
    ] {
        std::fs::write(&path, &damaged).unwrap();
        for undo in [&["undo"][..], &["undo", "--all"]] {
            let refused = iodyno.run(undo);
            assert_eq!(code(&refused), 5, "{}", said(&refused));
            assert!(
                said(&refused).contains("is damaged at line"),
                "{}",
                said(&refused)
            );
            assert!(
                !said(&refused).contains("back as it was"),
                "{}",
                said(&refused)
            );
        }
        assert!(path.exists() && scheduler(&disk) == "mq-deadline");
        assert!(said(&iodyno.run(&["list"])).contains("damaged"));
        let refused = iodyno.run(&[&["tune", &disk.device], &TUNE[..]].concat());
        assert_eq!(
            code(&refused),
            4,
            "it may be about this device: {}",
            said(&refused)
        );
    }
    let extra = [&whole[..], b"0000000a 0123456789abcdef rubbish\n"].concat();
    std::fs::write(&path, extra).unwrap();
    let told = said(&iodyno.run(&["undo"]));
    assert!(
        told.contains("scheduler was [none]") && told.contains("rubbish"),
        "{told}"
    );
    let id = path.file_stem().unwrap().to_string_lossy().into_owned();
    assert!(
        told.contains(&format!("iodyno undo --salvage {id}")),
        "{told}"
    );
    let salvaged = iodyno.run(&["undo", "--salvage", &id]);
    assert_eq!(code(&salvaged), 0, "{}", said(&salvaged));
    assert_eq!(disk.settings(), before);
    assert!(
        said(&iodyno.run(&["status"])).contains(".damaged"),
        "the file is kept, and named"
    );
}

/// Another disk gets the name: the kernel gives a loop device a new sequence number with each file behind it.
fn exchange(disk: &Loop) {
    let losetup = |words: &[&str]| {
        let output = Command::new("losetup").args(words).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        text(&output.stdout).trim().to_string()
    };
    let file = losetup(&["-n", "-O", "BACK-FILE", &disk.device]);
    losetup(&["-d", &disk.device]);
    // Whoever has it open at that moment keeps it a little longer.
    let backing = format!("/sys/block/{}/loop", disk.name);
    until("a free name", || !Path::new(&backing).exists());
    losetup(&[&disk.device, &file]);
}

#[test]
fn a_damaged_journal_of_a_disk_that_went_is_settled_by_salvage() {
    let Some(disk) = disk() else { return };
    let iodyno = Iodyno::new();
    let set = iodyno.run(&["set", "nomerges=2", &disk.device]);
    assert_eq!(code(&set), 0, "{}", said(&set));
    let path = journals(&iodyno).remove(0);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(
        &path,
        [&whole[..], b"0000000a 0123456789abcdef rubbish\n"].concat(),
    )
    .unwrap();
    exchange(&disk);
    let id = path.file_stem().unwrap().to_str().unwrap();
    let salvaged = iodyno.run(&["undo", "--salvage", id]);
    let words = said(&salvaged);
    assert_eq!(code(&salvaged), 4, "{words}");
    assert!(
        words.contains("nothing more can") && !words.contains("--forget"),
        "{words}"
    );
    assert!(said(&iodyno.run(&["status"])).contains(".damaged"));
    disk.set("nomerges", "0");
    let set = iodyno.run(&["set", "nomerges=1", &disk.device]);
    assert_eq!(
        code(&set),
        0,
        "it keeps nobody from the disk: {}",
        said(&set)
    );
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(disk.value("nomerges"), "0");
}

#[test]
fn another_disk_that_takes_the_name_while_a_set_waits_is_not_written() {
    let Some(disk) = disk() else { return };
    let iodyno = Iodyno::new();
    let words = ["set", "read_ahead_kb=64", "nomerges=2", &disk.device];
    let mut command = iodyno.command(&[&words[..], &["--confirm", "1h"]].concat());
    let (reader, writer) = std::io::pipe().unwrap();
    command.stdin(reader).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let is_set = || disk.value("nomerges") == "2" && disk.value("read_ahead_kb") == "64";
    until("the values", is_set);
    exchange(&disk);
    disk.set("read_ahead_kb", "2048");
    disk.set("nomerges", "1");
    let settings = disk.settings();
    // Nobody can confirm any more.
    drop((command, writer));
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 5, "{}", said(&output));
    let words = "is another device now: its disk sequence number";
    assert!(said(&output).contains(words), "{}", said(&output));
    assert_eq!(disk.settings(), settings, "nothing was written");
    assert_eq!(code(&iodyno.run(&["undo"])), 4, "nor does undo write it");
    let journal = journals(&iodyno).remove(0);
    let journal = journal.file_stem().unwrap().to_str().unwrap();
    assert_eq!(code(&iodyno.run(&["undo", "--forget", journal])), 0);
    assert_eq!(disk.settings(), settings);
}

#[test]
fn another_disk_that_has_the_name_now_is_not_written() {
    let Some(disk) = disk() else { return };
    let iodyno = Iodyno::new();
    let journal = apply(&iodyno, &disk, "mq-deadline");
    exchange(&disk);
    disk.set("read_ahead_kb", "4096");
    let settings = disk.settings();
    let status = said(&iodyno.run(&["status"]));
    let advice = format!("went with the device): iodyno undo --forget {journal}");
    assert!(status.contains(&advice), "{status}");
    let way = &iodyno.json(&["status"]).0["journals"][0]["way_out"];
    assert_eq!(way["option"], "--forget", "{way}");
    let refused = iodyno.run(&["undo", &journal]);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    let words = "scheduler  not written, was none: ";
    assert!(
        said(&refused).contains("is another device now") && said(&refused).contains(words),
        "{}",
        said(&refused)
    );
    assert_eq!(disk.settings(), settings, "nothing was written");
    let forgotten = iodyno.run(&["undo", "--forget", &journal]);
    assert_eq!(code(&forgotten), 0, "{}", said(&forgotten));
    assert_eq!((disk.settings(), journals(&iodyno)), (settings, Vec::new()));
}

#[test]
fn what_lies_in_the_state_directory_is_ours_alone_whatever_the_umask() {
    let Some(disk) = disk() else { return };
    let iodyno = Iodyno::new();
    let record = store_a_win(&iodyno, &disk.name, "none", "mq-deadline");
    let command = format!("umask 0; {} apply {record}", env!("CARGO_BIN_EXE_iodyno"));
    let mut shell = Command::new("sh");
    let applied = shell
        .args(["-c", &command])
        .env("IODYNO_STATE_DIR", iodyno.state.path())
        .output()
        .unwrap();
    assert_eq!(code(&applied), 0, "{}", said(&applied));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&iodyno.state.path().join("journal")), 0o700);
    assert_eq!(mode(&journals(&iodyno)[0]), 0o600);
    assert_eq!(code(&iodyno.run(&["undo", "--all"])), 0);

    // Where another user may write, nothing is believed.
    let victim = Dir::new("victim");
    let file = victim.path().join("secret");
    std::fs::write(&file, "mine").unwrap();
    let dir = iodyno.state.path().join("journal");
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o777)).unwrap();
    let plant = format!("echo '{{}}' >{}/1-1.journal", dir.display());
    let planted = Command::new("sh")
        .args(["-c", &plant])
        .uid(65534)
        .gid(65534)
        .status()
        .unwrap();
    assert!(!planted.success() || dir.join("1-1.journal").exists());
    let refused = iodyno.run(&["undo", "--all"]);
    assert_eq!(code(&refused), 5, "{}", said(&refused));
    assert!(
        said(&refused).contains("is not believed") && said(&refused).contains("chmod 700"),
        "{}",
        said(&refused)
    );
    let refused = iodyno.run(&["apply", &record]);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(scheduler(&disk), "none");
}

#[test]
fn no_state_is_kept_in_a_directory_that_all_share() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iodyno"));
    command.args(["list"]).env_clear().uid(65534).gid(65534);
    let output = command.output().unwrap();
    assert_eq!(code(&output), 2, "{}", said(&output));
    assert!(
        said(&output).contains("IODYNO_STATE_DIR"),
        "{}",
        said(&output)
    );
    assert!(!Path::new("/tmp/iodyno").exists());
}

#[test]
fn a_journal_that_is_a_fifo_or_of_another_version_is_named_and_nobody_waits() {
    let iodyno = Iodyno::new();
    let dir = iodyno.state.path().join("journal");
    std::fs::create_dir(&dir).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(dir.join("1-1.journal"))
            .status()
            .unwrap()
            .success()
    );
    std::fs::write(
        dir.join("2-2.journal"),
        "00 {\"entry\":\"begin\",\"version\":99}\n",
    )
    .unwrap();
    let output = iodyno.run(&["status"]);
    let words = said(&output);
    assert!(
        words.contains("no regular file") && words.contains("form 99"),
        "{words}"
    );
    assert_eq!(code(&output), 5);
    assert!(!words.contains("Nothing is changed"), "{words}");
    assert_eq!(code(&iodyno.run(&["undo", "--all"])), 5);
    assert!(dir.join("2-2.journal").exists());
}

#[test]
fn what_a_tune_says_of_its_end_it_has_read_back() {
    let Some(disk) = disk() else { return };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let output = iodyno.run(&[
        "tune",
        &disk.device,
        "--knob",
        "nomerges=0,2",
        "--budget",
        "20s",
        "--bs",
        "4k",
        "--size=8m",
    ]);
    assert!([0, 6].contains(&code(&output)), "{}", said(&output));
    assert!(
        said(&output).contains("Every setting is back as it was: 1 value"),
        "{}",
        said(&output)
    );
    assert_eq!(disk.settings(), before);
    let shown = said(&iodyno.run(&["show", "1"]));
    assert!(
        !shown.contains("back as it was"),
        "a record does not know how the machine is now: {shown}"
    );
    let (undone, _): (Value, _) = iodyno.json(&["undo"]);
    assert_eq!(undone["undone"], json!([]));
}
