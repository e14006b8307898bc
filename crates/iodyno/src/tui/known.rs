//! What is known of each device beside its counters: its model, and whether its utilisation means anything.

use host::Host;
use std::collections::HashMap;

/// Devices by kernel name, looked at once each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    devices: HashMap<String, KnownDevice>,
}

/// One device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownDevice {
    /// `INTEL SSDSC2KB48`, `raid1 2 disks`, `LVM mysql-data`; empty where the kernel does not say.
    pub model: String,
    /// Why the share of time with anything in flight does not say how busy it is; none where it does.
    pub parallel: Option<String>,
    /// It is a part of another device, whose counters include its own.
    pub is_partition: bool,
}

impl Known {
    /// Looks at devices that are not known yet.
    pub fn learn<'a>(&mut self, host: &Host, names: impl Iterator<Item = &'a str>) {
        for name in names {
            if !self.devices.contains_key(name) {
                self.devices.insert(name.to_string(), look(host, name));
            }
        }
    }

    /// What is known of a device.
    pub fn get(&self, name: &str) -> Option<&KnownDevice> {
        self.devices.get(name)
    }
}

fn look(host: &Host, name: &str) -> KnownDevice {
    let directory = format!("/sys/class/block/{name}");
    let text = |file: &str| {
        let text = host
            .text(&format!("{directory}/{file}"))
            .unwrap_or_default();
        text.trim().to_string()
    };
    let is_partition = host.exists(&format!("{directory}/partition"));
    // A partition has no queue of its own; its directory is inside its disk's.
    let queue = if is_partition {
        format!("{directory}/..")
    } else {
        directory.clone()
    };
    KnownDevice {
        model: model(&text),
        parallel: parallel(host, name, &queue),
        is_partition,
    }
}

/// The first that says anything: an array's level, a mapped device's name, a loop's file, a disk's model.
fn model(text: &impl Fn(&str) -> String) -> String {
    let of = |file: &str| Some(text(file)).filter(|text| !text.is_empty());
    let array = || {
        Some(format!(
            "{} {} disks",
            of("md/level")?,
            of("md/raid_disks")?
        ))
    };
    let backing = || of("loop/backing_file").map(|path| format!("file {path}"));
    let zram = || of("comp_algorithm").map(|_| "compressed memory".to_string());
    let found = array()
        .or_else(|| of("dm/name"))
        .or_else(backing)
        .or_else(zram);
    found.or_else(|| of("device/model")).unwrap_or_default()
}

/// Why utilisation says nothing of this device. What is left is a single spinning disk.
fn parallel(host: &Host, name: &str, directory: &str) -> Option<String> {
    let queues = host.list(&format!("{directory}/mq")).len();
    let is = |prefix: &str| name.starts_with(prefix);
    let why = if is("dm-") || is("md") || is("loop") || is("zram") || is("nbd") {
        "it is stacked on others, which work at the same time"
    } else if queues > 1 {
        return Some(format!(
            "{name} has {queues} hardware queues, which work at the same time"
        ));
    } else if is("nvme") {
        "it is an NVMe device, which serves many requests at the same time"
    } else if is("vd") || is("xvd") {
        "it is virtual, and nobody knows how many disks are behind it"
    } else if host.number(&format!("{directory}/queue/rotational")) == Some(0) {
        "it does not spin: flash serves many requests at the same time"
    } else {
        return None;
    };
    Some(format!("{name}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        let mut archive = host::Archive::parse("iodyno-host 1\n").unwrap();
        let mut add = |path: &str, text: &str| {
            archive.insert(path, model::change::Attribute::Value(text.into()));
        };
        add("/sys/class/block/sda/queue/rotational", "1\n");
        add("/sys/class/block/sda/device/model", "ST4000NM0035    \n");
        add("/sys/class/block/sda/mq/0/cpu_list", "0, 1\n");
        add("/sys/class/block/sda1/partition", "1\n");
        add("/sys/class/block/sdb/queue/rotational", "0\n");
        add("/sys/class/block/vdb/mq/0/cpu_list", "0\n");
        add("/sys/class/block/vdb/mq/1/cpu_list", "1\n");
        add("/sys/class/block/md0/md/level", "raid1\n");
        add("/sys/class/block/md0/md/raid_disks", "2\n");
        Host::from_archive(archive)
    }

    #[test]
    fn utilisation_is_for_single_spinning_disks() {
        let mut known = Known::default();
        known.learn(&host(), ["sda", "sda1", "sdb", "vdb", "md0"].into_iter());
        let parallel = |name: &str| known.get(name).unwrap().parallel.clone();
        assert_eq!(parallel("sda"), None);
        assert!(parallel("sdb").unwrap().contains("flash"));
        assert!(parallel("vdb").unwrap().contains("2 hardware queues"));
        assert!(parallel("md0").unwrap().contains("stacked"));
        assert!(known.get("sda1").unwrap().is_partition && !known.get("sda").unwrap().is_partition);
        assert_eq!(known.get("sda").unwrap().model, "ST4000NM0035");
        assert_eq!(known.get("md0").unwrap().model, "raid1 2 disks");
        assert!(known.get("sdz").is_none());
    }
}
