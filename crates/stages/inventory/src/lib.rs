//! Stage 1: what is below a target. Reads /proc and /sys only, opens no device, writes nothing.
//!
//! [`collect`] walks from the target down. Each layer is built by the collectors that know its kind; a collector adds
//! facts and settings to the layer and names what lies below. A file that is missing is no data, never a failure.
//! When the path is whole, claimants say who wants which setting to have which value, and [`defaults`] what the kernel
//! would give it.

mod capture;
pub mod cgroups;
pub mod claimants;
mod claims;
pub mod collectors;
mod config_files;
mod defaults;
mod device;
mod error;
mod glob;
mod kernel_log;
mod link;
mod mask;
mod owners;
mod secrets;
mod services;
mod target;
mod udev;

pub use capture::{Masking, capture, conceal};
pub use claims::{Claim, Claimant, ClaimedDevice, On, Phase, Scene};
pub use error::InventoryError;

use host::Host;
use kernel::mounts::Mounts;
use model::change::Attribute;
use model::iopath::{Interrupt, IoPath, Layer, LayerKind, Setting};

/// Stacks deeper than this are cut: a loop device can be mounted below its own backing file's directory.
const DEPTH_MAX: usize = 16;

/// Reads one aspect of the layers of some kinds.
pub struct Collector {
    /// Name of its file.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// Kinds of layers it knows something about.
    pub kinds: &'static [LayerKind],
    /// Files it reads; `{}` stands for the device.
    pub reads: &'static [&'static str],
    /// Adds what it finds to the draft.
    pub collect: fn(&mut Survey<'_>, &mut Draft),
}

/// What is being walked: the machine, what was read of it once, and what could not be seen.
pub struct Survey<'a> {
    /// The machine.
    pub host: &'a Host,
    /// What is mounted where.
    pub mounts: Mounts,
    /// What could not be seen, and why.
    pub notes: Vec<String>,
    interrupts: Option<Vec<Interrupt>>,
}

/// A layer being built.
pub struct Draft {
    /// The layer so far.
    pub layer: Layer,
    /// Directory in /sys of a block device; path whose file system this is otherwise.
    pub subject: String,
    /// What the collectors found to lie below.
    pub below: Vec<Below>,
}

/// Something below a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Below {
    /// The file system that holds this path.
    Path(String),
    /// The block device of this kernel name.
    Device(String),
}

/// The I/O path below a directory, a file or a block device (`/dev/vda` or `vda`).
pub fn collect(host: &Host, target: &str) -> Result<IoPath, InventoryError> {
    let found = target::find(host, target)?;
    let mut survey = Survey::new(host);
    if matches!(found.below, Below::Path(_)) && survey.mounts.is_empty() {
        return Err(InventoryError::NoMounts {
            target: target.to_string(),
        });
    }
    let mut root = Layer::new(LayerKind::Target, &found.path);
    root.title = found.title;
    if found.path != target {
        root.facts.insert("named".into(), target.into());
    }
    root.below.extend(survey.layer(&found.below, 0));
    survey.notes.extend(found.note);
    let machine = survey.machine();
    let mut path = IoPath {
        machine: Some(machine),
        ..IoPath::new(found.path, root)
    };
    owners::attach(host, &mut path);
    path.log = kernel_log::read(&mut survey, &path);
    path.notes = survey.notes;
    Ok(path)
}

impl<'a> Survey<'a> {
    fn new(host: &'a Host) -> Self {
        Survey {
            host,
            mounts: Mounts::parse(&host.text("/proc/self/mountinfo").unwrap_or_default()),
            notes: Vec::new(),
            interrupts: None,
        }
    }

    /// The numbered lines of /proc/interrupts, without their affinity. Read once: on a machine with many CPUs and
    /// disks the table is long and every disk asks for it.
    pub fn interrupts(&mut self) -> &[Interrupt] {
        let host = self.host;
        self.interrupts.get_or_insert_with(|| {
            collectors::interrupts::parse(&host.text("/proc/interrupts").unwrap_or_default())
        })
    }

    /// What is around the path.
    fn machine(&mut self) -> Layer {
        let layer = Layer::new(LayerKind::Machine, "machine");
        let mut draft = Draft {
            layer,
            subject: String::new(),
            below: Vec::new(),
        };
        self.run_collectors(&mut draft);
        draft.layer
    }

    fn run_collectors(&mut self, draft: &mut Draft) {
        for collector in collectors::ALL {
            if collector.kinds.contains(&draft.layer.kind) {
                (collector.collect)(self, draft);
            }
        }
    }

    fn layer(&mut self, below: &Below, depth: usize) -> Option<Layer> {
        if depth > DEPTH_MAX {
            self.notes.push(format!(
                "The stack is more than {DEPTH_MAX} layers deep; the rest is left out."
            ));
            return None;
        }
        let mut draft = self.draft(below)?;
        self.run_collectors(&mut draft);
        let Draft {
            mut layer, below, ..
        } = draft;
        layer.below.extend(
            below
                .iter()
                .filter_map(|below| self.layer(below, depth + 1)),
        );
        Some(layer)
    }

    fn draft(&mut self, below: &Below) -> Option<Draft> {
        let (layer, subject) = match below {
            Below::Path(path) => (Layer::new(LayerKind::FileSystem, path), path.clone()),
            Below::Device(name) => {
                let Some(directory) = device::directory(self.host, name) else {
                    self.notes.push(format!(
                        "{name} is named as a device, but /sys does not know it."
                    ));
                    return None;
                };
                let mut layer = Layer::new(device::kind(self.host, name, &directory), name);
                layer.devno = self.host.text(&format!("{directory}/dev"));
                (layer, directory)
            }
        };
        Some(Draft {
            layer,
            subject,
            below: Vec::new(),
        })
    }
}

impl Draft {
    /// Records a fact that has a value.
    pub fn fact(&mut self, name: &str, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.layer.facts.insert(name.into(), value.into());
        }
    }

    /// A fact recorded before.
    pub fn known(&self, name: &str) -> Option<&str> {
        self.layer.facts.get(name).map(String::as_str)
    }

    /// The path of a file of this device.
    pub fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.subject)
    }

    /// Records the trimmed text of a file of this device as a fact, where it is there and not empty.
    pub fn fact_from(&mut self, host: &Host, name: &str, file: &str) {
        let text = host
            .text(&self.path(file))
            .map(|text| text.trim().to_string());
        self.fact(name, text.filter(|text| !text.is_empty()));
    }

    /// Records the attribute at a path as a setting, unless there is none.
    pub fn setting_if_there(&mut self, host: &Host, name: &str, path: String) {
        let value = host.attribute(&path);
        if value != Attribute::Absent {
            let writable = host.is_writable(&path);
            self.layer
                .settings
                .push(Setting::new(name, path, value, writable));
        }
    }

    /// Records the attribute at a path as a setting, also when it cannot be read.
    pub fn setting(&mut self, host: &Host, name: &str, path: String) {
        let value = host.attribute(&path);
        let writable = host.is_writable(&path);
        self.layer
            .settings
            .push(Setting::new(name, path, value, writable));
    }
}

#[cfg(test)]
mod tests;
