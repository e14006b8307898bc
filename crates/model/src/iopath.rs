//! The I/O path below a target: file → file system → partition or loop → disk → hardware queues → interrupts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerKind {
    /// The directory, file or device the user named.
    Target,
    /// A mounted file system.
    FileSystem,
    /// A partition of a disk.
    Partition,
    /// A loop device; its backing file's own path hangs below it.
    Loop,
    /// A compressed RAM disk.
    Zram,
    /// Any other stacked block device (dm, md, bcache), named with its members.
    Stacked,
    /// A whole disk.
    Disk,
    /// Storage with no block device on this host: tmpfs, a network or FUSE file system.
    Unbacked,
}

/// One readable setting of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Attribute name, such as `read_ahead_kb`.
    pub name: String,
    /// Absolute path it was read from.
    pub path: String,
    /// Its value, absence or refusal.
    pub value: crate::change::Attribute,
    /// Whether the file's mode allows writing.
    pub writable: bool,
}

/// One interrupt line of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interrupt {
    /// IRQ number.
    pub irq: u32,
    /// The action's name, such as `nvme0q1`.
    pub name: String,
    /// CPUs it may be delivered to, as a list (`0-3`).
    pub allowed_cpus: Option<String>,
    /// CPUs it is delivered to now.
    pub effective_cpus: Option<String>,
    /// Deliveries since boot by CPU, in the order of /proc/interrupts.
    pub counts: Vec<u64>,
}

/// One hardware queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HardwareQueue {
    /// Index below `mq/`.
    pub index: u32,
    /// CPUs that submit to it, as a list.
    pub cpu_list: String,
    /// Tags, where the kernel says.
    pub nr_tags: Option<u64>,
}

/// One layer of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// What it is.
    pub kind: LayerKind,
    /// Kernel name (`vda`, `loop0`) or path.
    pub name: String,
    /// `major:minor` of a block device.
    pub devno: Option<String>,
    /// One line for people.
    pub title: String,
    /// Facts by name: `fstype`, `options`, `size_bytes`, `model`, …
    pub facts: BTreeMap<String, String>,
    /// Settings that can be read.
    pub settings: Vec<Setting>,
    /// Hardware queues of a disk.
    pub queues: Vec<HardwareQueue>,
    /// Interrupts of a disk's device.
    pub interrupts: Vec<Interrupt>,
    /// Layers below; more than one where the device has several members.
    pub below: Vec<Layer>,
}

impl Layer {
    /// A layer with nothing known yet but what it is.
    pub fn new(kind: LayerKind, name: impl Into<String>) -> Self {
        Layer {
            kind,
            name: name.into(),
            devno: None,
            title: String::new(),
            facts: BTreeMap::new(),
            settings: Vec::new(),
            queues: Vec::new(),
            interrupts: Vec::new(),
            below: Vec::new(),
        }
    }

    /// This layer and all below it, from the top down.
    pub fn walk(&self) -> Vec<&Layer> {
        let mut layers = vec![self];
        for layer in &self.below {
            layers.extend(layer.walk());
        }
        layers
    }

    /// The setting of this name on this layer.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

/// The path below a target, with what could not be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoPath {
    /// `iodyno.path/1`.
    pub schema: String,
    /// What the user named, made absolute.
    pub target: String,
    /// The layers.
    pub root: Layer,
    /// What could not be read, and why.
    pub notes: Vec<String>,
}

impl IoPath {
    /// The first layer from the top that has an I/O queue of its own: the device a tune of this target acts on.
    pub fn queue_device(&self) -> Option<&Layer> {
        self.root.walk().into_iter().find(|layer| {
            matches!(layer.kind, LayerKind::Loop | LayerKind::Zram | LayerKind::Disk | LayerKind::Stacked)
        })
    }
}
