//! # Read-ahead set where it does not act
//!
//! ## What it finds
//! Somebody sets the `read_ahead_kb` of a disk, and the file system above reads ahead by a value of its own: btrfs, NFS, FUSE and
//! others have a bdi for themselves. The same for a disk below a mapped device, which has its own value too.
//!
//! ## Why it matters
//! The value that was set is never looked at. btrfs reads 4 MiB ahead unless told otherwise, which random readers notice.
//!
//! ## What to try
//! `/sys/class/bdi/MAJOR:MINOR/read_ahead_kb` of the file system, the mapped device's own queue, or the mount option of NFS tools.
//!
//! ## Example
//! ```scene
//! filesystem: btrfs mount=/srv
//! setting: bdi/read_ahead_kb = 4096
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 16
//! expect: warning says "4096 KiB of /srv" about sda
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv
//! stacked: dm-0 stack=LVM mapping=linear
//! setting: read_ahead_kb = 128
//! disk: sda transport=sata
//! setting: read_ahead_kb = 4096
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 4096
//! expect: warning says "128 KiB of dm-0" about sda
//! ```
//! No file wants it, but it is not the kernel's value either:
//! ```scene
//! filesystem: btrfs mount=/srv
//! setting: bdi/read_ahead_kb = 4096
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! default: read_ahead_kb = 128
//! expect: note says "4096 KiB of /srv" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: btrfs mount=/srv
//! setting: bdi/read_ahead_kb = 4096
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! default: read_ahead_kb = 128
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 16
//! ```
//! ```scene
//! filesystem: btrfs mount=/srv
//! setting: bdi/read_ahead_kb = 16
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 16
//! ```
//!
//! ## Seen
//! In the lab: `readahead_below_btrfs`.
//!
//! ## Sources
//! - Linux `fs/btrfs/disk-io.c`, `fs/super.c` (`super_setup_bdi`); `Documentation/ABI/testing/sysfs-class-bdi`
//! - kubernetes-sigs/gcp-compute-persistent-disk-csi-driver issue 2155: the mount option that did not act on btrfs

use crate::causes_help_queue::{configured, read_ahead};
use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_on_wrong_layer",
    since: "0.1.0",
    summary: "a read-ahead set on a disk, where a layer above reads ahead by its own",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the disk is also read as a device, past the file system: then its own value acts for that",
    ],
    experiment: Experiment::Line(
        "iodyno inspect {target} --all # shows both; then iodyno run {target} -- -rw=read -bs=128k -direct=0 with each value above",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some((acting, window)) = read_ahead(scene) else {
        return Vec::new();
    };
    let Some(kib) = window.number() else {
        return Vec::new();
    };
    let below = acting
        .walk()
        .into_iter()
        .skip(1)
        .filter(|layer| layer.kind == LayerKind::Disk);
    below
        .filter_map(|disk| finding(acting, kib, disk))
        .collect()
}

fn finding(acting: &Layer, kib: f64, disk: &Layer) -> Option<Finding> {
    // A loop device's file is read through a page cache of its own, by the disk's value.
    if acting.kind == LayerKind::Loop {
        return None;
    }
    let setting = disk.setting("read_ahead_kb")?;
    let here = setting.number().filter(|here| *here != kib)?;
    let owner = configured(setting).last();
    let default = setting
        .default
        .as_ref()
        .and_then(|default| default.value.parse::<f64>().ok());
    let is_changed = default.is_some_and(|default| default != here);
    if owner.is_none() && !is_changed {
        return None;
    }
    let name = &disk.name;
    let claim = format!(
        "read_ahead_kb of {name} is {here} and does not act: the {kib} KiB of {} do.",
        acting.name,
        here = units::whole(here),
        kib = units::whole(kib)
    );
    let finding = match owner {
        Some(owner) => warning(name, claim)
            .shows("set by", &owner.place)
            .gains(0.2),
        None => note(name, claim).gains(0.1),
    };
    let finding = finding
        .shows(&format!("read_ahead_kb of {name}"), here)
        .shows(&format!("read-ahead of {}", acting.name), kib)
        .refuted_by("buffered streams change with the disk's value")
        .advise(format!(
            "Set it on {}, where files are read ahead.",
            acting.name
        ));
    Some(finding)
}
