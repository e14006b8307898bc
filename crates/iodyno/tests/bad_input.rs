//! What bad input gets: a clear error, the right exit code, nothing changed, nothing left.

use crate::support::{Dir, Iodyno, Loop, code, is_root, text};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Runs and checks the exit code and that stderr holds these words.
fn expect(arguments: &[&str], exit: i32, words: &[&str]) {
    let output = Iodyno::new().run(arguments);
    let said = text(&output.stderr);
    assert_eq!(code(&output), exit, "{arguments:?}: {said}");
    for word in words {
        assert!(
            said.contains(word),
            "{arguments:?} does not say `{word}`: {said}"
        );
    }
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn the_command_line() {
    expect(
        &["run", "/tmp", "--rw", "sideways"],
        2,
        &["sideways", "randread"],
    );
    expect(&["run", "/tmp", "--bs", "4x"], 2, &["4x", "4k"]);
    expect(&["run", "/tmp", "--bs", "1000"], 2, &["1000"]);
    expect(&["run", "/tmp", "--iodepth", "0"], 2, &["iodepth"]);
    expect(
        &["run", "/tmp", "--ioengine", "warp"],
        2,
        &["warp", "io_uring"],
    );
    expect(&["run", "/tmp", "--runtime", "soon"], 2, &["soon"]);
    expect(
        &["tune", "/tmp", "--knob", "sheduler"],
        2,
        &["sheduler", "did you mean scheduler?", "catalogue"],
    );
    expect(
        &["explain", "nothing-of-this-name"],
        2,
        &["nothing-of-this-name", "catalogue"],
    );
    expect(
        &["undo", "no-such-journal"],
        2,
        &["no-such-journal", "status"],
    );
    expect(&["show", "12345"], 2, &["12345", "list"]);
    expect(&["apply", "12345"], 2, &["12345"]);
    expect(&["frobnicate"], 2, &["frobnicate"]);
}

#[test]
fn targets_that_are_not_there_or_not_right() {
    for verb in ["inspect", "run", "tune"] {
        expect(&[verb, "/no/such/place"], 5, &["/no/such/place"]);
    }
    expect(&["run", "/dev/null"], 2, &["/dev/null", "block device"]);
    expect(
        &["inspect", "/tmp", "--root", "/no/such.host"],
        5,
        &["/no/such.host"],
    );
    let dir = Dir::new("archive");
    let file = dir.path().join("broken.host");
    std::fs::write(&file, "iodyno-host 1\npath: /a\nlines: many\n").unwrap();
    expect(
        &["inspect", "/a", "--root", file.to_str().unwrap()],
        5,
        &["broken.host", "line 3"],
    );
}

#[test]
fn too_little_room() {
    let dir = Dir::new("room");
    expect(
        &["run", dir.path().to_str().unwrap(), "--size", "900t"],
        5,
        &["free", "--size"],
    );
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn memory_is_no_disk() {
    let shm = std::path::Path::new("/dev/shm");
    if !shm.is_dir() {
        skip::missing("shm", "no tmpfs at /dev/shm");
        return;
    }
    let dir = shm.join(format!("iodyno-test-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let target = dir.to_str().unwrap();
    let tune = Iodyno::new().run(&["tune", target]);
    assert_eq!(code(&tune), 5, "{}", text(&tune.stderr));
    assert!(
        text(&tune.stderr).contains("tmpfs"),
        "{}",
        text(&tune.stderr)
    );
    let direct = Iodyno::new().run(&["run", target, "--runtime", "100ms", "--size", "4m"]);
    let said = text(&direct.stderr);
    // Linux 6.6 taught tmpfs O_DIRECT (commit e88e0d366f9c); before, the open fails. Either way it is said.
    assert!(
        code(&direct) == 5 && said.contains("direct")
            || code(&direct) == 0 && said.contains("memory"),
        "{said}"
    );
    std::fs::remove_dir_all(&dir).unwrap();
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn a_device_in_use_is_not_written() {
    let Some(disk) = Loop::new(64) else { return };
    let consent = ["--rw", "randwrite", "--runtime", "100ms", "--destroy-data"];
    expect(
        &[
            "run",
            &disk.device,
            "--rw",
            "randwrite",
            "--runtime",
            "100ms",
        ],
        4,
        &["--destroy-data"],
    );
    if !succeeds("mkfs.ext4", &["-q", "-F", &disk.device]) {
        return skip::missing("mkfs.ext4", "mkfs.ext4 made no file system");
    }
    expect(
        &[&["run", disk.device.as_str()], &consent[..]].concat(),
        4,
        &["ext", "--force-signature"],
    );
    let mount = Dir::new("mount");
    let point = mount.path().to_str().unwrap();
    assert!(succeeds("mount", &[&disk.device, point]));
    let force = [
        &["run", disk.device.as_str()],
        &consent[..],
        &["--force-signature"],
    ]
    .concat();
    let output = Iodyno::new().run(&force);
    let read_only = succeeds("mount", &["-o", "remount,ro", point]);
    let on_read_only = Iodyno::new().run(&["run", point, "--runtime", "100ms", "--size", "4m"]);
    assert!(succeeds("umount", &[point]));
    assert_eq!(code(&output), 4, "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains(point),
        "it names the mount: {}",
        text(&output.stderr)
    );
    if read_only {
        assert_eq!(code(&on_read_only), 5, "{}", text(&on_read_only.stderr));
        assert!(
            text(&on_read_only.stderr).contains("ead-only"),
            "{}",
            text(&on_read_only.stderr)
        );
    }
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let dir = Dir::new("file");
    let file = dir.path().join("data");
    std::fs::write(&file, vec![7u8; 1 << 20]).unwrap();
    let target = file.to_str().unwrap();
    expect(
        &["run", target, "--rw", "randwrite", "--runtime", "100ms"],
        4,
        &["--overwrite"],
    );
    assert!(std::fs::read(&file).unwrap().iter().all(|byte| *byte == 7));
    let output = Iodyno::new().run(&[
        "run",
        target,
        "--rw",
        "randwrite",
        "--runtime",
        "100ms",
        "--overwrite",
    ]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
}

#[test]
fn a_value_the_device_does_not_take() {
    let Some(disk) = Loop::new(16) else { return };
    let before = disk.settings();
    expect(
        &["tune", &disk.device, "--knob", "scheduler=cfq"],
        2,
        &["cfq", "none"],
    );
    expect(
        &["tune", &disk.device, "--knob", "rq_affinity=9"],
        2,
        &["0, 1 or 2"],
    );
    expect(
        &["tune", &disk.device, "--knob", "max_sectors_kb=999999999"],
        2,
        &["KiB at most"],
    );
    assert_eq!(disk.settings(), before);
}

#[test]
fn no_write_right() {
    if !is_root() {
        skip::missing("root", "this test drops root's rights, which needs root");
        return;
    }
    // Theirs to keep records in, and gone with the test.
    let dir = Dir::new("nobody");
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let Ok(output) = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .args([
            env!("CARGO_BIN_EXE_iodyno"),
            "run",
            "/etc",
            "--runtime",
            "100ms",
            "--size",
            "4m",
        ])
        .env("IODYNO_STATE_DIR", dir.path().join("state"))
        .output()
    else {
        skip::missing("setpriv", "setpriv is not installed");
        return;
    };
    let said = text(&output.stderr);
    if said.contains("setpriv: failed to execute") {
        skip::missing("user", "another user cannot reach the build directory");
        return;
    }
    assert_eq!(code(&output), 3, "{said}");
    assert!(said.contains("/etc"), "{said}");
}
