//! `inspect` on stacks that this machine has not: volumes, arrays, encryption, several paths, USB, a PCI Express port.

use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Guest, Machine};
use serde_json::Value;

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 300;

/// Makes every stack; the key of the encrypted one must never be seen again.
const STACKS: &str = r#"
set -e
modprobe brd rd_nr=18 rd_size=16384
modprobe -a dm_mod dm_crypt dm_multipath dm_round_robin raid1 raid10 raid456 raid0 loop
export LVM_SUPPRESS_FD_WARNINGS=1
pvcreate -q /dev/ram0 /dev/ram1 /dev/ram2
vgcreate -q -s 1m vg0 /dev/ram0 /dev/ram1 /dev/ram2
lvcreate -q -y -Wn -n line --extents 18 vg0
lvcreate -q -y -Wn -n my-stripe --stripes 2 --stripesize 64k --size 8m vg0
lvcreate -q -y --config 'global/thin_check_executable=""' --type thin-pool -n pool --size 6m vg0
lvcreate -q -y --config 'global/thin_check_executable=""' --thin -n thin --virtualsize 64m vg0/pool
echo 0 32000 crypt aes-xts-plain64 KEY 0 /dev/ram3 8 2 allow_discards no_read_workqueue | dmsetup create secret
echo 0 32768 multipath 2 queue_mode bio 0 1 1 round-robin 0 2 1 /dev/ram4 1 /dev/ram5 1 | dmsetup create paths
dmsetup message paths 0 fail_path /dev/ram5
echo 10 > /proc/sys/dev/raid/speed_limit_min
echo 10 > /proc/sys/dev/raid/speed_limit_max
array() { yes | mdadm --create "$1" --quiet --run --metadata=1.2 "${@:2}"; }
array /dev/md0 --level=0 --raid-devices=2 --chunk=64 /dev/ram6 /dev/ram7
array /dev/md1 --level=1 --raid-devices=2 --bitmap=internal --assume-clean /dev/ram8 /dev/ram9
mdadm --quiet /dev/md1 --fail /dev/ram9
array /dev/md5 --level=5 --raid-devices=3 --chunk=64 /dev/ram10 /dev/ram11 /dev/ram12
array /dev/md10 --level=10 --raid-devices=4 --assume-clean /dev/ram13 /dev/ram14 /dev/ram15 /dev/ram16
mkfs.ext4 -q /dev/vg0/line
mkdir -p /srv && mount /dev/vg0/line /srv
truncate -s 8M /srv/disk.img
losetup /dev/loop0 /srv/disk.img
udevadm settle
"#;
const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn out(guest: &mut Guest, script: &str) -> String {
    let script = format!("export PATH=$PATH:/run IODYNO_STATE_DIR=/run/state NO_COLOR=1\n{script}");
    let done = guest.run(&script, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{script}: {done:?}");
    done.out
}

/// The path below a target: a document of what is there, and what people see of a capture of it.
fn inspect(guest: &mut Guest, target: &str) -> (Value, String) {
    let run = format!(
        "iodyno inspect {target} --json --capture /mnt/lab/host --force > /mnt/lab/path && \
         iodyno inspect $(readlink -f {target}) --root /mnt/lab/host > /mnt/lab/text"
    );
    out(guest, &run);
    let file = |name: &str| String::from_utf8(guest.get(name).unwrap()).unwrap();
    let (text, captured) = (file("text"), file("host"));
    println!("{text}");
    assert!(
        !captured.contains(KEY),
        "{target}: the key is in the capture"
    );
    // The serial numbers are `lab0` and so on; ATA has them as words.
    let has_serial = captured.contains("\nlab") || captured.contains("6c61 62");
    assert!(
        !has_serial,
        "{target}: a disk's serial number is in the capture"
    );
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{target}: {line}");
    }
    (
        serde_json::from_slice(&guest.get("path").unwrap()).unwrap(),
        text,
    )
}

/// The first layer from the top whose kernel name begins so.
fn layer<'a>(root: &'a Value, start: &str) -> Option<&'a Value> {
    if root["name"]
        .as_str()
        .is_some_and(|name| name.starts_with(start))
    {
        return Some(root);
    }
    root["below"]
        .as_array()?
        .iter()
        .find_map(|below| layer(below, start))
}

/// Facts of a layer, and in the text the words that a reader needs.
fn check(guest: &mut Guest, target: &str, start: &str, facts: &[(&str, &str)], words: &[&str]) {
    let (document, text) = inspect(guest, target);
    let below = &document["root"]["below"];
    let found = below
        .as_array()
        .unwrap()
        .iter()
        .find_map(|root| layer(root, start));
    let found = found.unwrap_or_else(|| panic!("{target} has no layer {start}: {text}"));
    for (name, value) in facts {
        assert_eq!(
            found["facts"][name], *value,
            "{target}: {name} of {start}: {}",
            found["facts"]
        );
    }
    for words in words {
        assert!(text.contains(words), "{target}: {words} is not in\n{text}");
    }
}

