//! What is looked at: the devices that were named, those below the paths that were, or all.

use crate::exit::{Exit, Failure};
use host::Host;
use kernel::stat::Counters;
use model::iopath::{IoPath, Layer, LayerKind};
use std::collections::HashSet;

/// As many devices as can be traced at once.
const TRACED_MAX: usize = 16;
/// As many of the others as are named to people.
const TOLD_MAX: usize = 6;

/// The devices and the paths through them.
#[derive(Debug)]
pub struct Devices {
    /// Kernel names, in the order asked for; none for every device that does I/O.
    pub named: Vec<String>,
    /// Everything below them, with interrupts.
    pub path: IoPath,
    /// The part of it that is traced.
    pub traced: IoPath,
    /// Why not all of them are traced; empty where they are.
    pub note: String,
    serial: HashSet<String>,
}

impl Devices {
    /// Finds them.
    ///
    /// # Errors
    /// When something named is no storage, or is not there.
    pub fn find(host: &Host, asked: &[String]) -> Result<Devices, Failure> {
        let mut layers = Vec::new();
        for target in asked {
            let path = inventory::collect(host, target)
                .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
            if names(std::slice::from_ref(&path.root)).is_empty() {
                let claim =
                    format!("no block device is below {target}, so there is nothing to watch");
                return Err(Failure::new(Exit::Failed, claim)
                    .hint("Without a name every device is watched."));
            }
            layers.push(path.root);
        }
        let named = names(&layers);
        if asked.is_empty() {
            layers.extend(
                active(host)
                    .iter()
                    .filter_map(|name| Some(inventory::collect(host, name).ok()?.root)),
            );
        }
        let path = joined(layers);
        let (traced, note) = traced(&path);
        let layers = path.root.walk().into_iter();
        let serial = layers
            .filter(|layer| is_serial(host, layer))
            .map(|layer| layer.name.clone())
            .collect();
        Ok(Devices {
            named,
            serial,
            path,
            traced,
            note,
        })
    }

    /// Whether the device serves one request at a time, so that its busy time says how loaded it is.
    pub fn is_serial(&self, device: &str) -> bool {
        self.serial.contains(device)
    }
}

/// Every block device on some paths, from the top down.
fn names(layers: &[Layer]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for layer in layers
        .iter()
        .flat_map(Layer::walk)
        .filter(|layer| layer.kind.is_block())
    {
        if !names.contains(&layer.name) {
            names.push(layer.name.clone());
        }
    }
    names
}

/// Whole devices that have seen I/O, the busiest since boot first. One without a size, such as a loop device that was
/// detached, keeps its counters and can do no I/O.
fn active(host: &Host) -> Vec<String> {
    let requests = |name: &String| {
        let text = host.text(&format!("/sys/block/{name}/stat"));
        let counters = text.and_then(|text| Counters::parse(&text));
        counters.map_or(0, |counters| {
            counters.read_ios.saturating_add(counters.write_ios)
        })
    };
    let mut devices: Vec<(u64, String)> = host
        .list("/sys/block")
        .into_iter()
        .map(|name| (requests(&name), name))
        .collect();
    let is_empty = |name: &str| {
        host.text(&format!("/sys/block/{name}/size"))
            .is_some_and(|size| size.trim() == "0")
    };
    devices.retain(|(requests, name)| *requests > 0 && !is_empty(name));
    devices.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    devices.into_iter().map(|(_, name)| name).collect()
}

fn joined(below: Vec<Layer>) -> IoPath {
    let root = Layer {
        below,
        ..Layer::new(LayerKind::Target, "")
    };
    IoPath::new("", root)
}

/// As many targets as can be traced whole, in their order.
fn traced(path: &IoPath) -> (IoPath, String) {
    let (mut chosen, mut left) = (Vec::new(), Vec::new());
    for layer in &path.root.below {
        let mut with: Vec<Layer> = chosen.clone();
        with.push(layer.clone());
        if names(&with).len() <= TRACED_MAX {
            chosen = with
        } else {
            left.push(layer.name.clone())
        }
    }
    let note = match left.as_slice() {
        [] => String::new(),
        left => format!(
            "At most {TRACED_MAX} devices are traced at once; not traced: {}. Name those you want.",
            some_of(left)
        ),
    };
    (joined(chosen), note)
}

/// The first names, and how many more there are.
fn some_of(names: &[String]) -> String {
    let told = names
        .iter()
        .take(TOLD_MAX)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(TOLD_MAX) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

/// A single spinning disk. A virtual disk says that it rotates and is none; what is stacked or solid serves many requests
/// at once.
fn is_serial(host: &Host, layer: &Layer) -> bool {
    layer.kind == LayerKind::Disk
        && layer.name.starts_with("sd")
        && host
            .text(&format!("/sys/block/{}/queue/rotational", layer.name))
            .as_deref()
            == Some("1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_told() {
        let failure = Devices::find(&Host::live(), &["/dev/not-there".into()]).unwrap_err();
        assert!(
            failure.message.contains("/dev/not-there"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn a_path_without_a_device_below_is_told() {
        let failure = Devices::find(&Host::live(), &["/proc".into()]).unwrap_err();
        assert!(failure.message.contains("/proc"), "{}", failure.message);
    }

    #[test]
    fn a_loop_device_that_was_detached_is_not_active() {
        let text = "iodyno-host 1\npath: /sys/block/loop0/stat\nlines: 1\n9 0 9 0 9 0 9 0 0 0 0\npath: /sys/block/loop0/size\nlines: 1\n0\n\
                    path: /sys/block/sda/stat\nlines: 1\n1 0 1 0 1 0 1 0 0 0 0\npath: /sys/block/sda/size\nlines: 1\n2048\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        assert_eq!(active(&host), ["sda"]);
    }

    #[test]
    fn without_names_every_active_device_is_on_the_path() {
        // One that becomes active between the two looks is on the path of the next.
        let agree = (0..50).any(|_| {
            let devices = Devices::find(&Host::live(), &[]).unwrap();
            assert!(devices.named.is_empty());
            let known = names(std::slice::from_ref(&devices.path.root));
            active(&Host::live())
                .iter()
                .all(|name| known.contains(name))
        });
        assert!(agree);
    }

    #[test]
    fn more_than_can_be_traced_are_named() {
        let below = (0..20)
            .map(|place| Layer::new(LayerKind::Disk, format!("sd{place}")))
            .collect();
        let (traced, note) = traced(&joined(below));
        assert_eq!(traced.root.below.len(), TRACED_MAX);
        assert!(
            note.contains("not traced: sd16, sd17, sd18, sd19."),
            "{note}"
        );
        let many: Vec<String> = (0..40).map(|number| format!("sd{number}")).collect();
        assert_eq!(some_of(&many), "sd0, sd1, sd2, sd3, sd4, sd5 and 34 more");
    }
}
