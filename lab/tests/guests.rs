//! Guests as tests meet them.
#![allow(
    clippy::disallowed_methods,
    reason = "tests look at what the lab left behind"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use lab::{Bus, Disk, Guest, Machine};
use serde_json::json;
use std::time::Instant;

fn out(guest: &mut Guest, script: &str) -> String {
    let done = guest.run(script, 600).unwrap();
    assert_eq!(done.status, 0, "{script}: {done:?}");
    done.out.trim().to_string()
}

/// A script that prints how many ms 300 I/Os took never prints fewer than these, and at times no more: a busy host
/// makes them slower than their limit.
fn took(guest: &mut Guest, script: &str, wanted_ms: std::ops::Range<u64>) {
    let mut all_ms = Vec::new();
    while all_ms.last().is_none_or(|ms| *ms >= wanted_ms.end) && all_ms.len() < 20 {
        all_ms.push(out(guest, script).parse().unwrap());
    }
    let last_ms = all_ms.last().unwrap();
    assert!(
        wanted_ms.contains(last_ms),
        "300 I/Os took {all_ms:?} ms, not {wanted_ms:?}"
    );
}

#[test]
#[ignore = "lab"]
fn a_guest_has_the_disks_it_was_given_and_runs_scripts() {
    let buses = [Bus::Virtio, Bus::Nvme, Bus::Scsi, Bus::Sata, Bus::Usb];
    let machine = Machine::new();
    let kernel = machine.kernel().to_string();
    let start = Instant::now();
    let machine = buses.iter().fold(machine, |machine, bus| {
        machine.disk(Disk::new(*bus, 16).rotational())
    });
    let Some(mut guest) = machine
        .disk(Disk::new(Bus::Virtio, 16).iops(200))
        .boot_or_skip()
    else {
        return;
    };
    println!(
        "{} was up after {:.1} s",
        guest.uname(),
        start.elapsed().as_secs_f64()
    );
    assert!(guest.uname().starts_with(&kernel));

    disks(&mut guest);
    commands(&mut guest);
    files(&mut guest);
    limits(&mut guest);
    a_stall(&mut guest);
    a_reboot(&mut guest);

    drop(guest);
    let lab = std::env::var("IODYNO_LAB")
        .unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/lab").into());
    let left = std::fs::read_dir(format!("{lab}/guests"))
        .unwrap()
        .flatten();
    let own = format!("{}-", std::process::id());
    assert_eq!(
        left.filter(|entry| entry.file_name().to_string_lossy().starts_with(&own))
            .count(),
        0
    );
}

fn disks(guest: &mut Guest) {
    for (number, name) in ["vd", "nvme", "sd", "sd", "sd"].iter().enumerate() {
        let disk = guest.disk(number).unwrap();
        assert!(disk.starts_with(&format!("/dev/{name}")), "{disk}");
        assert_eq!(
            out(guest, &format!("blockdev --getsize64 {disk}")),
            "16777216"
        );
    }
    assert_eq!(out(guest, "cat /sys/block/sda/queue/rotational"), "1");
}

fn commands(guest: &mut Guest) {
    let done = guest.run("echo out; echo err >&2; exit 7", 20).unwrap();
    assert_eq!(
        (done.status, done.out.as_str(), done.err.as_str()),
        (7, "out\n", "err\n")
    );
    assert_eq!(guest.run("sleep 60", 1).unwrap().status, 124);
}

fn files(guest: &mut Guest) {
    guest.put_bytes(b"from the host", "in").unwrap();
    out(guest, "tr a-z A-Z < /mnt/lab/in > /mnt/lab/out");
    assert_eq!(guest.get("out").unwrap(), b"FROM THE HOST");
}

/// A limit holds, and holds anew when it is changed. The bucket lets a tenth of a second's I/Os pass at once.
fn limits(guest: &mut Guest) {
    let limited = guest.disk(5).unwrap();
    let read = format!(
        "s=$(date +%s%N); dd if={limited} of=/dev/null bs=4k count=300 iflag=direct status=none; \
         echo $((($(date +%s%N) - s) / 1000000))"
    );
    took(guest, &read, 1_250..2_200);
    let limits =
        json!({"path": "/objects/limit5", "property": "limits", "value": {"iops-total": 600}});
    guest.qmp("qom-set", &limits).unwrap();
    took(guest, &read, 350..900);
    assert!(guest.qmp("no-such-command", &json!({})).is_err());
}

/// A device that stalls: see README.md.
fn a_stall(guest: &mut Guest) {
    out(
        guest,
        "modprobe brd rd_nr=1 rd_size=16384; echo 0 32768 linear /dev/ram0 0 | dmsetup create slow",
    );
    let stall = "dmsetup suspend --noflush --nolockfs slow; (sleep 1; dmsetup resume slow) & s=$(date +%s%N)
        dd if=/dev/mapper/slow of=/dev/null bs=4k count=1 iflag=direct status=none
        echo $((($(date +%s%N) - s) / 1000000)); wait";
    let ms: u64 = out(guest, stall).parse().unwrap();
    assert!(
        ms >= 800,
        "a read of a device that was suspended for 1 s took {ms} ms"
    );
}

/// What is on its disks is there after a reboot.
fn a_reboot(guest: &mut Guest) {
    let nvme = guest.disk(1).unwrap();
    out(
        guest,
        &format!("echo kept > /root/note; echo on disk | dd of={nvme} conv=fsync status=none"),
    );
    let boot = out(guest, "cat /proc/sys/kernel/random/boot_id");
    guest.reboot().unwrap();
    assert_ne!(out(guest, "cat /proc/sys/kernel/random/boot_id"), boot);
    assert_eq!(
        out(guest, &format!("cat /root/note; head -c 7 {nvme}")),
        "kept\non disk"
    );
}
