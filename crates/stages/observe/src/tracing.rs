//! The layers of the block devices on a path, traced while a load runs.

use kernel::devno::Devno;
use model::iopath::{IoPath, Layer, LayerKind};
use model::layers::{LayerTimes, SWITCHED_OFF};
use probe::{Layers, ProbedDevice, Strength};
use std::sync::Arc;

/// Programs at work on a path's devices, or why there are none. Clones share the programs; the last one dropped takes
/// them off.
#[derive(Clone, Debug)]
pub struct Tracing {
    state: Result<Arc<Layers>, String>,
}

/// What the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracingWish {
    /// The strength that suits the verb, or nothing where tracing would be most of what is measured.
    Auto(Strength),
    /// This strength, whatever it costs.
    Strength(Strength),
    /// Nothing.
    Off,
}

impl Tracing {
    /// Attaches the programs to every block device with a queue on the path. Whatever hinders them is no failure: the
    /// record says why there are no layers.
    pub fn start(path: &IoPath, wish: TracingWish) -> Tracing {
        let is_ram = path
            .root
            .walk()
            .iter()
            .any(|layer| layer.kind == LayerKind::Zram);
        let strength = match wish {
            TracingWish::Off => return Tracing::off(SWITCHED_OFF),
            TracingWish::Auto(_) if is_ram => {
                return Tracing::off(
                    "a disk in memory is so fast that tracing would slow it down by a third; --layers full does it",
                );
            }
            TracingWish::Auto(strength) | TracingWish::Strength(strength) => strength,
        };
        let attached = Layers::attach_best(&devices(path), strength);
        Tracing {
            state: attached
                .map(Arc::new)
                .map_err(|error| format!("{error}; {}", error.fall_back())),
        }
    }

    /// No tracing, for this reason.
    pub fn off(reason: &str) -> Tracing {
        Tracing {
            state: Err(reason.to_string()),
        }
    }

    /// What was counted so far; none without programs, or when they cannot be read.
    pub fn read(&self) -> Option<LayerTimes> {
        self.state.as_ref().ok()?.read().ok()
    }

    /// What was counted since an earlier reading.
    pub fn since(&self, earlier: Option<&LayerTimes>) -> Option<LayerTimes> {
        Some(self.read()?.since(earlier?))
    }

    /// The programs, or why there are none.
    pub fn layers(&self) -> Result<&Arc<Layers>, &str> {
        self.state.as_ref().map_err(String::as_str)
    }
}

impl Default for Tracing {
    fn default() -> Self {
        Tracing::off("nobody asked for it")
    }
}

impl PartialEq for Tracing {
    fn eq(&self, other: &Self) -> bool {
        match (&self.state, &other.state) {
            (Ok(one), Ok(other)) => Arc::ptr_eq(one, other),
            (Err(one), Err(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Tracing {}

/// Every block device of the path that I/O is queued on, from the top down; partitions have no queue of their own.
fn devices(path: &IoPath) -> Vec<ProbedDevice> {
    let has_queue = |layer: &&Layer| {
        matches!(
            layer.kind,
            LayerKind::Loop | LayerKind::Zram | LayerKind::Stacked | LayerKind::Disk
        )
    };
    let device = |layer: &Layer| {
        let Devno { major, minor } = Devno::parse(layer.devno.as_deref()?)?;
        Some(ProbedDevice {
            major,
            minor,
            name: layer.name.clone(),
        })
    };
    let mut devices: Vec<ProbedDevice> = Vec::new();
    for found in path
        .root
        .walk()
        .into_iter()
        .filter(has_queue)
        .filter_map(device)
    {
        // A disk below two members of a stack is one disk.
        if !devices.contains(&found) {
            devices.push(found);
        }
    }
    devices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(layers: &[(LayerKind, &str, &str)]) -> IoPath {
        let mut below = Vec::new();
        for (kind, name, devno) in layers.iter().rev() {
            let layer = Layer {
                devno: Some((*devno).into()),
                below,
                ..Layer::new(*kind, *name)
            };
            below = vec![layer];
        }
        let root = Layer {
            below,
            ..Layer::new(LayerKind::Target, "/srv")
        };
        IoPath::new("/srv", root)
    }

    #[test]
    fn each_queue_on_the_path_is_a_device() {
        let stack = [
            (LayerKind::Loop, "loop0", "7:0"),
            (LayerKind::FileSystem, "ext4", "8:1"),
            (LayerKind::Partition, "sda1", "8:1"),
            (LayerKind::Disk, "sda", "8:0"),
        ];
        let names: Vec<String> = devices(&path(&stack))
            .into_iter()
            .map(|device| device.name)
            .collect();
        assert_eq!(names, ["loop0", "sda"]);
    }

    #[test]
    fn without_devices_or_on_ram_it_says_why_not() {
        let nothing = Tracing::start(&path(&[]), TracingWish::Auto(Strength::Full));
        assert!(
            nothing
                .layers()
                .unwrap_err()
                .starts_with("no block device is on the path")
        );
        assert_eq!(nothing.read(), None);
        let zram = path(&[(LayerKind::Zram, "zram0", "252:0")]);
        let reason = Tracing::start(&zram, TracingWish::Auto(Strength::Full))
            .layers()
            .unwrap_err()
            .to_string();
        assert!(reason.contains("a disk in memory"), "{reason}");
    }
}
