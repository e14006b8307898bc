//! `guard` as it is installed: its units under systemd on a real disk that gets slower, and a setting that an update changes.

use crate::lab::persist::out;
use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Guest, Machine};
use serde_json::{Value, json};
use std::path::Path;

/// The state directory of the unit, which is root's.
const STATE: &str = "IODYNO_STATE_DIR=/var/lib/iodyno";

/// Visits before the one that knows the levels.
const LEARNING: usize = 7;

/// Puts the binary and the units where the packages put them, and a file system on /srv.
fn installed(guest: &mut Guest) {
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/guard");
    for unit in ["iodyno-guard@.service", "iodyno-guard@.timer"] {
        guest.put(&units.join(unit), unit).unwrap();
        out(guest, &format!("cp /mnt/lab/{unit} /etc/systemd/system/"));
    }
    let disk = guest.disk(0).unwrap();
    out(
        guest,
        "mv /run/iodyno /usr/bin/iodyno && systemctl daemon-reload",
    );
    out(guest, &format!("mkfs.ext4 -q {disk} && mount {disk} /srv"));
    out(guest, "echo none >/sys/block/nvme0n1/queue/scheduler");
    out(guest, &format!("mkdir {DROP_IN}"));
    options(guest, "--textfile /run/guard.prom --budget 15s");
}

/// What the unit's own settings say.
const DROP_IN: &str = "/etc/systemd/system/iodyno-guard@srv.service.d";

fn options(guest: &mut Guest, words: &str) {
    let text = format!("[Service]\\nEnvironment=\"IODYNO_GUARD={words}\"\\n");
    out(
        guest,
        &format!("printf '{text}' >{DROP_IN}/test.conf && systemctl daemon-reload"),
    );
}

/// One visit by its unit: how it ended for systemd, and the answer.
fn visit(guest: &mut Guest) -> (String, Value) {
    out(guest, "systemctl start iodyno-guard@srv.service; true");
    let ended = out(
        guest,
        "systemctl show -p ExecMainStatus --value iodyno-guard@srv.service",
    );
    let said = out(
        guest,
        "journalctl IODYNO_TARGET=/srv -n 1 -o json --no-pager",
    );
    let said = serde_json::from_str(&said).unwrap_or_else(|error| {
        let log = guest.run("journalctl -u 'iodyno-guard@srv' --no-pager | tail -30", 60);
        panic!("{error}: {said}\n{}", log.unwrap().out)
    });
    (ended, said)
}

#[test]
#[ignore = "lab"]
fn a_guarded_disk_of_a_guest_is_called_slower_and_set_otherwise_by_its_unit() {
    let machine = Machine::new()
        .disk(Disk::new(Bus::Nvme, 1024).iops(4_000))
        .systemd();
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    installed(guest);
    for _ in 0..LEARNING {
        let (ended, said) = visit(guest);
        assert_eq!(
            (ended.as_str(), &said["IODYNO_STATE"]),
            ("0", &json!("learning")),
            "{said}"
        );
    }
    assert_eq!(visit(guest).1["IODYNO_STATE"], "quiet");
    // A slower disk, and nothing else: suspected, then believed.
    guest.limit(0, &json!({"iops-total": 2_000})).unwrap();
    let (suspected, _) = visit(guest);
    let (ended, said) = visit(guest);
    assert_eq!((suspected.as_str(), ended.as_str()), ("0", "1"), "{said}");
    assert_eq!(
        (&said["IODYNO_STATE"], &said["PRIORITY"]),
        (&json!("alarm"), &json!("4"))
    );
    assert!(out(guest, "cat /run/guard.prom").contains("iodyno_guard_level_ratio"));
    guest.limit(0, &json!({"iops-total": 4_000})).unwrap();
    assert_eq!(visit(guest).0, "0");
    // An update brings a rule of udev's.
    let rule = "ACTION==\"add|change\", KERNEL==\"nvme0n1\", ATTR{queue/scheduler}=\"mq-deadline\"";
    out(
        guest,
        &format!(
            "echo '{rule}' >/etc/udev/rules.d/60-update.rules && udevadm trigger /dev/nvme0n1 && udevadm settle"
        ),
    );
    let scheduler = "cat /sys/block/nvme0n1/queue/scheduler";
    assert!(out(guest, scheduler).contains("[mq-deadline]"));
    options(guest, "--budget 90s");
    let (_, said) = visit(guest);
    let answer: Value = shown(guest, &said);
    let set = &answer["record"]["check"]["guard"];
    // The scheduler before what it brought along.
    assert_eq!(set["proofs"][0]["setting"]["name"], "scheduler", "{set:#}");
    assert!(set["proofs"][0]["proof"]["record"].is_i64(), "{set:#}");
    assert!(
        out(guest, scheduler).contains("[mq-deadline]"),
        "the experiment puts back what the update set"
    );
    assert!(out(guest, &format!("{STATE} iodyno status")).contains("Nothing is changed"));
    let timer = "systemctl enable --now iodyno-guard@srv.timer 2>&1; systemctl list-timers --no-legend 'iodyno-guard@*'";
    assert!(out(guest, timer).contains("iodyno-guard@srv.service"));
    killed(guest);
}

/// The record that an entry of the journal names.
fn shown(guest: &mut Guest, said: &Value) -> Value {
    let record = said["IODYNO_RECORD"].as_str().unwrap();
    out(
        guest,
        &format!("{STATE} iodyno --json show {record} >/mnt/lab/said"),
    );
    serde_json::from_slice(&guest.get("said").unwrap()).unwrap()
}

/// Killed in the middle of an experiment, the unit puts back what that has changed.
fn killed(guest: &mut Guest) {
    out(guest, &format!("{STATE} iodyno guard /srv --accept"));
    out(
        guest,
        "rm /etc/udev/rules.d/60-update.rules; echo none >/sys/block/nvme0n1/queue/scheduler",
    );
    out(guest, "systemctl start --no-block iodyno-guard@srv.service");
    let wait = "until ls /var/lib/iodyno/journal/*.journal >/dev/null 2>&1; do sleep 0.1; done; sleep 8; \
                systemctl kill -s KILL iodyno-guard@srv.service; \
                while systemctl is-active -q iodyno-guard@srv.service || \
                [ \"$(systemctl is-active iodyno-guard@srv.service)\" = deactivating ]; do sleep 0.1; done";
    out(guest, wait);
    assert!(out(guest, "cat /sys/block/nvme0n1/queue/scheduler").contains("[none]"));
    let status = out(guest, &format!("{STATE} iodyno status"));
    assert!(status.contains("Nothing is changed"), "{status}");
}
