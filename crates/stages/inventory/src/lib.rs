//! Stage 1: what is below a target. Reads /proc and /sys only, opens no device, writes nothing.
//!
//! [`collect`] walks from the target down. Each layer is built by the collectors that know its kind; a collector adds
//! facts and settings to the layer and names what lies below. A file that is missing is no data, never a failure.
//! When the path is whole, claimants say who wants which setting to have which value, and [`defaults`] what the kernel
//! would give it.

mod capture;
mod ceph_client;
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
pub use ceph_client::{CephClient, CephWanted};
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
    /// Whether the Ceph cluster behind a device or a mount is asked, which takes some seconds.
    asks_clusters: bool,
}

/// A layer being built.
pub struct Draft {
    /// The layer so far.
    pub layer: Layer,
    /// Directory in /sys of a block device; path whose file system this is otherwise.
    pub subject: String,
    /// What the collectors found to lie below.
    pub below: Vec<Below>,
    /// How a Ceph cluster is asked, and about what: of such a layer only.
    pub ceph: Option<CephClient>,
}

/// Something below a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Below {
    /// The file system that holds this path.
    Path(String),
    /// The block device of this kernel name.
    Device(String),
    /// What lies in a Ceph cluster.
    Ceph(CephClient),
}

/// The I/O path below a directory, a file, a block device (`/dev/vda` or `vda`), a Ceph pool (`rados://POOL`) or an image
/// (`rbd://POOL/IMAGE`).
///
/// Behind a device or a mount of this machine a cluster is left out, since asking it takes some seconds: see
/// [`collect_with_cluster`].
pub fn collect(host: &Host, target: &str) -> Result<IoPath, InventoryError> {
    walk(target, Survey::new(host))
}

/// The same, with the Ceph cluster behind an rbd device or a mounted CephFS.
pub fn collect_with_cluster(host: &Host, target: &str) -> Result<IoPath, InventoryError> {
    let mut survey = Survey::new(host);
    survey.asks_clusters = true;
    walk(target, survey)
}

fn walk(target: &str, mut survey: Survey<'_>) -> Result<IoPath, InventoryError> {
    let host = survey.host;
    let found = target::find(host, target)?;
    survey.asks_clusters |= matches!(found.below, Below::Ceph(_));
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
    ceph_client::check(&found.below, &root)?;
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
            // A captured machine has the answers at hand.
            asks_clusters: !host.is_live(),
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
        let mut draft = Draft::of(layer, String::new());
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
        let mut ceph = None;
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
            Below::Ceph(_) if !self.asks_clusters => return None,
            Below::Ceph(client) => {
                ceph = Some(client.clone());
                let mut layer = Layer::new(LayerKind::Cluster, "ceph");
                layer.title = "Ceph cluster".into();
                (layer, String::new())
            }
        };
        Some(Draft {
            ceph,
            ..Draft::of(layer, subject)
        })
    }
}

impl Draft {
    /// A layer of which nothing is known yet.
    fn of(layer: Layer, subject: String) -> Draft {
        Draft {
            layer,
            subject,
            below: Vec::new(),
            ceph: None,
        }
    }

    /// A part of a Ceph cluster, which has no place on this machine.
    fn of_cluster(kind: LayerKind, name: &str) -> Draft {
        Draft::of(Layer::new(kind, name), String::new())
    }

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
