//! A device, the devices that share bytes with it, and how each is known to the kernel.

use crate::LoadError;
use host::files::FileKind;
use host::{Host, Target};
use kernel::devno::Devno;
use model::text::shown;
use std::ops::Range;

/// The kernel's name of a device.
pub fn kernel_name(host: &Host, target: &Target) -> Result<String, LoadError> {
    let none = |why: &str| LoadError::NoTarget {
        target: shown(target.path()),
        why: why.into(),
    };
    let FileKind::BlockDevice { major, minor } = target.kind() else {
        return Err(none("it is no block device"));
    };
    host.block_name(&format!("{major}:{minor}"))
        .ok_or_else(|| none("/sys does not show it, so its users cannot be known"))
}

/// A device and all that shares bytes with it.
pub struct GatedDevice {
    /// The device, its partitions, the disk it is a partition of, and that disk's partitions that reach into it.
    pub overlapping: Vec<Overlap>,
}

/// A device that shares bytes with the one asked about.
pub struct Overlap {
    pub name: String,
    /// None where /sys does not show it.
    pub number: Option<Devno>,
    /// What it is to the one asked about: `it`, `its partition sdb1`.
    pub subject: String,
}

impl GatedDevice {
    pub fn new(host: &Host, name: &str) -> GatedDevice {
        let sys = format!("/sys/class/block/{name}");
        let mut overlapping = vec![Overlap::new(host, name, "it".into())];
        let partitions = partitions(host, &sys).into_iter();
        overlapping.extend(
            partitions.map(|part| Overlap::new(host, &part, format!("its partition {part}"))),
        );
        if let Some(disk) = disk_of(host, &sys) {
            overlapping.push(Overlap::new(
                host,
                &disk,
                format!("the disk {disk} that it is part of"),
            ));
            let own = sectors(host, &sys);
            let siblings = self::partitions(host, &format!("/sys/class/block/{disk}")).into_iter();
            let reaching = siblings.filter(|part| {
                part != name && overlap(&own, &sectors(host, &format!("/sys/class/block/{part}")))
            });
            overlapping.extend(reaching.map(|part| {
                let subject = format!("the partition {part} that reaches into it");
                Overlap::new(host, &part, subject)
            }));
        }
        GatedDevice { overlapping }
    }
}

impl Overlap {
    fn new(host: &Host, name: &str, subject: String) -> Overlap {
        let number = host
            .text(&format!("/sys/class/block/{name}/dev"))
            .and_then(|text| Devno::parse(&text));
        Overlap {
            name: name.into(),
            number,
            subject,
        }
    }

    /// Whether a path is this device: by its number, or, where the path is on another machine or gone, by its name.
    pub fn is_at(&self, host: &Host, path: &str) -> bool {
        // Any other path may be on a server that is gone, and asking it would wait for ever.
        if !path.starts_with("/dev/") && !path.starts_with("/proc/") {
            return false;
        }
        match host.kind(path) {
            Some(FileKind::BlockDevice { major, minor }) => {
                self.number == Some(Devno { major, minor })
            }
            _ => names_device(host, path, &self.name),
        }
    }
}

fn partitions(host: &Host, disk: &str) -> Vec<String> {
    let entries = host.list(disk).into_iter();
    entries
        .filter(|part| host.exists(&format!("{disk}/{part}/partition")))
        .collect()
}

fn disk_of(host: &Host, sys: &str) -> Option<String> {
    if !host.exists(&format!("{sys}/partition")) {
        return None;
    }
    Some(host.resolve(sys)?.rsplit('/').nth(1)?.to_string())
}

/// The sectors of a partition on its disk; none where /sys does not tell.
fn sectors(host: &Host, sys: &str) -> Range<u64> {
    let number = |file: &str| host.number(&format!("{sys}/{file}")).unwrap_or(0);
    let start = number("start");
    start..start + number("size")
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start.max(other.start) < one.end.min(other.end)
}

/// Whether a path in /dev is the device of a kernel name.
fn names_device(host: &Host, path: &str, name: &str) -> bool {
    let Some(last) = path.strip_prefix("/dev/") else {
        return false;
    };
    // The kernel writes `!` in names where /dev has a directory (cciss!c0d0).
    last.replace('/', "!") == name
        || host
            .resolve(path)
            .and_then(|real| Some(real.strip_prefix("/dev/")?.replace('/', "!")))
            .as_deref()
            == Some(name)
}
