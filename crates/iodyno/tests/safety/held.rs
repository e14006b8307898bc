//! What an audit tried and could not break: names that hide what they lead to, partitions, job files that ask for
//! programs and for files elsewhere, streams that are closed or full.

use super::ways::{EXT, Way};
use crate::support::{Dir, Iodyno, Loop, code, signal, text, until};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Further ways that a loop device can be in use, or be named.
pub const WAYS: &[Way] = &[
    Way {
        target: "$DIR/link",
        ..Way::used(
            "mounted, named by a link",
            "ext4 $DEV; mount $DEV $DIR/mnt; ln -s $DEV $DIR/link",
            "it is mounted on ",
            "umount $DIR/mnt",
            EXT,
        )
    },
    Way {
        target: "$DIR/node",
        ..Way::used(
            "mounted, named by a node of its own",
            "ext4 $DEV; mount $DEV $DIR/mnt; mknod $DIR/node b $(stat -c '0x%t 0x%T' $DEV)",
            "it is mounted on ",
            "umount $DIR/mnt",
            EXT,
        )
    },
    Way {
        target: "/proc/self/root/dev/../dev/./${DEV#/dev/}",
        ..Way::used(
            "mounted, named by a way around",
            "ext4 $DEV; mount $DEV $DIR/mnt",
            "it is mounted on ",
            "umount $DIR/mnt",
            EXT,
        )
    },
    Way::used(
        "mounted where the name has a space and a line end",
        "ext4 $DEV; odd=\"$DIR/a b\nc\"; mkdir \"$odd\"; mount $DEV \"$odd\"",
        "it is mounted on ",
        "umount \"$DIR/a b\nc\"",
        EXT,
    ),
    Way::used(
        "open for reading by another process",
        "(exec 3<$DEV; touch $DIR/ready; exec sleep 900) >/dev/null 2>&1 & echo $! >$DIR/pid",
        "(sleep) has it open",
        "finish",
        "",
    ),
    Way::used(
        "a partition of it mounted",
        "addpart $DEV 1 2048 8192; ext4 ${DEV}p1; mount ${DEV}p1 $DIR/mnt",
        "p1 is mounted on ",
        "umount $DIR/mnt; delpart $DEV 1",
        "",
    ),
];

#[test]
fn a_write_protected_device_is_refused_and_stays_so() {
    let Some(disk) = Loop::new(16) else { return };
    let protect = |how: &str| {
        Command::new("blockdev")
            .args([how, &disk.device])
            .status()
            .is_ok_and(|s| s.success())
    };
    if !protect("--setro") {
        skip::missing("blockdev", "blockdev is not installed");
        return;
    }
    let before = std::fs::read(&disk.device).unwrap();
    let words = [
        "run",
        &disk.device,
        "--rw=write",
        "--bs=64k",
        "--size=1m",
        "--runtime=100ms",
        "--destroy-data",
    ];
    let output = Iodyno::new().run(&words);
    let is_same = before == std::fs::read(&disk.device).unwrap();
    assert!(protect("--setrw"));
    assert_eq!(code(&output), 5, "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("the device is read-only"),
        "{}",
        text(&output.stderr)
    );
    assert!(is_same);
}

/// A place with a file that no job was given, and a program whose running would be seen.
struct Bait {
    dir: Dir,
}

const SECRET: &str = "not for any job\n";

impl Bait {
    fn new() -> Bait {
        let dir = Dir::new("bait");
        std::fs::create_dir(dir.path().join("target")).unwrap();
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        std::fs::write(dir.path().join("outside"), SECRET).unwrap();
        // In fio's place: says what it was called with, and that it is a version that iodyno knows.
        let fio = dir.path().join("bin/fio");
        let script = format!(
            "#!/bin/sh\necho \"$@\" >>{0}/called\necho fio-3.36\n",
            dir.path().display()
        );
        std::fs::write(&fio, script).unwrap();
        std::fs::set_permissions(&fio, std::fs::Permissions::from_mode(0o755)).unwrap();
        Bait { dir }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().into()
    }

