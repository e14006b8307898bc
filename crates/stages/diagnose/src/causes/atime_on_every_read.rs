//! # Access times written for every read
//!
//! ## What it finds
//! A writable file system without `relatime`, `noatime` or `lazytime`: each read of a file makes its inode dirty.
//!
//! ## Why it matters
//! Reading many files then writes many inodes, on the journal and again in place. Kernels mount with `relatime` by themselves, so
//! somebody asked for `strictatime`.
//!
//! ## What to try
//! `relatime`, or `noatime` where nothing looks at access times (mail readers and tmpwatch do); `lazytime` keeps them in memory. A
//! remount is enough.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw
//! disk: sda transport=sata
//! expect: note says "/srv" about /srv
//! ```
//! ```scene
//! filesystem: xfs mount=/srv options=rw,attr2,inode64
//! disk: sda transport=sata
//! expect: note says "strictatime" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,lazytime
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: squashfs mount=/srv options=ro
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 on a loop device mounted with `strictatime` (Linux 6.18), whose options then name neither `relatime` nor
//! `noatime`.
//!
//! ## Sources
//! - mount(8), `relatime`, `strictatime`, `lazytime`: relatime is the default since 2.6.30

use crate::causes_help_queue::mounted_with;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "atime_on_every_read",
    since: "0.1.0",
    summary: "a file system that writes the time of every read",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "nothing but a few large files is read: then one inode is written every few seconds, which nobody notices",
    ],
    experiment: Experiment::Line(
        "iodyno watch # disk.writes_per_s while files are read, before and after mount -o remount,noatime {device}",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// File systems that keep access times and write them as they come.
const KEEPS: [&str; 7] = ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs"];
/// Options with which a read writes nothing at once.
const SPARES: [&str; 4] = ["relatime", "noatime", "lazytime", "ro"];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::FileSystem)
        .filter_map(finding)
        .collect()
}

fn finding(layer: &Layer) -> Option<Finding> {
    let options = layer.fact("options")?;
    let keeps = layer
        .fact("fstype")
        .is_some_and(|kind| KEEPS.contains(&kind));
    if !keeps || SPARES.iter().any(|option| mounted_with(layer, option)) {
        return None;
    }
    let claim = format!(
        "{} writes the access time of every read (strictatime).",
        layer.name
    );
    let finding = note(&layer.name, claim)
        .shows("options", options)
        .refuted_by("reading many files causes no writes")
        .advise("Mount it with relatime, or noatime where nothing needs access times.")
        .gains(0.05);
    Some(finding)
}
