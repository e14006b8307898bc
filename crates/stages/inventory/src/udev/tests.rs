//! Rules against a disk of a captured machine.

use crate::tests::collect_on;
use model::iopath::{IoPath, Owner};

const SDA: &str = "/sys/devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda";

fn machine(rules: &str, more: &str) -> IoPath {
    let rules = rules.trim_end();
    let scsi = SDA.trim_end_matches("/block/sda");
    let text = format!(
        "path: /sys/class/block/sda\nlink: ../..{}\npath: {SDA}/dev\nlines: 1\n8:0\n\
         path: {SDA}/queue/read_ahead_kb\nlines: 1\n128\npath: {SDA}/queue/rotational\nlines: 1\n1\n\
         path: {SDA}/queue/scheduler\nlines: 1\n[mq-deadline] none\npath: {SDA}/device\nlink: ../../../2:0:0:0\n\
         path: {scsi}/queue_depth\nlines: 1\n32\npath: {scsi}/vendor\nlines: 1\nATA     \n\
         path: {scsi}/driver\nlink: ../../../../../../bus/scsi/drivers/sd\n\
         path: {scsi}/subsystem\nlink: ../../../../../../bus/scsi\n\
         path: /etc/udev/rules.d/60-x.rules\nlines: {}\n{rules}\n{more}",
        &SDA[4..],
        rules.lines().count()
    );
    collect_on(&text, "sda")
}

fn owners(rules: &str, more: &str) -> Vec<Owner> {
    machine(rules, more).disks()[0]
        .setting("read_ahead_kb")
        .unwrap()
        .owners
        .clone()
}

fn acts(rule: &str) -> Option<String> {
    owners(&format!("{rule}, ATTR{{queue/read_ahead_kb}}=\"64\""), "")
        .pop()
        .map(|owner| owner.acts)
}

#[test]
fn what_can_be_decided_is_decided() {
    let always = Some("when the device appears or reports a change".to_string());
    assert_eq!(
        acts("SUBSYSTEM==\"block\", KERNEL==\"sd*[!0-9]|vd*\""),
        always
    );
    assert_eq!(
        acts("ACTION==\"add\", ATTR{queue/rotational}==\"1\"").as_deref(),
        Some("when the device appears")
    );
    assert_eq!(acts("DRIVERS==\"sd\", ATTRS{vendor}==\"ATA*\""), always);
    assert_eq!(acts("TEST==\"queue/scheduler\""), always);
    for never in [
        "KERNEL==\"vd*\"",
        "KERNEL!=\"sd*\"",
        "ACTION==\"remove\"",
        "ATTR{queue/rotational}==\"0\"",
        "ATTR{queue/no_such}!=\"0\"",
        "DRIVERS==\"usb-storage\"",
        "DRIVERS==\"sd\", KERNELS==\"sda\"",
        "TEST!=\"queue/scheduler\"",
        "SUBSYSTEM==\"scsi\"",
    ] {
        assert_eq!(acts(never), None, "{never}");
    }
}

#[test]
fn what_cannot_be_decided_is_a_maybe_that_says_why() {
    let program = acts("PROGRAM==\"/bin/true\"").unwrap();
    assert_eq!(
        program,
        "maybe when the device appears or reports a change: depends on PROGRAM"
    );
    assert!(
        acts("ENV{ID_BUS}==\"ata\"")
            .unwrap()
            .ends_with("depends on ENV{ID_BUS}")
    );
}

#[test]
fn what_udev_stored_decides_conditions_on_properties() {
    let stored = "path: /run/udev/data/b8:0\nlines: 3\nE:ID_BUS=ata\nE:ID_SERIAL=X\nG:systemd\n";
    let rule = |condition: &str| {
        let rule = format!("{condition}, ATTR{{queue/read_ahead_kb}}=\"64\"");
        owners(&rule, stored)
            .pop()
            .map(|owner| owner.acts.starts_with("maybe"))
    };
    assert_eq!(rule("ENV{ID_BUS}==\"ata\", TAG==\"systemd\""), Some(false));
    assert_eq!(rule("ENV{ID_BUS}==\"usb\""), None);
    assert_eq!(rule("ENV{ID_NOT_THERE}==\"?*\""), None);
    assert_eq!(rule("ENV{.HIDDEN}==\"1\""), Some(true));
}

#[test]
fn jumps_and_properties_are_followed() {
    let rules = "KERNEL!=\"vd*\", GOTO=\"end\"\nATTR{queue/read_ahead_kb}=\"1\"\nLABEL=\"end\"\n\
        ENV{RA}=\"256\"\nENV{RA}==\"256\", ATTR{queue/read_ahead_kb}=\"256\"\n\
        PROGRAM==\"x\", GOTO=\"last\"\nATTR{queue/read_ahead_kb}=\"512\"\nLABEL=\"last\"\n";
    let found: Vec<(String, bool)> = owners(rules, "")
        .into_iter()
        .map(|o| (o.wants.unwrap(), o.acts.starts_with("maybe")))
        .collect();
    assert_eq!(
        found,
        [("256".to_string(), false), ("512".to_string(), true)]
    );
}

#[test]
fn parents_and_programs_are_claims_too() {
    let rules = "SUBSYSTEM==\"scsi\", ATTR{queue_depth}=\"8\"\n\
        KERNEL==\"sda\", RUN+=\"/sbin/blockdev --setra 4096 /dev/%k\"\n\
        KERNEL==\"sda\", ATTR{queue/scheduler}=\"$env{WANTED}\"\n\
        KERNEL==\"sda\", ATTR{bdi/read_ahead_kb}=\"32\"\n";
    let path = machine(rules, "");
    let setting = |name: &str| path.disks()[0].setting(name).unwrap().owners.clone();
    assert_eq!(setting("queue_depth")[0].wants.as_deref(), Some("8"));
    let wants: Vec<_> = setting("read_ahead_kb")
        .into_iter()
        .filter_map(|owner| owner.wants)
        .collect();
    assert_eq!(wants, ["2048", "32"]);
    let scheduler = setting("scheduler");
    assert_eq!(
        (scheduler[0].wants.as_deref(), scheduler[0].place.as_str()),
        (None, "/etc/udev/rules.d/60-x.rules:3")
    );
}

#[test]
fn files_that_only_name_devices_are_left_out() {
    assert!(!super::may_claim(
        "SUBSYSTEM==\"block\", ATTR{removable}==\"1\", SYMLINK+=\"x\"\n"
    ));
    assert!(!super::may_claim("# ATTR{queue/scheduler}=\"none\"\n"));
    assert!(super::may_claim(
        "KERNEL==\"sda\", ATTR{queue/scheduler} = \"none\"\n"
    ));
}