    /// Runs a job file with these lines; tells what it did that it must not.
    fn run(&self, engine: &[&str], lines: &str, more: &[&str]) -> Option<String> {
        let (job, target) = (self.path("job.fio"), self.path("target"));
        let head = "[global]\nrw=randwrite\nbs=4k\nsize=1m\nruntime=100ms\ntime_based=1\ndirect=0\n[job]\n";
        std::fs::write(&job, format!("{head}{lines}\n")).unwrap();
        let iodyno = Iodyno::new();
        let arguments = [&["run", &target], engine, &["--", &job], more].concat();
        let path = format!("{}:{}", self.path("bin"), std::env::var("PATH").unwrap());
        let output = iodyno
            .command(&arguments)
            .current_dir(self.dir.path())
            .env("PATH", path)
            .output()
            .unwrap();
        let said = text(&output.stderr);
        let called = std::fs::read_to_string(self.path("called")).unwrap_or_default();
        let _ = std::fs::remove_file(self.path("called"));
        let wrong = if Path::new(&self.path("ran")).exists() {
            "a program ran"
        } else if std::fs::read_to_string(self.path("outside")).unwrap() != SECRET {
            "a file elsewhere was changed"
        } else if Path::new(&self.path("made")).exists() {
            "a file elsewhere was made"
        } else if called.contains(self.dir.path().to_str().unwrap()) || called.contains("../") {
            "fio was told to"
        } else if std::fs::read_dir(&target).unwrap().next().is_some() {
            "something is left in the target"
        } else if said.contains("panicked") || output.status.code().is_none() {
            "it broke"
        } else {
            return None;
        };
        Some(format!("{lines:?} {engine:?}: {wrong}: {said}{called}"))
    }
}

