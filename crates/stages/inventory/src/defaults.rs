//! What the kernel gives a setting that nobody touches: by its version, the medium and the driver. Where that cannot be
//! told, there is no default; a wrong one would call untouched settings somebody's doing.
//!
//! Distributions build kernels with other defaults and backport changes. Where one is known, the reason names it.

mod queue;
mod system;

use kernel::release::Release;
use model::iopath::{KernelDefault, Layer, LayerKind};

/// What defaults depend on besides the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kernel {
    /// None where it is not known.
    version: Option<Release>,
    /// The whole release.
    release: String,
}

impl Kernel {
    /// That of a machine.
    pub fn of(machine: Option<&Layer>) -> Kernel {
        let release = machine
            .and_then(|machine| machine.fact("kernel"))
            .unwrap_or_default()
            .to_string();
        let version = Release::parse(&release);
        Kernel { version, release }
    }

    /// Whether it is surely older.
    pub fn is_before(&self, major: u32, minor: u32) -> bool {
        self.version
            .is_some_and(|version| !version.at_least(major, minor))
    }

    /// Whether it is surely this old or newer.
    pub fn is_since(&self, major: u32, minor: u32) -> bool {
        self.version
            .is_some_and(|version| version.at_least(major, minor))
    }

    /// A kernel of Red Hat: many numbers of its own under an old version.
    fn is_red_hat(&self) -> bool {
        self.release.contains(".el")
    }
}

/// The default of a setting of a layer, where it is known.
pub(super) fn of(layer: &Layer, name: &str, kernel: &Kernel) -> Option<KernelDefault> {
    match layer.kind {
        LayerKind::Machine => system::of(name, kernel),
        LayerKind::FileSystem | LayerKind::Unbacked => system::of_file_system(layer, name, kernel),
        LayerKind::Disk | LayerKind::Loop | LayerKind::Zram | LayerKind::Stacked => {
            queue::of(layer, name, kernel)
        }
        LayerKind::Target
        | LayerKind::Partition
        | LayerKind::Cluster
        | LayerKind::Pool
        | LayerKind::Osd => None,
    }
}

/// The only one there is.
fn always(value: impl ToString) -> Option<KernelDefault> {
    because(value, "")
}

fn because(value: impl ToString, because: &str) -> Option<KernelDefault> {
    Some(KernelDefault {
        value: value.to_string(),
        because: because.to_string(),
    })
}