#[test]
#[ignore = "lab"]
fn a_guest_s_stacks_are_told_layer_by_layer() {
    let machine = Machine::new()
        .disk(Disk::new(Bus::Nvme, 64).queues(2).port("8", 4))
        .disk(Disk::new(Bus::Sata, 64).rotational())
        .disk(Disk::new(Bus::Scsi, 64))
        .disk(Disk::new(Bus::Usb, 64))
        .disk(Disk::new(Bus::Uas, 64));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    out(&mut guest, &STACKS.replace("KEY", KEY));
    arrays(&mut guest);
    volumes(&mut guest);
    mappings(&mut guest);
    disks(&mut guest);
}

fn volumes(guest: &mut Guest) {
    let linear = [
        ("mapping", "linear"),
        ("vg", "vg0"),
        ("lv", "line"),
        ("segments", "2"),
        ("aligned", "yes"),
    ];
    check(
        guest,
        "/srv",
        "dm-",
        &linear,
        &["LVM linear on 2 devices", "vg0/line"],
    );
    let striped = [
        ("mapping", "striped"),
        ("lv", "my-stripe"),
        ("stripes", "2"),
        ("stripe_bytes", "65536"),
    ];
    check(
        guest,
        "/dev/vg0/my-stripe",
        "dm-",
        &striped,
        &["LVM striped on 2 devices", "2 of 64.0 KiB each"],
    );
    let thin = [
        ("mapping", "thin"),
        ("lv", "thin"),
        ("thin_mapped_percent", "0.0"),
    ];
    check(
        guest,
        "/dev/vg0/thin",
        "dm-",
        &thin,
        &["LVM thin-pool", "of data and"],
    );
}

fn mappings(guest: &mut Guest) {
    let crypt = [
        ("mapping", "crypt"),
        ("cipher", "aes-xts-plain64"),
        ("crypt_flags", "allow_discards no_read_workqueue"),
        ("crypt_sector_bytes", "512"),
    ];
    check(
        guest,
        "/dev/mapper/secret",
        "dm-",
        &crypt,
        &["no_read_workqueue"],
    );
    let paths = [
        ("mapping", "multipath"),
        ("paths_active", "1"),
        ("paths_failed", "1"),
        ("path_policy", "round-robin"),
    ];
    check(
        guest,
        "/dev/mapper/paths",
        "dm-",
        &paths,
        &["1 active, 1 failed, round-robin"],
    );
    out(guest, "dmsetup suspend paths");
    check(
        guest,
        "/dev/mapper/paths",
        "dm-",
        &[("suspended", "yes")],
        &["every I/O waits"],
    );
    out(guest, "dmsetup resume paths");
    let looped = [
        ("backing_sparse", "yes"),
        ("backing_fstype", "ext4"),
        ("dio", "0"),
    ];
    check(
        guest,
        "/dev/loop0",
        "loop0",
        &looped,
        &["with holes", "LVM linear"],
    );
}

fn arrays(guest: &mut Guest) {
    check(
        guest,
        "/dev/md0",
        "md0",
        &[("stack", "raid0"), ("chunk_bytes", "65536")],
        &["raid0 on 2 devices"],
    );
    let mirror = [
        ("stack", "raid1"),
        ("degraded", "1"),
        ("failed_members", "ram9"),
        ("bitmap", "internal"),
    ];
    check(
        guest,
        "/dev/md1",
        "md1",
        &mirror,
        &["degraded: 1 missing; failed: ram9"],
    );
    let parity = [
        ("stack", "raid5"),
        ("raid_disks", "3"),
        ("sync_action", "recover"),
        ("bitmap", "none"),
    ];
    check(
        guest,
        "/dev/md5",
        "md5",
        &parity,
        &["recover takes disk time", "md/stripe_cache_size"],
    );
    check(
        guest,
        "/dev/md10",
        "md10",
        &[("stack", "raid10"), ("sync_action", "idle")],
        &["raid10 on 4 devices"],
    );
}

fn disks(guest: &mut Guest) {
    let [nvme, sata, scsi, usb, uas] = [0, 1, 2, 3, 4].map(|number| guest.disk(number).unwrap());
    let port = [
        ("pcie_hops", "1"),
        ("link_emulated", "yes"),
        ("nvme_queues", "2"),
        ("nvme_state", "live"),
    ];
    check(guest, &nvme, "nvme", &port, &["behind"]);
    let ata = [
        ("ncq", "yes"),
        ("ncq_capable", "yes"),
        ("ata_mode", "UDMA_5"),
        ("host_driver", "ahci"),
    ];
    check(guest, &sata, "sd", &ata, &["link", "SATA"]);
    let virtio = [
        ("transport", "virtio-scsi"),
        ("host_driver", "virtio_scsi"),
        ("timeout_s", "30"),
    ];
    check(guest, &scsi, "sd", &virtio, &[]);
    let storage = [
        ("usb_driver", "usb-storage"),
        ("uas_capable", "no"),
        ("transport", "usb"),
    ];
    check(guest, &usb, "sd", &storage, &["one command at a time"]);
    let attached = [
        ("usb_driver", "uas"),
        ("uas_capable", "yes"),
        ("host_driver", "uas"),
    ];
    check(guest, &uas, "sd", &attached, &["Mbit/s, uas"]);
}