#[test]
fn a_job_file_runs_no_program_and_reaches_no_other_file() {
    let bait = Bait::new();
    let ran = bait.path("ran");
    std::fs::write(bait.path("engine.so"), "no library").unwrap();
    let (outside, made) = (bait.path("outside"), bait.path("made"));
    let touch = format!("touch {ran}");
    let lines = [
        format!("exec_prerun={touch}"),
        format!("exec_postrun={touch}"),
        format!("ioengine=exec\nprogram=/bin/touch\narguments={ran}"),
        format!("ioengine=external:{}", bait.path("engine.so")),
        format!("ioengine={}", bait.path("engine.so")),
        format!("filename={outside}"),
        format!("filename=x:{outside}"),
        "filename=../outside".into(),
        format!("directory={}", bait.dir.path().display()),
        "directory=..".into(),
        "filename_format=../made".into(),
        format!("opendir={}", bait.dir.path().display()),
        format!("iomem=mmap:{outside}"),
        format!("mem=mmapshared:{outside}"),
        format!("write_iolog={made}"),
        format!("read_iolog={outside}"),
        format!("write_bw_log={made}"),
        format!("write_lat_log={made}\nper_job_logs=0"),
        format!("buffer_pattern='{outside}'"),
        format!("verify_pattern='{outside}'\nverify=pattern"),
        "ioscheduler=mq-deadline".into(),
        format!("cgroup={made}"),
        format!("include {outside}"),
        format!("replay_redirect={outside}"),
    ];
    let mut wrong = Vec::new();
    for line in &lines {
        wrong.extend(bait.run(&[], line, &[]));
        wrong.extend(bait.run(&["--engine", "fio"], line, &[]));
    }
    for words in [
        vec![
            format!("--trigger={touch}"),
            format!("--trigger-file={outside}"),
        ],
        vec![format!("--trigger-remote={touch}")],
        vec![format!("--output={made}")],
        vec![format!("--aux-path={}", bait.dir.path().display())],
        vec!["--server".into(), format!("--daemonize={made}")],
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        wrong.extend(bait.run(&[], "name=a", &words));
        wrong.extend(bait.run(&["--engine", "fio"], "name=a", &words));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn closed_and_full_streams_are_no_panic() {
    let iodyno = Iodyno::new();
    // What each ends with: a stream that nobody reads is the reader's choice, a full one is not.
    for (words, wanted) in [
        ("catalogue | head -n 1 >/dev/null", 0),
        ("list >&-", 0),
        ("list >/dev/full", 5),
        ("catalogue >/dev/full", 5),
        ("--json list >/dev/full", 5),
        ("list <&-", 0),
        ("show 1 2>&-", 2),
        ("status >&- 2>&- <&-", 0),
        ("delete 1 <&-", 2),
        ("delete 1 </dev/null", 2),
    ] {
        let line = format!("\"$0\" {words}");
        let mut command = Command::new("sh");
        command
            .args(["-c", &line, env!("CARGO_BIN_EXE_iodyno")])
            .env("IODYNO_STATE_DIR", iodyno.state.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = text(&output.stderr);
        assert!(!said.contains("panicked"), "{words}: {said}");
        assert_eq!(code(&output), wanted, "{words}: {said}");
    }
}

/// How many records there are.
fn stored(iodyno: &Iodyno) -> usize {
    let (list, _) = iodyno.json(&["list"]);
    list["records"]
        .as_array()
        .unwrap_or_else(|| panic!("{list}"))
        .len()
}

fn full_file() -> Stdio {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    full.unwrap().into()
}

#[test]
fn a_result_that_nobody_reads_is_stored_and_settings_are_back() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("unread"));
    let run = [
        "--json",
        "run",
        dir.path().to_str().unwrap(),
        "--size=1m",
        "--runtime=100ms",
        "--direct=0",
    ];
    let output = iodyno.command(&run).stdout(full_file()).output().unwrap();
    assert_eq!(code(&output), 5, "{}", text(&output.stderr));
    assert_eq!(stored(&iodyno), 1, "a full stdout");
    let mut child = iodyno
        .command(&run)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert!(child.wait().unwrap().code().is_some());
    assert_eq!(stored(&iodyno), 2, "a closed stdout");
    let Some(disk) = Loop::in_memory(32) else {
        return;
    };
    if disk.lacks_scheduler("mq-deadline") {
        return;
    }
    tune_without_a_reader(&iodyno, &disk);
    assert_eq!(stored(&iodyno), 4, "tunes that nobody reads");
    let (status, _) = iodyno.json(&["status"]);
    assert_eq!(status["journals"], serde_json::json!([]));
}

/// An experiment goes on when nobody reads it any more, and puts back what it set.
fn tune_without_a_reader(iodyno: &Iodyno, disk: &Loop) {
    disk.set("scheduler", "none");
    let before = disk.settings();
    let tune = [
        "tune",
        &disk.device,
        "--knob",
        "scheduler=mq-deadline",
        "--stream",
        "--rate-iops",
        "500",
    ];
    for is_full in [false, true] {
        let mut command = iodyno.command(&tune);
        let out = if is_full { full_file() } else { Stdio::piped() };
        let mut child = command.stdout(out).stderr(Stdio::piped()).spawn().unwrap();
        let changed = |child: &mut std::process::Child, what: &str| {
            until(what, || {
                assert!(
                    child.try_wait().unwrap().is_none(),
                    "it ended with its reader"
                );
                disk.settings() != before
            });
        };
        changed(&mut child, "a changed setting");
        drop((child.stdout.take(), child.stderr.take()));
        std::thread::sleep(std::time::Duration::from_millis(300));
        changed(&mut child, "a changed setting without a reader");
        signal(child.id(), "INT");
        assert!([5, 130].contains(&child.wait().unwrap().code().unwrap()));
        assert_eq!(disk.settings(), before);
    }
}
