//! Whose machine this is, and what its disks could be: by what firmware and disks say of themselves.

use super::data::{Data, DiskType};
use super::offer::{Offer, of_type};
use crate::Medium;
use model::iopath::{IoPath, Layer};

const GIB: f64 = (1u64 << 30) as f64;

/// A machine of a cloud, or not.
#[derive(Clone, Debug)]
pub struct CloudMachine<'a> {
    /// `aws`, `azure`, `gcp`, `alibaba`; none where nothing says so.
    pub provider: Option<String>,
    /// What said so.
    pub evidence: String,
    /// The instance type, where the firmware names it.
    pub instance: Option<String>,
    /// The disks of the path.
    pub disks: Vec<CloudDisk<'a>>,
}

/// A disk and what it could be.
#[derive(Clone, Debug)]
pub struct CloudDisk<'a> {
    /// Kernel name.
    pub name: String,
    /// Model, as it says; may be empty.
    pub model: String,
    /// GiB.
    pub size_gib: Option<f64>,
    /// Whether it may be a disk of the provider's at all: a local one is not.
    pub is_remote: bool,
    /// Every type that is sold in this size, with what it promises when nothing is provisioned.
    pub offers: Vec<Offer<'a>>,
}

/// Words in a disk's model that only one provider uses.
const MODELS: &[(&str, &str)] = &[
    ("Amazon Elastic Block Store", "aws"),
    ("Amazon EC2 NVMe Instance Storage", "aws"),
    ("MSFT NVMe Accelerator", "azure"),
    ("Microsoft NVMe Direct Disk", "azure"),
    ("PersistentDisk", "gcp"),
    ("nvme_card", "gcp"),
    ("EphemeralDisk", "gcp"),
    ("Alibaba Cloud Elastic Block Storage", "alibaba"),
];

/// Models of disks inside the host: fast, and gone with the machine.
const LOCAL: &[&str] = &[
    "Instance Storage",
    "Direct Disk",
    "EphemeralDisk",
    "nvme_card0",
    "nvme_card1",
    "nvme_card2",
    "nvme_card3",
];

/// What a path says.
pub fn machine_of<'a>(data: &'a Data, path: &IoPath) -> CloudMachine<'a> {
    let disks = path.disks();
    let model = |disk: &Layer| disk.fact("model").unwrap_or_default().to_string();
    let by_model = || {
        disks.iter().find_map(|disk| {
            let model = model(disk);
            let (_, provider) = MODELS.iter().find(|(word, _)| model.contains(word))?;
            Some((
                provider.to_string(),
                format!("the model of {} is {model}", disk.name),
            ))
        })
    };
    let by_firmware = path.machine_fact("provider").map(|provider| {
        (
            provider.to_string(),
            "the firmware of the machine says so".to_string(),
        )
    });
    let (provider, evidence) = match by_firmware.or_else(by_model) {
        Some((provider, evidence)) => (Some(provider), evidence),
        None => (
            None,
            "neither its firmware nor its disks name a provider".into(),
        ),
    };
    let instance = provider
        .as_ref()
        .and_then(|_| path.machine_fact("instance"))
        .map(Into::into);
    let disks = disks
        .into_iter()
        .map(|disk| cloud_disk(data, disk, provider.as_deref()))
        .collect();
    CloudMachine {
        provider,
        evidence,
        instance,
        disks,
    }
}

fn cloud_disk<'a>(data: &'a Data, disk: &Layer, provider: Option<&str>) -> CloudDisk<'a> {
    let model = disk.fact("model").unwrap_or_default().to_string();
    let size_gib = disk.number("size_bytes").map(|bytes| bytes / GIB);
    let is_local = LOCAL.iter().any(|word| model.contains(word));
    // A disk of a physical machine is not a provider's product, unless its model says so.
    let may_be_remote = matches!(
        Medium::of_layer(disk),
        Some(Medium::Virtual | Medium::Network)
    ) || MODELS.iter().any(|(word, _)| model.contains(word))
        || provider.is_some();
    let is_remote = may_be_remote && !is_local;
    let sold =
        |kind: &&DiskType| is_remote && provider.is_some_and(|provider| kind.provider == provider);
    let offer =
        |kind: &'a DiskType| of_type(kind, None, size_gib?.round().max(1.0), (None, None)).ok();
    let offers = data.types.iter().filter(sold).filter_map(offer).collect();
    CloudDisk {
        name: disk.name.clone(),
        model,
        size_gib,
        is_remote,
        offers,
    }
}
