//! Every use of a device or a file that /proc, /sys and the kernel's targets show, each a clause for people.

use super::device::{GatedDevice, Overlap};
use super::mounts;
use host::Host;
use host::files::{self, Identity};
use kernel::swaps;
use model::text::shown;
use std::collections::BTreeSet;
use std::path::Path;

/// Uses of a device and of what shares bytes with it. `depth` is how many layers above it are followed.
pub fn of(host: &Host, device: &GatedDevice, depth: u32) -> Vec<String> {
    let mut clauses = Vec::new();
    let mounts = mounts::all(host);
    for part in &device.overlapping {
        let subject = &part.subject;
        let mounted = mounts
            .iter()
            .filter(|mount| mounts::is_of(mount, host, part))
            .map(mounts::point);
        let points: BTreeSet<String> = mounted.collect();
        clauses.extend(points.first().map(|point| match points.len() {
            1 => format!("{subject} is mounted on {point}"),
            count => format!("{subject} is mounted on {point} and {} more", count - 1),
        }));
        let holders = host.list(&format!("/sys/class/block/{}/holders", part.name));
        clauses.extend(
            holders
                .iter()
                .map(|holder| held(host, subject, holder, depth)),
        );
        if holders.is_empty() && host.exists(&format!("/sys/class/block/{}/bcache", part.name)) {
            clauses.push(format!("{subject} is registered with bcache"));
        }
        if points.is_empty() && btrfs_has(host, &part.name) {
            clauses.push(format!("{subject} belongs to a mounted btrfs"));
        }
        let is_over = |backing: &Identity| {
            part.number
                .is_some_and(|number| number.to_string() == backing.special)
        };
        clauses.extend(of_path(
            host,
            subject,
            |path| part.is_at(host, path),
            is_over,
        ));
    }
    clauses
}

/// Uses of a file.
pub fn of_file(host: &Host, path: &Path, identity: &Identity) -> Vec<String> {
    let is_it = |other: &str| {
        let other = Path::new(other);
        other == path || files::identity(other).as_ref() == Some(identity)
    };
    let is_over =
        |backing: &Identity| backing.device == identity.device && backing.inode == identity.inode;
    of_path(host, "it", is_it, is_over)
}

/// The uses that devices and files can have alike. `is_it` knows what is asked about by a path, `is_over` by what a loop
/// device says it stands over.
fn of_path(
    host: &Host,
    subject: &str,
    is_it: impl Fn(&str) -> bool,
    is_over: impl Fn(&Identity) -> bool,
) -> Vec<String> {
    let mut clauses = Vec::new();
    if swaps(host).iter().any(|swap| is_it(swap)) {
        clauses.push(format!("{subject} is swap space in use"));
    }
    let loops = host.list("/sys/class/block").into_iter().filter(|above| {
        let Some(file) = host.text(&format!("/sys/class/block/{above}/loop/backing_file")) else {
            return false;
        };
        // The file's name is that of the mount namespace it was attached in, and says nothing after a rename.
        let backing = if host.is_live() {
            files::loop_backing(&Path::new("/dev").join(above))
        } else {
            None
        };
        backing.map_or_else(|| is_it(&file), |backing| is_over(&backing))
    });
    clauses.extend(loops.map(|above| format!("{above} is a loop device over {subject}")));
    let exports = exports(host).into_iter().filter(|(_, path)| is_it(path));
    clauses.extend(exports.map(|(exporter, _)| format!("{subject} is exported by {exporter}")));
    clauses
}

fn held(host: &Host, subject: &str, holder: &str, depth: u32) -> String {
    let above = if depth > 0 {
        of(host, &GatedDevice::new(host, holder), depth - 1)
    } else {
        Vec::new()
    };
    let Some(clause) = above.first() else {
        return format!("{holder} has {subject} as a member");
    };
    // The clause speaks of the holder as `it`, of its partitions as `its`; here the holder has a name.
    let clause = match clause.strip_prefix("it ") {
        Some(rest) => format!("{holder} {rest}"),
        None => clause
            .replace("its partition", "the partition")
            .replace(" has it ", &format!(" has {holder} ")),
    };
    format!("{holder} has {subject} as a member, and {clause}")
}

/// Where the device, or anything built on it, is mounted.
pub fn mount_points(host: &Host, device: &GatedDevice, depth: u32) -> Vec<String> {
    let mounts = mounts::all(host);
    let on = |part: &Overlap| {
        let here = mounts
            .iter()
            .filter(|mount| mounts::is_of(mount, host, part))
            .map(mounts::point);
        let holders = host.list(&format!("/sys/class/block/{}/holders", part.name));
        let above = holders
            .iter()
            .filter(|_| depth > 0)
            .flat_map(|holder| mount_points(host, &GatedDevice::new(host, holder), depth - 1));
        here.chain(above).collect::<Vec<String>>()
    };
    device.overlapping.iter().flat_map(on).collect()
}

fn swaps(host: &Host) -> Vec<String> {
    swaps::areas(&host.text("/proc/swaps").unwrap_or_default())
}

fn btrfs_has(host: &Host, name: &str) -> bool {
    let file_systems = host.list("/sys/fs/btrfs");
    file_systems
        .iter()
        .any(|uuid| host.exists(&format!("/sys/fs/btrfs/{uuid}/devices/{name}")))
}

/// What the kernel's own targets offer to other machines, which is open without a claim and without a process: who
/// exports, and the path of what.
fn exports(host: &Host) -> Vec<(String, String)> {
    let mut exports = Vec::new();
    let subsystems = "/sys/kernel/config/nvmet/subsystems";
    for subsystem in host.list(subsystems) {
        for namespace in host.list(&format!("{subsystems}/{subsystem}/namespaces")) {
            let dir = format!("{subsystems}/{subsystem}/namespaces/{namespace}");
            let Some(path) = host.text(&format!("{dir}/device_path")) else {
                continue;
            };
            if host.number(&format!("{dir}/enable")) == Some(1) {
                let exporter = format!("NVMe over Fabrics ({})", shown(Path::new(&subsystem)));
                exports.push((exporter, path.trim().to_string()));
            }
        }
    }
    let core = "/sys/kernel/config/target/core";
    for adapter in host.list(core) {
        for name in host.list(&format!("{core}/{adapter}")) {
            let info = host
                .text(&format!("{core}/{adapter}/{name}/info"))
                .unwrap_or_default();
            let exporter = format!("the SCSI target ({})", shown(Path::new(&name)));
            exports.extend(target_path(&info).map(|path| (exporter, path)));
        }
    }
    exports
}

/// The backing of a SCSI target's store, from its `info`: `TCM FILEIO ID: 0        File: /dev/sdb  Size: …`, or
/// `iBlock device: sdb  UDEV PATH: …`.
fn target_path(info: &str) -> Option<String> {
    let word = |after: &str| {
        info.split_once(after)?
            .1
            .split_whitespace()
            .next()
            .map(str::to_string)
    };
    word(" File: ").or_else(|| Some(format!("/dev/{}", word("iBlock device: ")?)))
}
