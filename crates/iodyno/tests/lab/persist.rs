//! `apply --persist` with a real udev and a real reboot, in a guest.

use crate::support::{Dir, guest_with_iodyno};
use crate::undo::{claim_a_win, claim_them_together};
use lab::{Bus, Disk, Guest, Machine};
use model::subject::SubjectKind;
use serde_json::{Value, json};

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 600;
pub const RULE: &str = "/etc/udev/rules.d/99-iodyno-nvme0n1.rules";

pub fn out(guest: &mut Guest, script: &str) -> String {
    let script = format!("export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n{script}");
    let done = guest.run(&script, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{script}: {done:?}");
    done.out.trim().to_string()
}

pub fn scheduler(guest: &mut Guest) -> String {
    out(
        guest,
        "sed 's/.*\\[//; s/\\].*//' /sys/block/nvme0n1/queue/scheduler",
    )
}

/// Puts a record into the guest's store that claims the second of two values to be better, of each of these settings of
/// its disk, and gives its number.
pub fn store_wins(guest: &mut Guest, wins: &[(&str, SubjectKind, [&str; 2])]) -> String {
    let run = "iodyno run /root --runtime 100ms --size 4m --direct 0 --json >/mnt/lab/ran && cp /root/state/records.db /mnt/lab/";
    out(guest, &format!("PATH=$PATH:/root; {run}"));
    let ran: Value = serde_json::from_slice(&guest.get("ran").unwrap()).unwrap();
    let mut record = ran["record"].clone();
    claim_a_win(&mut record, "nvme0n1", "none", "mq-deadline");
    let trial = record["trials"][0].clone();
    let trials = wins.iter().map(|(knob, kind, arms)| {
        let mut trial = trial.clone();
        trial["knob"] = json!(knob);
        trial["subject"] = json!({"kind": kind, "device": "nvme0n1"});
        trial["arms"] = json!(arms);
        trial["verdict"]["arm"] = json!(arms[1]);
        trial["verdict"]["compared"] = json!(arms[1]);
        trial
    });
    record["trials"] = trials.collect();
    claim_them_together(&mut record);
    let dir = Dir::new("persist");
    let file = dir.path().join("records.db");
    std::fs::write(&file, guest.get("records.db").unwrap()).unwrap();
    let id = store::Store::open(dir.path())
        .unwrap()
        .insert(&serde_json::from_value(record).unwrap())
        .unwrap();
    let store = rusqlite::Connection::open(&file).unwrap();
    // The guest's store is one file once no process has it open; this one must be too.
    store.pragma_update(None, "journal_mode", "delete").unwrap();
    drop(store);
    guest.put(&file, "records.db").unwrap();
    out(
        guest,
        "rm -f /root/state/records.db*; cp /mnt/lab/records.db /root/state/",
    );
    id.to_string()
}

#[test]
#[ignore = "lab"]
fn what_is_applied_for_good_outlives_the_reboot_of_a_guest() {
    // With one queue the kernel would choose mq-deadline by itself.
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 64).queues(2));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    // Locks lie in a directory of that name.
    out(&mut guest, "mv /run/iodyno /root/iodyno");
    assert_eq!(scheduler(&mut guest), "none");
    let wins = [("scheduler", SubjectKind::Queue, ["none", "mq-deadline"])];
    let record = store_wins(&mut guest, &wins);
    let applied = out(
        &mut guest,
        &format!("/root/iodyno apply {record} --persist --json"),
    );
    let applied: Value = serde_json::from_str(&applied).unwrap();
    assert_eq!(applied["persisted"][0], RULE);
    assert_eq!(scheduler(&mut guest), "mq-deadline");

    guest.reboot().unwrap();
    assert_eq!(scheduler(&mut guest), "mq-deadline", "udev set it at boot");
    let status = out(&mut guest, "/root/iodyno status");
    assert!(status.contains("nvme0n1"), "{status}");
    let journal = applied["journal"].as_str().unwrap();
    let undone = out(&mut guest, &format!("/root/iodyno undo {journal}"));
    assert!(
        undone.contains("what they set at this boot stays until the next one"),
        "{undone}"
    );
    out(&mut guest, &format!("test ! -e {RULE}"));
    guest.reboot().unwrap();
    assert_eq!(scheduler(&mut guest), "none");
    assert!(out(&mut guest, "/root/iodyno undo --all").contains("Nothing to undo"));
    a_schedulers_own_setting_comes_back_with_its_scheduler(&mut guest);
}

/// At boot another scheduler is in place: the rule sets the one that has the setting. Beside it one of the page cache.
fn a_schedulers_own_setting_comes_back_with_its_scheduler(guest: &mut Guest) {
    let block = "/sys/block/nvme0n1";
    let values = format!("cat {block}/queue/iosched/read_expire {block}/bdi/max_ratio");
    out(
        guest,
        &format!("echo mq-deadline >{block}/queue/scheduler; {values}"),
    );
    let wins = [
        ("read_expire", SubjectKind::Scheduler, ["500", "100"]),
        ("max_ratio", SubjectKind::Bdi, ["100", "50"]),
    ];
    let record = store_wins(guest, &wins);
    out(guest, &format!("/root/iodyno apply {record} --persist"));
    assert_eq!(out(guest, &values), "100\n50");
    guest.reboot().unwrap();
    assert_eq!(scheduler(guest), "mq-deadline");
    assert_eq!(out(guest, &values), "100\n50");
    out(guest, "/root/iodyno undo --all");
}
