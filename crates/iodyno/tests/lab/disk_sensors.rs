//! The sensors of disks as a record has them: on a loop device here, and in a guest on disks that have a firmware.

use crate::live::disk_sensors::{ends, last, sensor};
use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Machine};
use serde_json::Value;

/// For a run in a guest; it takes a few seconds, and many times that on a host with much other work.
const LIMIT_S: u64 = 300;

#[test]
#[ignore = "lab"]
fn a_guest_s_disks_tell_what_their_own_tools_tell() {
    let machine = Machine::new()
        .disk(Disk::new(Bus::Nvme, 64))
        .disk(Disk::new(Bus::Sata, 64).rotational())
        .disk(Disk::new(Bus::Scsi, 64));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let setup = "modprobe brd rd_nr=2 rd_size=16384 && modprobe zram && modprobe loop &&
        echo 8M > /sys/block/zram0/disksize && dd if=/dev/zero of=/dev/zram0 bs=1M count=2 oflag=direct status=none &&
        mdadm --create /dev/md0 --run --quiet --level=1 --metadata=1.2 --raid-devices=2 /dev/ram0 missing &&
        dd if=/dev/zero of=/run/file bs=1M count=4 status=none && losetup /dev/loop0 /run/file";
    let done = guest.run(setup, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{done:?}");
    let disks: Vec<String> = (0..3).map(|number| guest.disk(number).unwrap()).collect();
    let mut records = disks.iter().map(|disk| {
        let run = format!(
            "/run/iodyno --json run {disk} --rw randread --bs 4k --runtime 1s --layers off"
        );
        let done = guest.run(&run, LIMIT_S).unwrap();
        assert_eq!(done.status, 0, "{disk}: {}", done.err);
        serde_json::from_str::<Value>(&done.out).unwrap()["record"].clone()
    });
    let [nvme, sata, scsi] = [(); 3].map(|()| records.next().unwrap());
    drop(records);
    let name = |place: usize| disks[place].trim_start_matches("/dev/").to_string();

    nvme_agrees(&nvme, &name(0), &mut guest);
    let attribute = |fact: &str| last(&sata, "health", &format!("health.{}.{fact}", name(1)));
    assert_eq!(
        attribute("reallocated_sectors"),
        Some(0.0),
        "{}",
        sensor(&sata, "health")
    );
    assert!(attribute("power_on_hours").is_some() && attribute("temperature_celsius").is_some());
    let refused = sensor(&scsi, "health")["no_data"]
        .as_str()
        .unwrap_or_default()
        .to_string();
    assert!(
        refused.contains("the disk refuses"),
        "QEMU's SCSI disk has no log pages: {refused}"
    );

    for (record, disk) in [(&nvme, name(0)), (&sata, name(1)), (&scsi, name(2))] {
        let (first, last) =
            ends(record, "interrupts", &format!("irq.device.{disk}.count")).unwrap();
        assert!(last > first, "{disk}: {first} to {last}");
        let (first, last) = ends(record, "diskstats", &format!("disk.{disk}.read_ios")).unwrap();
        assert!(last > first, "{disk}: {first} to {last}");
    }
    assert_eq!(last(&nvme, "md", "md.md0.degraded_disks"), Some(1.0));
    assert_eq!(
        last(&nvme, "zram", "zram.zram0.orig_bytes"),
        Some(2_097_152.0)
    );
    assert!(last(&nvme, "zram", "zram.zram0.same_pages").is_some_and(|pages| pages == 512.0));
    assert_eq!(last(&nvme, "loop_device", "loop.loop0.direct"), Some(0.0));
    assert!(last(&nvme, "bdi", &format!("bdi.{}.read_ahead_kib", name(0))).is_some());
}

/// The log as nvme-cli reads it, and the temperature as the kernel's driver does.
fn nvme_agrees(record: &Value, disk: &str, guest: &mut lab::Guest) {
    let done = guest
        .run(&format!("nvme smart-log /dev/{disk} -o json"), LIMIT_S)
        .unwrap();
    assert_eq!(done.status, 0, "{done:?}");
    let log: Value = serde_json::from_str(&done.out).unwrap();
    let told = |fact: &str| last(record, "health", &format!("health.{disk}.{fact}"));
    // Numbers of 128 bits are strings there.
    let theirs = |name: &str| {
        log[name]
            .as_f64()
            .or_else(|| log[name].as_str()?.parse().ok())
    };
    assert_eq!(
        told("available_spare_percent"),
        theirs("avail_spare"),
        "{log}"
    );
    assert_eq!(told("percentage_used"), theirs("percent_used"), "{log}");
    assert_eq!(
        told("temperature_celsius"),
        theirs("temperature").map(|kelvin| kelvin - 273.0)
    );
    assert_eq!(
        told("unsafe_shutdowns"),
        theirs("unsafe_shutdowns"),
        "{log}"
    );
    assert!(told("power_on_hours").is_some());
    let temperature = sensor(record, "temperature");
    println!("temperature: {temperature}");
    if temperature["no_data"].is_null() {
        let celsius = last(
            record,
            "temperature",
            "temperature.nvme0 Composite.millicelsius",
        )
        .unwrap();
        assert!(
            (celsius / 1000.0 - told("temperature_celsius").unwrap()).abs() < 1.5,
            "{celsius}"
        );
    }
}
