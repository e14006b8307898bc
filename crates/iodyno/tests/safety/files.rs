//! Existing files: never written without `--overwrite`, and not with it while something else uses them.

use crate::support::{Dir, Iodyno, code, is_root, text, turn, until};
use std::path::{Path, PathBuf};
use std::process::Command;

static CONTENT: [u8; 1 << 20] = [0x5a; 1 << 20];

fn file_in(dir: &Dir) -> PathBuf {
    let path = dir.path().join("data");
    std::fs::write(&path, CONTENT).unwrap();
    path
}

fn write(file: &Path, more: &[&str]) -> (i32, String) {
    let arguments = [
        "run",
        file.to_str().unwrap(),
        "--rw=write",
        "--bs=64k",
        "--runtime=100ms",
        "--direct=0",
    ];
    let output = Iodyno::new().run(&[&arguments, more].concat());
    (code(&output), text(&output.stderr))
}

/// It must be refused with these words, and the file must be as it was.
fn refused(file: &Path, more: &[&str], says: &str) {
    let (status, said) = write(file, more);
    assert_eq!(status, 4, "{said}");
    assert!(said.contains(says), "{said}");
    assert!(
        std::fs::read(file).unwrap() == CONTENT,
        "the refusal changed the file"
    );
}

fn is_written(file: &Path) {
    let (status, said) = write(file, &["--overwrite"]);
    assert_eq!(status, 0, "{said}");
    assert!(std::fs::read(file).unwrap() != CONTENT);
}

#[test]
fn an_existing_file_is_kept_without_overwrite() {
    let dir = Dir::new("overwrite");
    let file = file_in(&dir);
    refused(&file, &[], "--overwrite");
    refused(
        &file,
        &["--destroy-data", "--force-signature"],
        "--overwrite",
    );
    is_written(&file);
}

#[test]
fn a_file_that_another_process_writes_is_kept() {
    let dir = Dir::new("written");
    let file = file_in(&dir);
    let link = dir.path().join("another-name");
    std::fs::hard_link(&file, &link).unwrap();
    let open = |mode: &str| {
        let ready = dir.path().join(format!("ready{}", mode.len()));
        let script = format!("exec 3{mode}\"$0\"; touch \"$1\"; exec sleep 600");
        let child = Command::new("sh")
            .arg("-c")
            .arg(script)
            .arg(&file)
            .arg(&ready)
            .spawn()
            .unwrap();
        until("a program that has it open", || ready.exists());
        child
    };
    let mut writer = open("<>");
    refused(&file, &["--overwrite"], "(sleep) has it open for writing");
    // On kernels before 5.14 only the name tells, and a hard link has another one.
    if std::fs::read_to_string("/proc/self/fdinfo/0")
        .unwrap()
        .contains("ino:")
    {
        refused(&link, &["--overwrite"], "(sleep) has it open for writing");
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
    let mut reader = open("<");
    is_written(&file);
    reader.kill().unwrap();
    reader.wait().unwrap();
}

#[test]
fn a_file_below_a_loop_device_is_kept() {
    if !is_root() {
        skip::missing("root", "a loop device needs root");
        return;
    }
    let _turn = turn();
    let dir = Dir::new("backing");
    let file = file_in(&dir);
    let output = Command::new("losetup")
        .args(["--find", "--show"])
        .arg(&file)
        .output()
        .unwrap();
    let device = text(&output.stdout).trim().to_string();
    if device.is_empty() {
        skip::missing("loop", "this machine gives no loop device");
        return;
    }
    // The kernel shows the name that the file had then; it must be known by what it is.
    let renamed = dir.path().join("renamed");
    std::fs::rename(&file, &renamed).unwrap();
    let name = device.trim_start_matches("/dev/").to_string();
    let outcome = std::panic::catch_unwind(|| {
        refused(
            &renamed,
            &["--overwrite"],
            &format!("{name} is a loop device over it"),
        );
    });
    assert!(
        Command::new("losetup")
            .args(["--detach", &device])
            .status()
            .unwrap()
            .success()
    );
    outcome.unwrap();
    is_written(&renamed);
}

#[test]
fn a_swap_file_in_use_is_kept() {
    let dir = Dir::new("swap");
    let file = dir.path().join("data");
    std::fs::write(&file, CONTENT).unwrap();
    let step = |program: &str| {
        let done = Command::new("sh")
            .args(["-c", &format!("{program} \"$0\" 2>&1")])
            .arg(&file)
            .output()
            .unwrap();
        if !done.status.success() {
            let why = format!("{program}: {}", text(&done.stdout).trim());
            skip::missing("machine:swap", why);
        }
        done.status.success()
    };
    if !is_root() {
        return skip::missing("root", "only root makes swap space");
    }
    if !step("chmod 600") || !step("mkswap -q") {
        return;
    }
    let before = std::fs::read(&file).unwrap();
    if !step("swapon") {
        return;
    }
    let (status, said) = write(&file, &["--overwrite"]);
    let after = std::fs::read(&file).unwrap();
    assert!(step("swapoff"));
    assert_eq!(status, 4, "{said}");
    assert!(said.contains("it is swap space in use"), "{said}");
    assert!(before == after);
}
