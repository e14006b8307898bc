//! Claims: who says, in which file and line, that a setting is to have a value, and when he acts on it.

use super::{device, glob, udev};
use host::Host;
use model::iopath::{IoPath, Layer, LayerKind};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

/// Reads one kind of configuration for what it wants of the settings of a path.
pub struct Claimant {
    /// Name of its file, which is the `kind` of the owners it names.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// Files it reads.
    pub reads: &'static [&'static str],
    /// What it claims of this path.
    pub claims: fn(&Scene<'_>) -> Vec<Claim>,
}

/// One claim on one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// On what.
    pub on: On,
    /// When in the life of a machine it acts, against the others.
    pub phase: Phase,
    /// Order inside a phase.
    pub sequence: usize,
    /// Where it says so: a file and its line.
    pub place: String,
    /// The value; none where that is decided while it acts.
    pub wants: Option<String>,
    /// When it acts, for people; begins with `maybe` where a condition cannot be decided from outside.
    pub acts: String,
}

/// What a claim is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// The setting at this path, which may have shell wildcards.
    Path(String),
    /// Every setting of this name.
    Named(String),
    /// A fact of the layer of this name that is set by somebody.
    Fact {
        /// The layer's name.
        layer: String,
        /// The fact's name.
        name: &'static str,
    },
}

/// The order in which claims act; a later one has the last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The kernel reads its command line.
    CommandLine,
    /// A module is loaded.
    Module,
    /// A device appears.
    Device,
    /// File systems are mounted.
    Mount,
    /// Settings of the system are written at boot.
    System,
    /// Daemons and services start.
    Service,
    /// Settings of the system are written once more, after a daemon has written its own.
    Again,
    /// Something that acts again and again.
    Cycle,
}

/// What claimants look at: the machine and the path that was found.
pub struct Scene<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The path, before anybody is named as an owner.
    pub path: &'a IoPath,
    /// The block devices of the path, each once.
    pub devices: Vec<ClaimedDevice>,
    texts: RefCell<BTreeMap<String, Option<String>>>,
    pub(super) rules: OnceCell<udev::Rules>,
}

/// A block device of the path.
#[derive(Clone, Debug)]
pub struct ClaimedDevice {
    /// Kernel name.
    pub name: String,
    /// `major:minor`.
    pub devno: String,
    /// Its directory in /sys, links resolved.
    pub directory: String,
    /// What its `device` link leads to.
    pub parent: Option<String>,
    /// What it is.
    pub kind: LayerKind,
}

impl<'a> Scene<'a> {
    pub(super) fn new(host: &'a Host, path: &'a IoPath) -> Self {
        let mut devices: Vec<ClaimedDevice> = Vec::new();
        for layer in path.root.walk().into_iter().filter(|layer| is_block(layer)) {
            let Some(directory) = device::directory(host, &layer.name) else {
                continue;
            };
            if devices.iter().all(|known| known.name != layer.name) {
                devices.push(ClaimedDevice {
                    name: layer.name.clone(),
                    devno: layer.devno.clone().unwrap_or_default(),
                    parent: host.resolve(&format!("{directory}/device")),
                    directory,
                    kind: layer.kind,
                });
            }
        }
        Scene {
            host,
            path,
            devices,
            texts: RefCell::default(),
            rules: OnceCell::new(),
        }
    }

    /// The text of a file that many rules ask for; read once.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let text = self.host.text(path);
        self.texts
            .borrow_mut()
            .insert(path.to_string(), text.clone());
        text
    }

    /// A fact about the machine.
    pub(super) fn machine_fact(&self, name: &str) -> Option<&str> {
        self.path.machine_fact(name)
    }

    /// The settings that a path below /sys or /proc means, in the form in which settings carry their paths: names of
    /// block devices are looked up, wildcards in them matched.
    pub(super) fn settings_at(&self, path: &str) -> Vec<On> {
        let below = ["/sys/block/", "/sys/class/block/"]
            .iter()
            .find_map(|root| path.strip_prefix(root));
        let Some((pattern, file)) = below.and_then(|below| below.split_once('/')) else {
            return vec![On::Path(self.canonical(path))];
        };
        let named = self
            .devices
            .iter()
            .filter(|device| glob::matches(pattern, &device.name));
        named
            .map(|device| On::Path(self.canonical(&format!("{}/{file}", device.directory))))
            .collect()
    }

    /// One spelling for the several ways to a file: through the link `device`, through `bdi`, through /sys/class.
    pub(super) fn canonical(&self, path: &str) -> String {
        let is_through_link = path.contains("/device/") || path.contains("/bdi/");
        if is_through_link
            && let Some(found) = self.devices.iter().find_map(|device| device.file(path))
        {
            return found;
        }
        let is_class = path.starts_with("/sys/class/") && !is_pattern(path);
        is_class
            .then(|| self.host.resolve(path))
            .flatten()
            .unwrap_or_else(|| path.to_string())
    }
}

impl ClaimedDevice {
    /// The plain path of a file of this device that is reached through a link.
    fn file(&self, path: &str) -> Option<String> {
        if let Some(below) = path.strip_prefix("/sys/class/bdi/") {
            let file = below.strip_prefix(&self.devno)?.strip_prefix('/')?;
            return (file == "read_ahead_kb").then(|| format!("{}/queue/{file}", self.directory));
        }
        let rest = path.strip_prefix(&self.directory)?;
        match (rest.strip_prefix("/device/"), rest.strip_prefix("/bdi/")) {
            (Some(rest), _) => Some(format!("{}/{rest}", self.parent.as_ref()?)),
            (_, Some(rest)) => Some(format!("{}/queue/{rest}", self.directory)),
            _ => None,
        }
    }
}

/// Whether a path has shell wildcards.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

fn is_block(layer: &Layer) -> bool {
    use LayerKind::{Disk, Loop, Partition, Stacked, Zram};
    matches!(layer.kind, Disk | Loop | Partition | Stacked | Zram)
}

impl Claim {
    /// Whether it acts for sure.
    pub(super) fn is_certain(&self) -> bool {
        !self.acts.starts_with("maybe")
    }
}
