//! A setting of a mount: applied, killed in the middle, and put back, on a file system of the test's own.

use crate::mounts::{FIRST, Mounted};
use crate::support::{Iodyno, code, signal, until};

#[test]
#[ignore = "soak"]
fn a_killed_tune_of_a_mount_is_put_back() {
    // A scratch file leaves 256 MiB of a file system free.
    let Some(mounted) = Mounted::new(400) else {
        return;
    };
    let iodyno = Iodyno::new();
    let mut child = iodyno.spawn(&[
        "tune",
        mounted.point(),
        "--knob",
        "atime=strictatime",
        "--rw",
        "randread",
        "--direct",
        "0",
        "--size",
        "16m",
        "--budget",
        "10m",
    ]);
    iodyno.wait_for_journal(&mut child);
    let is_strict = || !mounted.options().0.contains("relatime");
    until("the other value", is_strict);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert!(is_strict());
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(mounted.options().0, FIRST);
}
