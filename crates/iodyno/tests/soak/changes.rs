//! Changes that meet: second instances, other state directories, deaths, damage, devices that are exchanged. Whatever
//! happens, a setting that is changed is told, and what is said to be back is back.

use crate::changes::{disk, journals, scheduler};
use crate::support::{Iodyno, code};
use crate::undo::store_a_win;
use std::process::Command;

#[test]
#[ignore = "soak"]
fn a_journal_that_is_being_born_is_never_removed_by_a_command_beside_it() {
    let Some(disk) = disk() else { return };
    if skip::lacks("strace") {
        return;
    }
    let before = disk.settings();
    for call in [
        "openat",
        "flock",
        "write",
        "fdatasync",
        "renameat2",
        "fsync",
    ] {
        let iodyno = Iodyno::new();
        let record = store_a_win(&iodyno, &disk.name, "none", "mq-deadline");
        // Where looks take long because the machine is busy, the calls have to take longer.
        let was_looked_at = [20_000, 100_000, 500_000, 2_000_000]
            .into_iter()
            .any(|delay_us| {
                iodyno.run(&["undo", "--all"]);
                looks_while_applying(&iodyno, &record, call, delay_us) > 2
            });
        assert!(was_looked_at, "{call}");
        assert_eq!(scheduler(&disk), "mq-deadline", "{call}");
        assert_eq!(journals(&iodyno).len(), 1, "{call}: the journal is there");
        assert_eq!(code(&iodyno.run(&["undo", "--all"])), 0, "{call}");
        assert_eq!(disk.settings(), before, "{call}");
    }
}

/// Applies a record with one system call slowed down, and runs `status` again and again meanwhile: how often.
fn looks_while_applying(iodyno: &Iodyno, record: &str, call: &str, delay_us: u32) -> u32 {
    let inject = format!("inject={call}:delay_enter={delay_us}:when=1+");
    let mut slow = Command::new("strace");
    let trace = format!("trace={call}");
    slow.args(["-f", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
    slow.arg(env!("CARGO_BIN_EXE_iodyno"))
        .args(["apply", record]);
    slow.env("IODYNO_STATE_DIR", iodyno.state.path());
    let mut child = slow.stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut looks = 0;
    loop {
        iodyno.run(&["status"]);
        looks += 1;
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{call}: {ended}");
            return looks;
        }
    }
}
