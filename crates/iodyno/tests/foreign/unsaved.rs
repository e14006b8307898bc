//! Results that the store does not take: printed, written to a file beside, and taken in later.

use crate::support::{Dir, Iodyno, code, has_load, is_root, text, until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file system in memory of 2 MiB; unmounted when it is dropped.
struct Small(PathBuf);

impl Small {
    fn over(path: &Path) -> Option<Small> {
        let mount = ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs"];
        let done = Command::new("mount")
            .args(mount)
            .arg(path)
            .stderr(Stdio::null())
            .status();
        match done {
            Ok(status) if status.success() && is_root() => Some(Small(path.to_path_buf())),
            _ => {
                let need = if is_root() { "mount" } else { "root" };
                skip::missing(need, "no small file system can be mounted here");
                None
            }
        }
    }

    /// Fills it to the last byte.
    fn fill(&self) {
        let full = std::fs::write(self.0.join("filler"), vec![0; 4 << 20]);
        assert!(full.is_err(), "it is full");
    }

    fn read_only(&self) {
        let done = Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(&self.0)
            .status()
            .unwrap();
        assert!(done.success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn unsaved(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("iodyno-unsaved-")
        })
        .collect()
}

/// Runs a verb with the small file system as its state, which is full before the verb is done.
fn with_full_state(arguments: &[&str]) {
    let (iodyno, target, place) = (Iodyno::new(), Dir::new("target"), Dir::new("place"));
    let Some(small) = Small::over(iodyno.state.path()) else {
        return;
    };
    let arguments = [&["--json"], arguments, &[target.path().to_str().unwrap()]].concat();
    let mut command = iodyno.command(&arguments);
    command
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    until("a load", || {
        assert!(child.try_wait().unwrap().is_none(), "it loads nothing");
        has_load(child.id())
    });
    small.fill();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(code(&output), 5, "{said}");
    let document: Value =
        serde_json::from_slice(&output.stdout).expect("the result is printed all the same");
    assert!(
        document["id"].is_null() && document["schema"].is_string(),
        "{said}"
    );
    let failure = &document["error"];
    assert_eq!(failure["schema"], "iodyno.error/1", "{failure}");
    assert_eq!(failure["exit"], 5, "{failure}");
    assert!(
        failure["hint"].as_str().unwrap().contains("iodyno merge"),
        "{failure}"
    );
    let files = unsaved(place.path());
    let [file] = &files[..] else {
        panic!("one file: {files:?}, {said}")
    };
    assert!(
        said.contains("could not be stored") && said.contains("Nothing is lost"),
        "{said}"
    );
    assert!(
        said.contains(&format!("iodyno merge {}", file.display())),
        "{said}"
    );
    assert_eq!(
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    std::fs::remove_file(iodyno.state.path().join("filler")).unwrap();
    let (merged, output) = iodyno.json(&["merge", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let id = merged["added"][0].as_i64().unwrap().to_string();
    let (shown, _) = iodyno.json(&["show", &id]);
    let written: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(shown["record"], written);
    assert_eq!(
        iodyno.json(&["merge", file.to_str().unwrap()]).0["known"],
        1
    );
}

#[test]
fn a_run_whose_state_directory_fills_up_is_printed_and_written_beside() {
    with_full_state(&["run", "--runtime", "5s", "--size", "1m", "--direct", "0"]);
}

#[test]
fn a_check_whose_state_directory_fills_up_is_printed_and_written_beside() {
    with_full_state(&["check", "--quick"]);
}

#[test]
fn a_state_directory_that_cannot_be_written_is_told_before_the_load() {
    let (iodyno, target, place) = (Iodyno::new(), Dir::new("target"), Dir::new("place"));
    let Some(small) = Small::over(iodyno.state.path()) else {
        return;
    };
    drop(crate::store::filled(&iodyno));
    small.read_only();
    let target = target.path().to_str().unwrap();
    let mut command = iodyno.command(&[
        "run",
        target,
        "--runtime",
        "600s",
        "--size",
        "1m",
        "--direct",
        "0",
    ]);
    let output = command.current_dir(place.path()).output().unwrap();
    assert!(matches!(code(&output), 3 | 5), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("IODYNO_STATE_DIR"),
        "{}",
        text(&output.stderr)
    );
    assert!(unsaved(place.path()).is_empty());
    assert_eq!(code(&iodyno.run(&["list"])), 0, "what is there can be read");
}
