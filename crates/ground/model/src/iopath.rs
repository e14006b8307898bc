//! The I/O path below a target: file → file system → partition or loop → disk → hardware queues → interrupts.

use crate::text::{as_target, shell_line};
use kernel::choice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// A Ceph cluster behind the target, with the pools that the target lies in below it.
    Cluster,
    /// A pool of a Ceph cluster.
    Pool,
    /// An OSD of a Ceph cluster: a disk of some host that answers for a part of a pool.
    Osd,
    /// No layer of the path but the machine around it: what acts on all of its I/O.
    Machine,
}

impl LayerKind {
    /// Whether it is a block device of this machine.
    pub fn is_block(self) -> bool {
        use LayerKind::{Disk, Loop, Partition, Stacked, Zram};
        matches!(self, Partition | Loop | Zram | Stacked | Disk)
    }
}

/// One readable setting of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// Attribute name, such as `read_ahead_kb`.
    pub name: String,
    /// Absolute path it was read from.
    pub path: String,
    /// Its value, absence or refusal.
    pub value: crate::change::Attribute,
    /// Whether the file's mode allows writing.
    pub writable: bool,
    /// What the kernel would have without anybody's doing, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<KernelDefault>,
    /// Who wants to set it, in the order in which they act; the last that agrees with the value owns it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<Owner>,
}

impl Setting {
    /// A setting that nobody is known to set.
    pub fn new(
        name: impl Into<String>,
        path: impl Into<String>,
        value: crate::change::Attribute,
        writable: bool,
    ) -> Self {
        Setting {
            name: name.into(),
            path: path.into(),
            value,
            writable,
            default: None,
            owners: Vec::new(),
        }
    }

    /// What is chosen: the word in brackets of a list (`none [mq-deadline]`), else the whole text.
    pub fn chosen(&self) -> Option<&str> {
        self.value.value().map(choice::value)
    }

    /// The number that it is, where it is one.
    pub fn number(&self) -> Option<f64> {
        self.chosen()?.parse().ok()
    }
}

/// What the kernel gives a setting that nobody touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelDefault {
    /// The value, as the file would show it (of a list, the chosen word).
    pub value: String,
    /// Why this and not another: `rotational, kernel 6.17 and later`. Empty where there is only one.
    pub because: String,
}

/// Somebody who sets a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Owner {
    /// What kind: the id of a claimant, such as `udev_rule`, `tuned`, `sysctl_file`, `kernel_command_line`.
    pub kind: String,
    /// Where it says so: `/etc/udev/rules.d/60-ra.rules:3`, `profile throughput-performance`.
    pub place: String,
    /// The value it sets; none where it only may set it (irqbalance and interrupts).
    pub wants: Option<String>,
    /// When it acts: `at boot and when the device appears`, `every 10 s`.
    pub acts: String,
}

/// One interrupt line of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Who sets what is a fact and no setting, by the fact's name: `options` of a mount, `io_limits` of the machine,
    /// `interrupts` of a disk.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub owners: BTreeMap<String, Vec<Owner>>,
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
            owners: BTreeMap::new(),
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

    /// A fact by name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    /// A fact that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.fact(name)?.parse().ok()
    }

    /// The setting of this name on this layer.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

/// The machine's fact that tells for which container a target was looked at, as the user named it.
pub const FOR_CONTAINER: &str = "for_container";

/// The machine's fact that tells how the container names the target.
pub const NAMED_IN_CONTAINER: &str = "named_in_container";

/// The path below a target, with what could not be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoPath {
    /// `iodyno.path/1`.
    pub schema: String,
    /// What the user named, made absolute.
    pub target: String,
    /// The layers.
    pub root: Layer,
    /// The machine around them: kernel, memory, CPUs, limits, settings of `vm` and `fs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Layer>,
    /// Lines of the kernel's log that are about the devices of the path or their drivers, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogLine>,
    /// What could not be read, and why.
    pub notes: Vec<String>,
}

/// A line of the kernel's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogLine {
    /// When, s after boot.
    pub uptime_s: f64,
    /// The text, without its time.
    pub text: String,
}

impl IoPath {
    /// A path with nothing around it.
    pub fn new(target: impl Into<String>, root: Layer) -> Self {
        IoPath {
            schema: "iodyno.path/1".into(),
            target: target.into(),
            root,
            machine: None,
            log: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The target as words of a command, with the container that it was looked at for.
    pub fn as_words(&self) -> Vec<String> {
        let fact = |name| self.machine_fact(name);
        match (fact(FOR_CONTAINER), fact(NAMED_IN_CONTAINER)) {
            (Some(container), Some(inside)) => {
                vec![as_target(inside), "--container".into(), container.into()]
            }
            _ => vec![as_target(&self.target)],
        }
    }

    /// The same as a part of a line that a person pastes.
    pub fn as_argument(&self) -> String {
        shell_line(self.as_words())
    }

    /// The layers of a kind, from the top down.
    pub fn of_kind(&self, kind: LayerKind) -> impl Iterator<Item = &Layer> {
        self.root
            .walk()
            .into_iter()
            .filter(move |layer| layer.kind == kind)
    }

    /// The disks at the bottom: more than one below an array or a striped volume.
    pub fn disks(&self) -> Vec<&Layer> {
        self.of_kind(LayerKind::Disk).collect()
    }

    /// A fact about the machine.
    pub fn machine_fact(&self, name: &str) -> Option<&str> {
        self.machine.as_ref()?.facts.get(name).map(String::as_str)
    }

    /// A setting of the machine, such as `vm.dirty_ratio`.
    pub fn machine_setting(&self, name: &str) -> Option<&Setting> {
        self.machine.as_ref()?.setting(name)
    }

    /// Whether what answers at the bottom is the machine's own memory: zram, or a file of a file system in memory.
    pub fn is_in_memory(&self) -> bool {
        let layers = self.root.walk();
        let has = |kind| layers.iter().any(|layer| layer.kind == kind);
        let is_in_memory = |layer: &&Layer| {
            let fstype = layer.facts.get("fstype").map(String::as_str);
            layer.kind == LayerKind::Unbacked
                && matches!(fstype, Some("tmpfs" | "ramfs" | "devtmpfs"))
        };
        has(LayerKind::Zram) || !has(LayerKind::Disk) && layers.iter().any(is_in_memory)
    }

    /// The first layer from the top that has an I/O queue of its own: the device a tune of this target acts on.
    pub fn queue_device(&self) -> Option<&Layer> {
        self.root.walk().into_iter().find(|layer| {
            matches!(
                layer.kind,
                LayerKind::Loop | LayerKind::Zram | LayerKind::Disk | LayerKind::Stacked
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_word_of_a_command_and_a_containers_is_named_as_the_container_names_it() {
        let mut path = IoPath::new("/my data", Layer::new(LayerKind::Target, "/my data"));
        assert_eq!(path.as_argument(), "'/my data'");
        let mut machine = Layer::new(LayerKind::Machine, "machine");
        machine.facts.insert(FOR_CONTAINER.into(), "web".into());
        machine
            .facts
            .insert(NAMED_IN_CONTAINER.into(), "/srv".into());
        path.machine = Some(machine);
        assert_eq!(path.as_argument(), "/srv --container web");
    }
}
