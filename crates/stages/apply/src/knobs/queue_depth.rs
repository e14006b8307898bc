//! # Commands a SCSI or SATA disk is given at a time
//!
//! ## What it does
//! Bounds how many commands the driver gives one disk before it waits for an answer. SATA (NCQ) knows at most 32, SAS and
//! RAID controllers some hundreds. With 1 a SATA disk does without NCQ.
//!
//! ## Who should change it
//! Who finds a disk at 1 that its driver would give more, and who shares one adapter or one array between many disks: a
//! lower bound keeps one disk from filling the line, and its requests wait where the scheduler can still sort them.
//!
//! ## Risk and how it is undone
//! A disk whose command queue was switched off because it fails with it (libata's quirks, `libata.force=noncq`) must keep
//! 1: the kernel log says so. The driver lowers the bound by itself when a disk answers that its queue is full.
//!
//! ## Kernel versions
//! All. Above the host adapter's `can_queue` the write fails with EINVAL; between the driver's own bound for one disk and
//! that the kernel lowers it without an error (129 becomes 128 with virtio-scsi, seen on Linux 6.1). `usb-storage` and
//! `uas` let nobody change it. `nr_requests` stays as it is.
//!
//! ## Example
//! ```text
//! iodyno tune /dev/sdb --iodepth 64 --knob queue_depth=1,8,32
//! ```
//!
//! ## Sources
//! - Linux `drivers/scsi/scsi_sysfs.c`, `sdev_store_queue_depth`; `drivers/ata/libata-sata.c`, `ata_change_queue_depth`

use crate::{Knob, SubjectFiles, current_first, loads, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "queue_depth",
    since: "0.1.0",
    summary: "how many commands a SCSI or SATA disk is given at a time",
    on: SubjectKind::Scsi,
    attribute: "queue_depth",
    class: Class::Fast,
    risk: Risk::NeedsCare,
    turn: Some(35),
    refusals: &[(libc::EACCES, OF_THE_DRIVER)],
    load: "--iodepth 64",
    pointless,
    choices,
    rejects,
    ..Knob::PLAIN
};

const OF_THE_DRIVER: &str = "this disk's driver lets nobody change it";

fn pointless(disk: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let now = disk.number(KNOB.attribute)?;
    let named = named.iter().filter_map(|value| value.parse().ok());
    let least = named.fold(now, u64::min);
    let in_flight = loads::in_flight(job);
    (in_flight <= least).then(|| {
        format!("the load keeps {in_flight} in flight and the disk takes {least}: none ever waits")
    })
}

/// More than now, up to the driver's own for one disk: less is for those who name it.
fn choices(disk: &SubjectFiles) -> Vec<String> {
    let Some(now) = disk.number(KNOB.attribute) else {
        return Vec::new();
    };
    let most = most(disk).min(for_one_disk(disk)).min(256);
    let more = [8, 32, most];
    let more = more
        .into_iter()
        .filter(|value| (now + 1..=most).contains(value));
    current_first(now.to_string(), more.map(|value| value.to_string()))
}

fn rejects(disk: &SubjectFiles, value: &str) -> Option<String> {
    values::outside(value, 1..=most(disk), "commands")
}

/// A setting of the disk's host adapter, whose number the disk's address begins with.
fn of_host(disk: &SubjectFiles, name: &str) -> Option<u64> {
    let link = disk.host().link(&disk.subject().directory())?;
    let (number, _) = link.rsplit('/').next()?.split_once(':')?;
    let number: u32 = number.parse().ok()?;
    disk.host()
        .number(&format!("/sys/class/scsi_host/host{number}/{name}"))
}

/// Commands that the host adapter takes for all its disks; the kernel refuses more.
fn most(disk: &SubjectFiles) -> u64 {
    of_host(disk, "can_queue")
        .filter(|most| *most > 0)
        .unwrap_or(u64::from(u16::MAX))
}

/// What the driver gives each disk; SATA has no such bound of the driver's, and its 32 are those of `can_queue`.
fn for_one_disk(disk: &SubjectFiles) -> u64 {
    of_host(disk, "cmd_per_lun")
        .filter(|each| *each > 1)
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Archive, Host};
    use model::change::Attribute;
    use model::subject::Subject;

    fn disk(now: &str, of_host: &[(&str, &str)]) -> SubjectFiles {
        let mut archive = Archive::default();
        archive.insert_link("/sys/block/sda/device", "/sys/devices/host3/3:0:0:0");
        let file = format!("/sys/devices/host3/3:0:0:0/{}", KNOB.attribute);
        archive.insert(&file, Attribute::Value(now.into()));
        let subject = Subject::Scsi {
            device: "sda".into(),
        };
        for (name, value) in of_host {
            let path = format!("/sys/class/scsi_host/host3/{name}");
            archive.insert(&path, Attribute::Value(value.to_string()));
        }
        SubjectFiles::of(&Host::from_archive(archive), subject).unwrap()
    }

    #[test]
    fn unasked_it_tries_more_up_to_what_the_driver_gives() {
        let of = |now, can_queue, each| {
            choices(&disk(
                now,
                &[("can_queue", can_queue), ("cmd_per_lun", each)],
            ))
        };
        assert_eq!(of("1", "32", "1"), ["1", "8", "32"], "SATA");
        assert_eq!(of("32", "32", "1"), ["32"]);
        assert_eq!(of("128", "256", "128"), ["128"], "virtio-scsi");
        assert_eq!(of("1", "9000", "254"), ["1", "8", "32", "254"]);
    }

    #[test]
    fn takes_what_the_host_adapter_can_queue() {
        let sata = disk("32", &[("can_queue", "32")]);
        assert_eq!(rejects(&sata, "1"), None);
        assert!(rejects(&sata, "33").unwrap().contains("1 to 32"));
        assert!(rejects(&sata, "0").is_some());
        assert_eq!(rejects(&disk("32", &[]), "33"), None, "the kernel says");
    }

    #[test]
    fn matters_where_more_is_in_flight_than_it_lets_through() {
        let job = |iodepth| Job {
            iodepth,
            ..Job::default()
        };
        let sata = disk("32", &[("can_queue", "32")]);
        let named = |value: &str| [value.to_string()];
        assert!(
            pointless(&sata, &job(32), &[])
                .unwrap()
                .contains("32 in flight")
        );
        assert_eq!(pointless(&sata, &job(64), &[]), None);
        assert_eq!(pointless(&sata, &job(32), &named("8")), None);
        assert!(pointless(&sata, &job(1), &named("1")).is_some());
    }
}
