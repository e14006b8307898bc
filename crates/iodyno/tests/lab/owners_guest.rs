//! Who owns a setting, on a machine whose configuration is ours: rules, files and profiles are put in and named.

use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Guest, Machine};
use serde_json::Value;

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 300;

fn out(guest: &mut Guest, script: &str) -> String {
    let script = format!("export PATH=$PATH:/run IODYNO_STATE_DIR=/run/state NO_COLOR=1\n{script}");
    let done = guest.run(&script, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{script}: {done:?}");
    done.out
}

fn inspected(guest: &mut Guest, arguments: &str) -> Value {
    out(
        guest,
        &format!("iodyno inspect {arguments} --json > /mnt/lab/inspected"),
    );
    serde_json::from_slice(&guest.get("inspected").unwrap()).unwrap()
}

fn setting<'a>(layer: &'a Value, name: &str) -> &'a Value {
    let settings = layer["settings"].as_array().unwrap();
    settings
        .iter()
        .find(|setting| setting["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {layer}"))
}

/// Kind and place of the last claim.
fn owner(setting: &Value) -> (String, String) {
    let last = setting["owners"]
        .as_array()
        .and_then(|owners| owners.last())
        .unwrap_or_else(|| panic!("{setting}"));
    (
        last["kind"].as_str().unwrap().to_string(),
        last["place"].as_str().unwrap().to_string(),
    )
}

const CONFIGURATION: &str = "\
    mkdir -p /etc/udev/rules.d /etc/sysctl.d /etc/tuned/mine /etc/tmpfiles.d\n\
    cat > /etc/udev/rules.d/60-lab.rules <<'END'\n\
# a comment\n\
ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"nvme*n*\", ATTR{queue/rotational}==\"0\", ATTR{queue/read_ahead_kb}=\"512\"\n\
ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"nvme*n*\", PROGRAM==\"/bin/false\", ATTR{queue/nr_requests}=\"7\"\n\
END\n\
    echo 'vm.dirty_bytes = 67108864' > /etc/sysctl.d/50-lab.conf\n\
    sysctl -q -p /etc/sysctl.d/50-lab.conf\n\
    echo mine > /etc/tuned/active_profile\n\
    printf '[main]\\n[vm]\\n[disk]\\ndevices=nvme*\\nelevator=kyber\\n' > /etc/tuned/mine/tuned.conf\n\
    udevadm control --reload && udevadm trigger --settle --action=change /sys/block/nvme0n1 \
      || { udevadm trigger --action=change /sys/block/nvme0n1; udevadm settle; }\n\
    echo 250 > /sys/block/nvme0n1/queue/io_timeout\n";

#[test]
#[ignore = "lab"]
fn a_rule_a_sysctl_file_and_a_profile_are_named_and_a_capture_says_the_same() {
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 64));
    let Some((mut guest, _lock)) = guest_with_iodyno(machine) else {
        return;
    };
    let disk = guest.disk(0).unwrap();
    let before = inspected(&mut guest, &disk);
    let ahead = setting(&before["root"]["below"][0], "read_ahead_kb");
    assert_eq!(
        ahead["default"]["value"], ahead["value"]["value"],
        "untouched it is the kernel's: {ahead}"
    );
    out(
        &mut guest,
        &CONFIGURATION.replace("nvme0n1", disk.trim_start_matches("/dev/")),
    );

    let after = inspected(&mut guest, &format!("{disk} --capture /run/this.host"));
    assert_claims(&after);
    let words = out(&mut guest, &format!("iodyno inspect {disk}"));
    assert!(words.contains("/etc/sysctl.d/50-lab.conf:1"), "{words}");

    let replayed = inspected(&mut guest, &format!("{disk} --root /run/this.host"));
    assert_same(&replayed, &after);
    let masked = out(
        &mut guest,
        &format!("iodyno inspect {disk} --capture /run/m.host --mask >/dev/null; cat /run/m.host"),
    );
    let serial = out(
        &mut guest,
        &format!(
            "cat /sys/class/block/{}/device/serial",
            disk.trim_start_matches("/dev/")
        ),
    );
    assert!(!masked.contains(serial.trim()), "serial {serial}");
}

/// That each file of the configuration is named for the setting that it sets.
fn assert_claims(after: &Value) {
    let (nvme, machine) = (&after["root"]["below"][0], &after["machine"]);
    let ahead = setting(nvme, "read_ahead_kb");
    assert_eq!(ahead["value"]["value"], "512", "udev has acted");
    assert_eq!(
        owner(ahead),
        (
            "udev_rule".into(),
            "/etc/udev/rules.d/60-lab.rules:2".into()
        )
    );
    let requests = &setting(nvme, "nr_requests")["owners"][0];
    assert!(
        requests["acts"].as_str().unwrap().starts_with("maybe"),
        "{requests}"
    );
    assert_eq!(
        owner(setting(machine, "vm.dirty_bytes")),
        ("sysctl_file".into(), "/etc/sysctl.d/50-lab.conf:1".into())
    );
    assert_eq!(
        setting(machine, "vm.dirty_ratio")["owners"][0]["wants"],
        "0",
        "the pair clears each other"
    );
    let (kind, place) = owner(setting(nvme, "scheduler"));
    assert_eq!(kind, "tuned");
    assert!(place.ends_with("/etc/tuned/mine/tuned.conf:5"), "{place}");
    assert!(
        !after["log"].as_array().unwrap().is_empty(),
        "the kernel has told of the disk"
    );
}

/// That a capture says the same as the machine that it is of.
fn assert_same(replayed: &Value, after: &Value) {
    let plain = |document: &Value| {
        document
            .to_string()
            .replace("\"writable\":true", "\"writable\":false")
    };
    let same = |part: &str| assert_eq!(plain(&replayed[part]), plain(&after[part]), "{part}");
    for part in ["machine", "log", "notes"] {
        same(part);
    }
    assert_eq!(
        plain(&replayed["root"]["below"][0]["settings"]),
        plain(&after["root"]["below"][0]["settings"])
    );
}
