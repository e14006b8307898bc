//! Files that never end, or are longer than they are worth, and captures that others will read.

use crate::support::{Dir, Iodyno, code, text};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

/// Imports with so much memory at most. One that does not end is ended, with an exit code that is none of ours; on a busy
/// machine one that takes seconds takes a minute.
fn import(iodyno: &Iodyno, path: &str, stdin: Stdio, memory_kib: u64) -> Output {
    let script =
        format!("ulimit -v {memory_kib} && exec timeout 300 \"$0\" import --dry-run -- \"$1\"");
    let mut command = Command::new("bash");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_iodyno"), path])
        .env("IODYNO_STATE_DIR", iodyno.state.path());
    command.stdin(stdin).output().unwrap()
}

/// 64 MiB of nothing took 1.2 GB.
#[test]
fn a_text_of_nothing_but_line_ends_costs_little() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("lines"));
    let path = dir.path().join("lines");
    for piece in ["\n", "a\n"] {
        std::fs::write(&path, piece.repeat((64 << 20) / piece.len())).unwrap();
        let output = import(&iodyno, path.to_str().unwrap(), Stdio::null(), 600_000);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(code(&output), 5, "{said}");
        assert!(said.contains("only the first 4194304 lines"), "{said}");
    }
}

#[test]
fn what_never_ends_is_not_waited_for() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("endless"));
    let fifo = dir.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    for (path, why) in [
        (fifo.to_str().unwrap(), "cat PIPE | iodyno import -"),
        ("/dev/zero", "it is a device"),
        ("/proc", "file system of the kernel's"),
        ("/proc/self/mem", "file system of the kernel's"),
        ("/sys/kernel", "file system of the kernel's"),
        ("/dev", "no file in this folder"),
        ("/nonexistent", "No such file"),
    ] {
        let output = import(&iodyno, path, Stdio::null(), 1_000_000);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(code(&output), 5, "{path}: {said}");
        assert!(said.contains(why), "{path}: {said}");
    }
    // `yes` as a pipe, of lines that nobody knows and of lines that are a log of fio.
    for (line, why) in [
        ("y", "lines of a text"),
        ("0, 1, 0, 4096, 0", "a pipe is read up to 256 MiB"),
    ] {
        let mut yes = Command::new("yes")
            .arg(line)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = import(&iodyno, "-", yes.stdout.take().unwrap().into(), 1_000_000);
        let _ = yes.kill();
        yes.wait().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(code(&output), 5, "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
    }
}

#[test]
fn nobody_else_reads_the_records_whatever_the_umask() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("umask"));
    let record = serde_json::to_string(&crate::store::record("a", "vda", 1, "x")).unwrap();
    let file = dir.path().join("one.json");
    std::fs::write(&file, record).unwrap();
    let script = "umask 0; \"$0\" merge \"$1\" && \"$0\" store backup \"$2\"";
    let copy = iodyno.state.path().join("copy.db");
    let mut command = Command::new("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_iodyno")])
        .arg(&file)
        .arg(&copy);
    let output = command
        .env("IODYNO_STATE_DIR", iodyno.state.path())
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    for name in ["records.db", "copy.db"] {
        let mode = std::fs::metadata(iodyno.state.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// What a capture and a record of this machine hold, and what they must not.
#[test]
fn a_masked_capture_names_neither_machine_nor_secret() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("capture"));
    let read = |name: &str, more: &[&str]| {
        let file = dir.path().join(name);
        let path = file.to_str().unwrap();
        let output = iodyno.run(&[&["inspect", "/", "--capture", path], more].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let again = iodyno.run(&["inspect", "--root", path, "/"]);
        assert_eq!(code(&again), 0, "it can be read: {}", text(&again.stderr));
        std::fs::read_to_string(&file).unwrap()
    };
    let (plain, masked) = (read("plain.host", &[]), read("masked.host", &["--mask"]));
    let host = super::hostname();
    if host.len() > 3 && host != "localhost" {
        assert!(!masked.contains(&host), "the host's name");
    }
    let uuids = std::fs::read_dir("/dev/disk/by-uuid")
        .map(|entries| entries.flatten().collect())
        .unwrap_or(vec![]);
    for uuid in uuids
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
    {
        assert!(uuid.len() < 36 || !masked.contains(&uuid), "{uuid}");
    }
    let line = std::fs::read_to_string("/proc/cmdline").unwrap();
    let kept = plain
        .lines()
        .skip_while(|line| *line != "path: /proc/cmdline")
        .nth(2)
        .unwrap_or_default();
    for word in line.split_whitespace().filter(|word| word.contains('=')) {
        let (name, _) = word.split_once('=').unwrap();
        assert!(
            kept.contains(word) || kept.contains(&format!("{name}=…")),
            "{word}: {kept}"
        );
    }
    assert_eq!(
        code(&iodyno.run(&["inspect", "/", "--mask"])),
        2,
        "it masks what is captured"
    );
}

#[test]
fn a_record_does_not_keep_the_secrets_of_its_command() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("secret"));
    let folder = dir.path().to_str().unwrap();
    let output = iodyno
        .command(&[
            "--json",
            "run",
            folder,
            "--runtime",
            "100ms",
            "--size",
            "1m",
            "--direct",
            "0",
            "--tag-token=x",
        ])
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "no such option");
    let fixture = "fio_terse/fio-3.33.terse3.txt";
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/imports")
        .join(fixture);
    let host = "https://me:hunter2@nas.example/x";
    let output = iodyno.run(&["import", file.to_str().unwrap(), "--host", host]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let (shown, _) = iodyno.json(&["show", "1"]);
    let command = shown["record"]["provenance"]["command"].to_string();
    assert!(
        !command.contains("hunter2") && command.contains("https://…@nas.example/x"),
        "{command}"
    );
}
