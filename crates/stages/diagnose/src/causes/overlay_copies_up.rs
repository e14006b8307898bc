//! # A file system that copies a file before it changes it
//!
//! ## What it finds
//! A target on overlayfs, the file system of containers' own layers.
//!
//! ## Why it matters
//! The first write to a file of a lower layer copies the whole file up first: a byte changed in a file of 10 GiB writes
//! 10 GiB. After that it is as fast as the file system below. Measurements on new files see nothing of it.
//!
//! ## What to try
//! A volume or a bind mount for everything that is written: databases, queues, logs.
//!
//! ## Example
//! ```scene
//! filesystem: overlay mount=/ overlay_lower=/var/lib/docker/overlay2/l/A
//! filesystem: ext4 mount=/var/lib/docker
//! disk: vda transport=virtio
//! expect: note says "copied as a whole" about /
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/
//! disk: vda transport=virtio
//! ```
//! ```scene
//! filesystem: xfs mount=/srv
//! disk: vda transport=virtio
//! ```
//!
//! ## Seen
//! On a live kernel: an overlay on ext4 (Linux 6.18). In the lab: `container_layer`.
//!
//! ## Sources
//! - Linux `Documentation/filesystems/overlayfs.rst`, Non-directories: copy_up

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::time_account::TimePlace;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "overlay_copies_up",
    since: "0.1.0",
    summary: "overlayfs, which copies a file up before its first change",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the data lies on a volume that is mounted into the container: then findmnt shows another file system for its directory",
    ],
    experiment: Experiment::Line(
        "findmnt -T {target} # then time the first and the second write to a large file of the image",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::FileSystem],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let overlay = scene
        .file_system()
        .filter(|layer| layer.fact("fstype") == Some("overlay"));
    let finding = overlay.map(|layer| {
        let claim = format!(
            "{} is an overlay: before the first change of a file from the image it is copied as a whole.",
            layer.name
        );
        note(&layer.name, claim)
            .shows("fstype", "overlay")
            .shows("overlay_lower", layer.fact("overlay_lower").unwrap_or("unknown"))
            .refuted_by("the files that are written are new, not of the image")
            .advise("Put what is written on a volume or a bind mount.")
    });
    finding.into_iter().collect()
}
