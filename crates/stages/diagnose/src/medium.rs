//! What kind of thing answers at the bottom of a path, and what no such thing can do.

use model::iopath::{IoPath, Layer, LayerKind};

/// A range or a hot part below this may be served from the cache of a disk or a controller, bytes. A proposal of this
/// project: disks have 64 MiB to some GiB, controllers and arrays have more.
pub const DEVICE_CACHE_BYTES: u64 = 256 << 20;

/// What answers below a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Memory of this machine.
    Memory,
    /// Turning platters, attached directly or behind a controller.
    Rotational,
    /// Flash behind SATA, SAS or USB.
    Flash,
    /// Flash on PCI Express.
    Nvme,
    /// A disk on another machine: iSCSI, NBD, Fibre Channel, NVMe over fabrics, a network file system.
    Network,
    /// A disk that a hypervisor shows; what lies behind it cannot be seen, and its `rotational` is often wrong.
    Virtual,
}

impl Medium {
    /// Of the lowest layer of a path; none where it cannot be told.
    pub fn of(path: &IoPath) -> Option<Medium> {
        if path.is_in_memory() {
            return Some(Medium::Memory);
        }
        let layers = path.root.walk();
        if let Some(disk) = layers.iter().find(|layer| layer.kind == LayerKind::Disk) {
            return of_disk(disk);
        }
        if layers.iter().any(|layer| layer.kind == LayerKind::Cluster) {
            return Some(Medium::Network);
        }
        let unbacked = layers
            .iter()
            .find(|layer| layer.kind == LayerKind::Unbacked)?;
        match unbacked.facts.get("fstype")?.as_str() {
            "9p" | "virtiofs" | "vboxsf" => Some(Medium::Virtual),
            kind if is_network_file_system(kind) => Some(Medium::Network),
            _ => None,
        }
    }

    /// Of one disk; none where it cannot be told.
    pub fn of_layer(disk: &Layer) -> Option<Medium> {
        of_disk(disk)
    }

    /// For people.
    pub fn phrase(self) -> &'static str {
        match self {
            Medium::Memory => "memory",
            Medium::Rotational => "a rotating disk",
            Medium::Flash => "a SATA, SAS or USB flash disk",
            Medium::Nvme => "an NVMe flash disk",
            Medium::Network => "a disk on the network",
            Medium::Virtual => "a virtual disk",
        }
    }

    /// No random read that reaches the medium is faster than this, ns. Thresholds of this project: half a turn of a
    /// 15,000 rpm disk is 2 ms, a SATA flash read takes 50 µs and more, a network round trip with a read 100 µs and more.
    pub fn read_floor_ns(self) -> Option<u64> {
        match self {
            Medium::Rotational => Some(1_000_000),
            Medium::Flash => Some(40_000),
            Medium::Network => Some(100_000),
            Medium::Memory | Medium::Nvme | Medium::Virtual => None,
        }
    }

    /// No such thing moves more bytes per second than this: one disk's platters, a 12 Gb/s SAS link, the largest cloud
    /// disks of today, four lanes of PCIe 5.0. Several disks together do.
    pub fn rate_ceiling(self) -> Option<f64> {
        match self {
            Medium::Rotational => Some(350e6),
            Medium::Flash => Some(1.2e9),
            Medium::Network | Medium::Virtual => Some(4e9),
            Medium::Nvme => Some(15e9),
            Medium::Memory => None,
        }
    }

    /// Whether it has erase blocks and spare ones, so that writes are fast at first and slower later.
    pub fn is_flash(self) -> bool {
        matches!(self, Medium::Flash | Medium::Nvme)
    }
}

/// Whether a file system keeps its data on other machines.
pub fn is_network_file_system(kind: &str) -> bool {
    matches!(
        kind,
        "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "glusterfs" | "lustre" | "afs" | "beegfs"
    )
}

fn of_disk(disk: &Layer) -> Option<Medium> {
    let fact = |name: &str| disk.facts.get(name).map(String::as_str);
    let model = fact("model").unwrap_or_default();
    match fact("transport").unwrap_or_default() {
        "memory" | "persistent memory" | "null" => Some(Medium::Memory),
        _ if model.contains("Elastic Block Store") => Some(Medium::Network),
        "iscsi" | "fibre channel" | "network" => Some(Medium::Network),
        "virtio" | "virtio-scsi" | "xen" => Some(Medium::Virtual),
        "nvme (pcie)" | "nvme" => Some(Medium::Nvme),
        transport if transport.starts_with("nvme") => Some(Medium::Network),
        _ => match fact("rotational") {
            Some("1") => Some(Medium::Rotational),
            Some("0") => Some(Medium::Flash),
            _ => None,
        },
    }
}
