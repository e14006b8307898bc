//! `dataset` on trees of its own: what it says of them, that it changes nothing in them, and that nothing it makes stays.

use crate::mounts::Mounted;
use crate::support::{Dir, Iodyno, Loop, code, copy_binary, is_root, signal, text, until};
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `files` files of 1 to 9 KiB in `dirs` directories.
pub fn grown(files: usize, dirs: usize) -> Dir {
    let dir = Dir::new("tree");
    for index in 0..files {
        let below = dir.path().join(format!("class{}", index % dirs.max(1)));
        std::fs::create_dir_all(&below).unwrap();
        let content = vec![index as u8; 1024 * (1 + index % 9)];
        std::fs::write(below.join(format!("{index}.jpg")), content).unwrap();
    }
    dir
}

pub fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Waits until a process has read so many bytes more, from a disk or from memory.
fn until_read(child: &Child, bytes: u64) {
    let read = || {
        let io = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
        let count = io.lines().find_map(|line| line.strip_prefix("rchar: "));
        count.unwrap().parse::<u64>().unwrap()
    };
    let before = read();
    until("that much is read", || read() >= before + bytes);
}

/// Names, lengths and all times of a tree.
fn seen(root: &Path) -> Vec<(PathBuf, u64, i64, i64, i64)> {
    let mut all = Vec::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(path) = left.pop() {
        let stat = std::fs::symlink_metadata(&path).unwrap();
        all.push((
            path.clone(),
            stat.len(),
            stat.atime_nsec(),
            stat.mtime_nsec(),
            stat.ctime_nsec(),
        ));
        if stat.is_dir() {
            // Listing it is done by the test itself, so of directories the access time is left out.
            if let Some(last) = all.last_mut() {
                last.2 = 0;
            }
            left.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
    }
    all.sort();
    all
}

pub fn entries(dir: &Path) -> usize {
    std::fs::read_dir(dir).unwrap().count()
}

pub fn pass(target: &Value, is_cold: bool, readers: u64) -> &Value {
    let passes = target["passes"].as_array().unwrap();
    let is_it = |pass: &&Value| pass["cold"].is_null() != is_cold && pass["readers"] == readers;
    passes
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{target:#}"))
}

#[test]
fn a_tree_is_told_and_read_cold_and_warm_and_nothing_in_it_changes() {
    let (iodyno, tree) = (Iodyno::new(), grown(300, 7));
    let before = seen(tree.path());
    let words = [
        "dataset",
        word(tree.path()),
        "--budget",
        "20s",
        "--seed",
        "5",
    ];
    let (report, output) = iodyno.json(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(seen(tree.path()), before, "a tree is only read");
    let shape = &report["shape"];
    assert_eq!(
        (&shape["files"], &shape["directories"]),
        (&300.into(), &8.into())
    );
    assert_eq!(
        (&shape["is_whole"], &shape["sampled_files"]),
        (&true.into(), &300.into())
    );
    let target = &report["targets"][0];
    for readers in [1, 4] {
        for is_cold in [true, false] {
            let pass = pass(target, is_cold, readers);
            assert_eq!(pass["files"], 600, "two epochs of all files: {pass:#}");
            let names: Vec<&str> = pass["operations"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["name"].as_str().unwrap())
                .collect();
            assert_eq!(names, ["open", "stat", "read", "close", "file"]);
        }
    }
    let id = target["record"].to_string();
    let shown = text(&iodyno.run(&["show", &id]).stdout);
    assert!(
        shown.contains("data set of small files, cold, 4 readers"),
        "{shown}"
    );
    assert!(
        text(&iodyno.run(&["list"]).stdout).contains("data set"),
        "listed"
    );
    let page = tree.path().with_extension("html");
    let output = iodyno.run(&["report", &id, "-o", word(&page)]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    std::fs::remove_file(&page).unwrap();
}

#[test]
fn the_same_seed_reads_the_same_files_in_the_same_order() {
    let (iodyno, tree) = (Iodyno::new(), grown(100, 3));
    let words = [
        "dataset",
        word(tree.path()),
        "--sample",
        "20",
        "--seed",
        "9",
        "--epochs",
        "1",
    ];
    let sampled = || iodyno.json(&words).0["shape"]["sampled_bytes"].clone();
    assert_eq!(sampled(), sampled());
}

#[test]
fn a_copy_that_is_there_is_read_as_it_is_and_half_of_one_is_refused() {
    let (iodyno, tree, copy) = (Iodyno::new(), grown(120, 4), Dir::new("copy"));
    let status = Command::new("cp")
        .args(["-a", "--"])
        .arg(tree.path().join("."))
        .arg(copy.path())
        .status();
    assert!(status.unwrap().success());
    let before = seen(copy.path());
    let words = [
        "dataset",
        word(tree.path()),
        "--against",
        word(copy.path()),
        "--budget",
        "10s",
    ];
    let (report, output) = iodyno.json(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(report["targets"][1]["role"], "copy");
    assert_eq!(seen(copy.path()), before);
    for class in ["class0", "class1"] {
        std::fs::remove_dir_all(copy.path().join(class)).unwrap();
    }
    let output = iodyno.run(&words);
    assert_eq!(code(&output), 2, "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("neither a copy nor a place for one"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn odd_names_links_pipes_and_one_file_are_no_trap() {
    let (iodyno, tree, outside) = (Iodyno::new(), Dir::new("odd"), Dir::new("outside"));
    std::fs::write(outside.path().join("secret"), vec![1; 100_000]).unwrap();
    let odd = tree.path().join(OsStr::from_bytes(b"a\n\xff\x1b[31m"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join(OsStr::from_bytes(b"\xfe\nf")), "content").unwrap();
    symlink(outside.path(), tree.path().join("link")).unwrap();
    symlink("nowhere", tree.path().join("dangling")).unwrap();
    symlink(outside.path().join("secret"), odd.join("file")).unwrap();
    let pipe = Command::new("mkfifo")
        .arg(tree.path().join("pipe"))
        .status();
    assert!(pipe.unwrap().success());
    let (report, output) = iodyno.json(&["dataset", word(tree.path()), "--budget", "5s"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let shape = &report["shape"];
    let counts = ["files", "bytes", "links", "specials"].map(|name| shape[name].as_u64().unwrap());
    assert_eq!(counts, [1, 7, 3, 1], "{shape:#}");
    let target = &report["targets"][0];
    assert_eq!(
        pass(target, true, 1)["bytes"],
        14,
        "two epochs of the one file"
    );
    assert_eq!(target["failed"], serde_json::json!([]));
}

#[test]
fn a_tree_without_files_is_told_with_what_to_do() {
    let (iodyno, tree) = (Iodyno::new(), Dir::new("empty"));
    std::fs::create_dir(tree.path().join("below")).unwrap();
    let output = iodyno.run(&["dataset", word(tree.path())]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2, "{said}");
    assert!(
        said.contains("no regular file") && said.contains("mounted"),
        "{said}"
    );
    let file = tree.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_eq!(code(&iodyno.run(&["dataset", word(&file)])), 2);
    assert_eq!(
        code(&iodyno.run(&["dataset", "/proc/self"])),
        4,
        "attributes of the kernel"
    );
    assert_eq!(code(&iodyno.run(&["dataset", "/nowhere/at/all"])), 5);
}

#[test]
fn nothing_is_made_in_the_tree_by_any_name() {
    let (iodyno, tree) = (Iodyno::new(), grown(30, 2));
    std::fs::create_dir_all(tree.path().join("below/deep")).unwrap();
    let inside = tree.path().join("below/deep");
    let link = tree.path().with_extension("link");
    symlink(&inside, &link).unwrap();
    for place in [&inside, &link] {
        for option in ["--against", "--scratch"] {
            let output = iodyno.run(&["dataset", word(tree.path()), option, word(place)]);
            let said = text(&output.stderr);
            assert_eq!(code(&output), 4, "{option}: {said}");
            assert!(said.contains("in which nothing is written"), "{said}");
        }
    }
    std::fs::remove_file(&link).unwrap();
    assert_eq!(entries(&inside), 0);
}

#[test]
fn what_a_user_may_not_read_is_counted() {
    if !is_root() || skip::lacks("setpriv") {
        return;
    }
    let (tree, place) = (grown(60, 3), Dir::new("nobody"));
    let closed = tree.path().join("class0");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    let one = tree.path().join("class1/1.jpg");
    std::fs::set_permissions(&one, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (binary, state) = (place.path().join("iodyno"), place.path().join("state"));
    copy_binary(&binary);
    std::fs::create_dir(&state).unwrap();
    std::os::unix::fs::chown(&state, Some(65_534), Some(65_534)).unwrap();
    let nobody = |words: &[&str]| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&binary)
            .args(words);
        command.env("IODYNO_STATE_DIR", &state).output().unwrap()
    };
    let may = nobody(&["--version"]);
    if code(&may) != 0 {
        skip::missing("user", "another user cannot enter the build directory");
        return;
    }
    let output = nobody(&["--json", "dataset", word(tree.path()), "--budget", "5s"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["shape"]["unreadable"], 1, "the directory");
    assert_eq!(report["shape"]["files"], 40);
    let target = &report["targets"][0];
    assert_eq!(target["failed"][0][1], 1, "{target:#}");
    assert!(
        target["failed"][0][0]
            .as_str()
            .unwrap()
            .contains("not readable")
    );
    let notes = target["notes"].to_string();
    assert!(notes.contains("O_NOATIME was refused"), "{notes}");
    let machine = nobody(&["dataset", word(tree.path()), "--cold", "machine"]);
    assert_eq!(code(&machine), 3, "{}", text(&machine.stderr));
}

#[test]
fn readers_that_cannot_be_started_are_told_and_nobody_waits_for_them() {
    if !is_root() || skip::lacks("setpriv") {
        return;
    }
    let (tree, place) = (grown(60, 3), Dir::new("nobody"));
    let (binary, state) = (place.path().join("iodyno"), place.path().join("state"));
    copy_binary(&binary);
    std::fs::create_dir(&state).unwrap();
    // A user of its own: the limit counts what else runs as that user.
    std::os::unix::fs::chown(&state, Some(64_999), Some(64_999)).unwrap();
    let limited = |words: &[&str]| {
        let mut command = Command::new("timeout");
        command
            .args(["--signal=KILL", "120", "setpriv", "--reuid=64999"])
            .args(["--regid=64999", "--clear-groups", "prlimit", "--nproc=20"])
            .arg(&binary)
            .args(words);
        command.env("IODYNO_STATE_DIR", &state).output().unwrap()
    };
    if code(&limited(&["--version"])) != 0 {
        skip::missing("user", "another user cannot enter the build directory");
        return;
    }
    let words = ["dataset", word(tree.path()), "--readers", "64"];
    let output = limited(&[&words[..], &["--budget", "5s"]].concat());
    let said = text(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code != 0),
        "{:?}: {said}",
        output.status
    );
    assert!(
        said.contains("of 64 could be started") && said.contains("--readers"),
        "{said}"
    );
}

#[test]
fn a_first_round_longer_than_the_time_is_told() {
    let (iodyno, tree) = (Iodyno::new(), Dir::new("large"));
    for index in 0..16 {
        std::fs::write(tree.path().join(index.to_string()), vec![7; 8 << 20]).unwrap();
    }
    let words = ["dataset", word(tree.path()), "--budget", "200ms"];
    let (report, output) = iodyno.json(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let passes = report["targets"][0]["passes"].as_array().unwrap();
    assert!(!passes.is_empty() && report["is_cut"] == true, "{report:#}");
}

#[test]
fn what_was_measured_is_told_though_the_copy_cannot_be_removed() {
    let (iodyno, tree, there) = (Iodyno::new(), grown(200, 3), Dir::new("there"));
    let mut command = iodyno.command(&["--json", "dataset", word(tree.path()), "--against"]);
    command
        .arg(there.path())
        .args(["--epochs", "10000", "--budget", "600s"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("its tree", || entries(there.path()) > 0);
    // Thirty times all files: the copy is whole, and both were read.
    until_read(&child, 30 << 20);
    let copy = std::fs::read_dir(there.path()).unwrap().next().unwrap();
    let theirs = copy.unwrap().path().join("theirs");
    std::fs::write(&theirs, "data").unwrap();
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert!(code(&output) != 0 && said.contains("iodyno undo"), "{said}");
    let mut documents = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let report = documents.next().unwrap().unwrap();
    assert!(
        !report["targets"][1]["passes"]
            .as_array()
            .unwrap()
            .is_empty(),
        "{report:#}"
    );
    std::fs::remove_file(&theirs).unwrap();
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(entries(there.path()), 0);
}

#[test]
fn mounts_below_it_are_not_entered_whatever_they_hold() {
    if !is_root() {
        return;
    }
    let (iodyno, tree) = (Iodyno::new(), grown(40, 2));
    std::fs::create_dir(tree.path().join("bound")).unwrap();
    // In a mount namespace of its own, so that nothing is to be taken away.
    let script = format!(
        "mount --bind {0}/class0 {0}/bound && exec {1} --json dataset {0} --budget 5s",
        tree.path().display(),
        env!("CARGO_BIN_EXE_iodyno")
    );
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", &script])
        .env("IODYNO_STATE_DIR", iodyno.state.path())
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let shape = &report["shape"];
    assert_eq!((&shape["files"], &shape["mounts"]), (&40.into(), &1.into()));
    assert_eq!(report["targets"][0]["failed"], serde_json::json!([]));
}

#[test]
fn a_tree_that_changes_while_it_is_read_is_read_on() {
    let (iodyno, tree) = (Iodyno::new(), grown(200, 4));
    let mut command = iodyno.command(&["--json", "dataset", word(tree.path())]);
    command.args(["--budget", "600s", "--epochs", "10000", "--readers", "2"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Ten times the whole tree, so that it was read in each way; then it changes, and is read in each way again.
    until_read(&child, 10 << 20);
    std::fs::remove_dir_all(tree.path().join("class0")).unwrap();
    std::fs::write(tree.path().join("class1/1.jpg"), "shorter").unwrap();
    until_read(&child, 10 << 20);
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let failed = report["targets"][0]["failed"].to_string();
    assert!(
        failed.contains("gone since") && failed.contains("50"),
        "{failed}"
    );
    assert!(failed.contains("changed since"), "{failed}");
    assert_eq!(report["is_cut"], true);
}

#[test]
fn too_little_space_and_too_few_inodes_are_told_before_anything_is_made() {
    let tree = grown(900, 3);
    let Some(disk) = Loop::in_memory(400) else {
        return;
    };
    let Some(few) = Mounted::formatted(disk, "ext4", &["-N", "512"], "relatime") else {
        return;
    };
    let iodyno = Iodyno::new();
    let words = [
        "dataset",
        word(tree.path()),
        "--against",
        few.point(),
        "--keep-free",
        "1m",
    ];
    let output = iodyno.run(&words);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    assert!(said.contains("too few inodes for the copy"), "{said}");
    assert_eq!(entries(Path::new(few.point())), 1, "lost+found alone");
    let output = iodyno.run(&[&words[..4], &["--keep-free", "399m"]].concat());
    assert!(
        text(&output.stderr).contains("too little space"),
        "{}",
        text(&output.stderr)
    );
    iodyno.assert_nothing_is_changed();
}

#[test]
fn a_target_that_fills_up_on_the_way_is_left_as_it_was() {
    let tree = grown(900, 3);
    let Some(mounted) = Mounted::new(64) else {
        return;
    };
    let (iodyno, filler) = (Iodyno::new(), Path::new(mounted.point()).join("filler"));
    let mut command = iodyno.command(&["dataset", word(tree.path()), "--against", mounted.point()]);
    command.args(["--keep-free", "0", "--budget", "5s"]);
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("its tree", || entries(Path::new(mounted.point())) > 1);
    // Somebody else takes the rest.
    let file = std::fs::File::create(&filler).unwrap();
    let zeros = vec![0; 1 << 20];
    while std::io::Write::write_all(&mut &file, &zeros).is_ok() {}
    let output = child.wait_with_output().unwrap();
    // It may have been done with writing before, or have looked at the space for the packed file after.
    assert!(
        matches!(code(&output), 0 | 4 | 5),
        "{}",
        text(&output.stderr)
    );
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(entries(Path::new(mounted.point())), 1, "lost+found alone");
    iodyno.assert_nothing_is_changed();
}

#[test]
fn after_a_kill_in_the_copy_and_in_the_reads_undo_leaves_nothing() {
    let tree = grown(900, 9);
    for ms in [0, 20, 400] {
        let (iodyno, there) = (Iodyno::new(), Dir::new("there"));
        let words = [
            "dataset",
            word(tree.path()),
            "--against",
            word(there.path()),
        ];
        let mut child =
            iodyno.spawn(&[&words[..], &["--epochs", "10000", "--budget", "60s"]].concat());
        iodyno.wait_for_journal(&mut child);
        until("its tree", || entries(there.path()) > 0);
        std::thread::sleep(Duration::from_millis(ms));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            entries(there.path()),
            1,
            "{ms} ms: the tree that the journal names"
        );
        let warned = text(&iodyno.run(&["list"]).stderr);
        assert!(
            warned.contains("ended before it put everything back"),
            "{warned}"
        );
        let undone = iodyno.run(&["undo"]);
        let said = text(&undone.stdout) + &text(&undone.stderr);
        assert_eq!(code(&undone), 0, "{ms} ms: {said}");
        assert_eq!(entries(there.path()), 0, "{ms} ms");
        iodyno.assert_nothing_is_changed();
    }
}

#[test]
fn ctrl_c_tells_what_was_read_until_then_and_leaves_nothing() {
    let (iodyno, tree, there) = (Iodyno::new(), grown(300, 3), Dir::new("there"));
    let mut command = iodyno.command(&["--json", "dataset", word(tree.path()), "--against"]);
    command
        .arg(there.path())
        .args(["--epochs", "10000", "--budget", "600s"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("its tree", || entries(there.path()) > 0);
    // Thirty times all files, so that each place was read in each way.
    until_read(&child, 50 << 20);
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["is_cut"], true);
    assert!(
        pass(&report["targets"][1], true, 1)["files"]
            .as_u64()
            .unwrap()
            > 0
    );
    assert_eq!(entries(there.path()), 0);
    iodyno.assert_nothing_is_changed();
}

#[test]
fn two_at_once_on_one_place_do_not_touch_each_other() {
    let (iodyno, tree, there) = (Iodyno::new(), grown(200, 3), Dir::new("there"));
    let words = [
        "dataset",
        word(tree.path()),
        "--against",
        word(there.path()),
        "--budget",
        "4s",
    ];
    let words = [&words[..], &["--epochs", "10000"]].concat();
    let mut children = [iodyno.spawn(&words), iodyno.spawn(&words)];
    until("both trees", || entries(there.path()) == 2);
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(entries(there.path()), 0);
    iodyno.assert_nothing_is_changed();
}
